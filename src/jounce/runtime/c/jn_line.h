/* A stretch of a line between two of its nodes: the quintic that keeps position, tangent and curvature.
 *
 * A node begins with x, y, cos and sin of the heading, curvature; ds is the way between two of them. */
#ifndef JN_LINE_H
#define JN_LINE_H

typedef struct {
    double x[6], y[6]; /* coefficients over q = 0 .. 1 */
} jn_stretch;

typedef struct {
    double x, y;                   /* of the line at q */
    double dx, dy, ddx, ddy;       /* derivatives by q */
} jn_on_stretch;

static inline void jn_stretch_between(const double *a, const double *b, double ds, jn_stretch *out)
{
    const double hx = b[0] - a[0], hy = b[1] - a[1];
    const double u0 = ds*a[2], u1 = ds*b[2], v0 = ds*a[3], v1 = ds*b[3], h2 = ds*ds;
    const double p0 = -h2*a[4]*a[3], p1 = -h2*b[4]*b[3], q0 = h2*a[4]*a[2], q1 = h2*b[4]*b[2];
    double *cx = out->x, *cy = out->y;
    cx[0] = a[0], cx[1] = u0, cx[2] = 0.5*p0;
    cx[3] = 10.0*hx - 6.0*u0 - 4.0*u1 - 1.5*p0 + 0.5*p1;
    cx[4] = -15.0*hx + 8.0*u0 + 7.0*u1 + 1.5*p0 - p1;
    cx[5] = 6.0*hx - 3.0*(u0 + u1) - 0.5*(p0 - p1);
    cy[0] = a[1], cy[1] = v0, cy[2] = 0.5*q0;
    cy[3] = 10.0*hy - 6.0*v0 - 4.0*v1 - 1.5*q0 + 0.5*q1;
    cy[4] = -15.0*hy + 8.0*v0 + 7.0*v1 + 1.5*q0 - q1;
    cy[5] = 6.0*hy - 3.0*(v0 + v1) - 0.5*(q0 - q1);
}

static inline void jn_stretch_at(const jn_stretch *c, double q, jn_on_stretch *out)
{
    const double *cx = c->x, *cy = c->y;
    out->x = cx[0] + q*(cx[1] + q*(cx[2] + q*(cx[3] + q*(cx[4] + q*cx[5]))));
    out->y = cy[0] + q*(cy[1] + q*(cy[2] + q*(cy[3] + q*(cy[4] + q*cy[5]))));
    out->dx = cx[1] + q*(2.0*cx[2] + q*(3.0*cx[3] + q*(4.0*cx[4] + q*5.0*cx[5])));
    out->dy = cy[1] + q*(2.0*cy[2] + q*(3.0*cy[3] + q*(4.0*cy[4] + q*5.0*cy[5])));
    out->ddx = 2.0*cx[2] + q*(6.0*cx[3] + q*(12.0*cx[4] + q*20.0*cx[5]));
    out->ddy = 2.0*cy[2] + q*(6.0*cy[3] + q*(12.0*cy[4] + q*20.0*cy[5]));
}

#endif
