/* The evaluator of roads.  jn_road.h says what it promises, road/block.py writes what it reads.
 *
 * Derivatives are exact, not differences.  For a road along a line with station s and offset n to the left,
 * z = F(s, n), a = 1 - kappa n, tangent t and normal m (both unit):
 *
 *     grad s = t/a,   grad n = m                                                                        (1)
 *     hess s = kappa (m t' + t m')/a^2 + kappa' n t t'/a^3,   hess n = -kappa t t'/a                     (2)
 *     grad z = F_s grad s + F_n grad n                                                                   (3)
 *     hess z = F_ss gs gs' + F_sn (gs gn' + gn gs') + F_nn gn gn' + F_s hess s + F_n hess n              (4) */
#include "jn_road.h"

#include <math.h>
#include <string.h>

#include "jn_math.h"

/* --- places of numbers in nodes; road/block.py has the same list ------------------------------------------------- */

enum { KIND, X0, Y0, Z0, COS, SIN, Z_SCALE, MU_SCALE, PLAIN, OWN };
enum { PLANE = 1, PROFILE, REGION, SUM, STACK, LINE, GRID, MESH, EXTERNAL, ENVELOPE };

enum { PL_GX = OWN, PL_GY, PL_MU, PL_MATERIAL, PL_HALF_X, PL_HALF_Y };
enum { PR_U = OWN, PR_V, PR_RADIAL };
enum { RE_SHAPE = OWN, RE_A, RE_B, RE_MU, RE_FACTOR, RE_EDGE, RE_POINTS, RE_N };
enum { IX_X = 0, IX_Y, IX_INV, IX_NX, IX_NY, IX_START, IX_ITEMS, IX_SIZE };
enum { SU_BASE = OWN, SU_N, SU_NODES, SU_ALL, SU_N_ALL, SU_INDEX };
enum { ST_N = OWN, ST_NODES, ST_LAYERS, ST_TOL };
enum {
    LI_N = OWN, LI_CLOSED, LI_LENGTH, LI_DS, LI_NODES, LI_INDEX, LI_Z = LI_INDEX + IX_SIZE, LI_BANK, LI_SECTION,
    LI_MU_LEFT, LI_MU_RIGHT, LI_DZ_LEFT, LI_DZ_RIGHT, LI_BLEND, LI_END, LI_SIDE, LI_LEFT, LI_RIGHT, LI_TOL, LI_S0
};
enum { SE_K = 0, SE_M, SE_S, SE_BUCKETS, SE_SCALE, SE_BUCKET, SE_POINTS, SE_MU, SE_MU_STEPS };
enum {
    GR_NU = OWN, GR_NV, GR_U0, GR_DU, GR_V0, GR_DV, GR_V, GR_Z, GR_SINGLE, GR_REFZ, GR_BANK, GR_BANK0, GR_STRAIGHT,
    GR_XY, GR_CLOSED, GR_INDEX, GR_MODE_U = GR_INDEX + IX_SIZE, GR_MODE_V, GR_OFFSET_U, GR_OFFSET_V, GR_SMOOTH0,
    GR_SMOOTH1, GR_MU, GR_MU0, GR_TX0, GR_TY0, GR_TX1, GR_TY1, GR_CUBIC, GR_TOL
};
enum { ME_N = OWN, ME_XYZ, ME_TRI, ME_MU, ME_MATERIAL, ME_INDEX, ME_HOLD = ME_INDEX + IX_SIZE, ME_NEAREST, ME_TOL };
enum { EX_CALL = OWN, EX_CONTEXT };
enum { EN_CHILD = OWN, EN_MODE, EN_TX, EN_TY, EN_FOLLOW, EN_LENGTH, EN_WIDTH, EN_NL, EN_NW, EN_A, EN_B, EN_P };
enum { CU_TYPE = 0, CU_N, CU_S0, CU_DS, CU_S1, CU_BORDER, CU_DATA, CU_KNOTS, CU_BUCKETS, CU_SCALE, CU_BUCKET };
enum { CURVE_PIECES = 0, CURVE_LINEAR, CURVE_CUBIC };
enum { PIECE = 7 }; /* numbers of a piece: its type and six coefficients */
enum { NONE = 0, ZERO, KEEP, REPEAT, REFLECT, EXTRAPOLATE }; /* border modes */
enum { SIDE_NONE = 0, SIDE_HOLD = 2, SIDE_WIDEN = 5 };

#define AT(type, base, offset) ((const type *)((base) + (int64_t)(offset)))

typedef jn_road_point point;

/* --- small parts ------------------------------------------------------------------------------------------------- */

static inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static inline int64_t whole(double x) /* floor */
{
    int64_t i = (int64_t)x;
    return i - (x < (double)i);
}

/* x brought into [0, length) or reflected there; *sign becomes the sign of the derivative. */
static double wrap(double x, double length, int reflect, double *sign)
{
    *sign = 1.0;
    if (!(length > 0.0) || !(fabs(x) < 1e15)) return 0.0;
    double q = reflect ? 2.0*length : length;
    double r = x - q*(double)whole(x/q);
    if (r < 0.0) r = 0.0;
    if (r > q) r = q;
    if (reflect && r > length) {
        *sign = -1.0;
        return q - r;
    }
    return r;
}

/* The piece of a sorted list of n + 1 knots that holds s. */
static int64_t find(const double *knots, int64_t n, const int32_t *bucket, double n_buckets, double scale, double s)
{
    int64_t low = 0, high = n;
    if (n_buckets > 0.0) {
        int64_t b = (int64_t)clamp((s - knots[0])*scale, 0.0, n_buckets - 1.0);
        low = bucket[b];
        high = bucket[b + 1] + 1;
        if (high > n) high = n;
        if (low > 0 && s < knots[low]) --low; /* rounding of the bucket */
    }
    while (high - low > 1) {
        int64_t middle = (low + high)/2;
        if (s < knots[middle]) high = middle; else low = middle;
    }
    return low;
}

/* f = value and first two derivatives of a curve at s. */
static void curve(const char *base, double offset, double s, double f[3])
{
    f[0] = f[1] = f[2] = 0.0;
    if (offset == 0.0) return;
    const double *c = AT(double, base, offset);
    const int border = (int)c[CU_BORDER];
    double sign = 1.0;
    int flat = 0;
    if (!(s >= c[CU_S0] && s <= c[CU_S1])) {
        if (s != s) {
            f[0] = f[1] = f[2] = s;
            return;
        }
        if (border == NONE || border == ZERO) return;
        if (border == REPEAT || border == REFLECT)
            s = c[CU_S0] + wrap(s - c[CU_S0], c[CU_S1] - c[CU_S0], border == REFLECT, &sign);
        else {
            flat = 1 + (border == EXTRAPOLATE);
        }
    }
    const double asked = s;
    if (flat) s = clamp(s, c[CU_S0], c[CU_S1]);
    const double *data = AT(double, base, c[CU_DATA]);
    if (c[CU_TYPE] == CURVE_PIECES) {
        const double *knots = AT(double, base, c[CU_KNOTS]);
        int64_t i = find(knots, (int64_t)c[CU_N], AT(int32_t, base, c[CU_BUCKET]), c[CU_BUCKETS], c[CU_SCALE], s);
        const double *p = data + PIECE*i, d = s - knots[i];
        if (p[0] == 0.0) {
            f[0] = p[1] + d*(p[2] + d*(p[3] + d*(p[4] + d*(p[5] + d*p[6]))));
            f[1] = p[2] + d*(2.0*p[3] + d*(3.0*p[4] + d*(4.0*p[5] + d*5.0*p[6])));
            f[2] = 2.0*p[3] + d*(6.0*p[4] + d*(12.0*p[5] + d*20.0*p[6]));
        } else { /* c0 + c1 sin(c2 + c3 d + c4 d^2) */
            double phase = p[3] + d*(p[4] + d*p[5]), rate = p[4] + 2.0*d*p[5], a = sin(phase), b = cos(phase);
            f[0] = p[1] + p[2]*a;
            f[1] = p[2]*b*rate;
            f[2] = p[2]*(2.0*b*p[5] - a*rate*rate);
        }
    } else {
        const int64_t n = (int64_t)c[CU_N]; /* samples */
        double q = (s - c[CU_S0])/c[CU_DS];
        int64_t i = (int64_t)clamp((double)whole(q), 0.0, (double)(n - 2));
        q -= (double)i;
        const double b = data[i], d = data[i + 1];
        if (c[CU_TYPE] == CURVE_LINEAR) {
            f[0] = b + q*(d - b);
            f[1] = (d - b)/c[CU_DS];
        } else { /* cubic with the slopes of central differences, one-sided at the ends */
            const int closed = border == REPEAT;
            double a = i > 0 ? data[i - 1] : closed ? data[n - 2] : 2.0*b - d;
            double e = i + 2 < n ? data[i + 2] : closed ? data[1] : 2.0*d - b;
            double m0 = 0.5*(d - a), m1 = 0.5*(e - b);
            double c2 = 3.0*(d - b) - 2.0*m0 - m1, c3 = 2.0*(b - d) + m0 + m1;
            f[0] = b + q*(m0 + q*(c2 + q*c3));
            f[1] = (m0 + q*(2.0*c2 + 3.0*q*c3))/c[CU_DS];
            f[2] = (2.0*c2 + 6.0*q*c3)/(c[CU_DS]*c[CU_DS]);
        }
    }
    f[1] *= sign;
    if (flat) {
        f[2] = 0.0;
        if (flat == 1) f[1] = 0.0;
        else f[0] += f[1]*(asked - s);
    }
}

/* The cell of an index that holds a point, clamped to the index; *inside tells whether it was. */
static int64_t cell(const double *index, double x, double y, int *inside)
{
    double i = (x - index[IX_X])*index[IX_INV], j = (y - index[IX_Y])*index[IX_INV];
    *inside = i >= 0.0 && j >= 0.0 && i < index[IX_NX] && j < index[IX_NY];
    int64_t a = (int64_t)clamp(i, 0.0, index[IX_NX] - 1.0), b = (int64_t)clamp(j, 0.0, index[IX_NY] - 1.0);
    return b*(int64_t)index[IX_NX] + a;
}

static void no_ground(point *out)
{
    out->z = JN_ROAD_VOID;
    out->zx = out->zy = out->zxx = out->zxy = out->zyy = out->mu = out->mux = out->muy = 0.0;
    out->flags |= JN_ROAD_OFF | JN_ROAD_NO_GROUND;
}

static void blank(point *out)
{
    memset(out, 0, sizeof *out);
    out->mu = 1.0;
    out->s = out->n = NAN;
}

/* --- plane, profile, region -------------------------------------------------------------------------------------- */

static void plane(const double *node, double x, double y, point *out)
{
    out->z = node[PL_GX]*x + node[PL_GY]*y;
    out->zx = node[PL_GX];
    out->zy = node[PL_GY];
    out->mu = node[PL_MU];
    out->material = (int32_t)node[PL_MATERIAL];
    if (fabs(x) > node[PL_HALF_X] || fabs(y) > node[PL_HALF_Y]) no_ground(out);
}

static void profile(const char *base, const double *node, double x, double y, point *out)
{
    double f[3], w[3] = {1.0, 0.0, 0.0};
    if (node[PR_RADIAL] != 0.0) { /* p(r): continued to the centre with p'(0) = 0 */
        double r = sqrt(x*x + y*y), e, g;
        curve(base, node[PR_U], r, f);
        e = r > 1e-9 ? f[1]/r : f[2];
        g = r > 1e-9 ? (f[2] - e)/(r*r) : 0.0;
        out->z = f[0];
        out->zx = e*x;
        out->zy = e*y;
        out->zxx = e + g*x*x;
        out->zyy = e + g*y*y;
        out->zxy = g*x*y;
        return;
    }
    curve(base, node[PR_U], x, f);
    if (node[PR_V] != 0.0) curve(base, node[PR_V], y, w);
    out->z = f[0]*w[0];
    out->zx = f[1]*w[0];
    out->zy = f[0]*w[1];
    out->zxx = f[2]*w[0];
    out->zxy = f[1]*w[1];
    out->zyy = f[0]*w[2];
}

/* How much of a point belongs to the region: 1 inside, 0 outside, linear over the edge; g = its gradient. */
static double region(const char *base, const double *node, double x, double y, double g[2])
{
    const double edge = node[RE_EDGE];
    double d, gx = 0.0, gy = 0.0; /* distance inside the border */
    g[0] = g[1] = 0.0;
    if (node[RE_SHAPE] == 2.0) {
        const double *p = AT(double, base, node[RE_POINTS]);
        const int64_t n = (int64_t)node[RE_N];
        int odd = 0;
        for (int64_t i = 0, j = n - 1; i < n; j = i++)
            if ((p[2*i + 1] > y) != (p[2*j + 1] > y)
                && x < (p[2*j] - p[2*i])*(y - p[2*i + 1])/(p[2*j + 1] - p[2*i + 1]) + p[2*i])
                odd = !odd;
        return odd;
    }
    if (node[RE_SHAPE] == 1.0) {
        double r = sqrt(x*x + y*y);
        d = node[RE_A] - r;
        if (r > 1e-9) {
            gx = -x/r;
            gy = -y/r;
        }
    } else {
        double a = node[RE_A] - fabs(x), b = node[RE_B] - fabs(y);
        d = a < b ? a : b;
        if (a < b) gx = x > 0.0 ? -1.0 : 1.0;
        else gy = y > 0.0 ? -1.0 : 1.0;
    }
    if (!(edge > 0.0)) return d >= 0.0;
    if (d <= -0.5*edge) return 0.0;
    if (d >= 0.5*edge) return 1.0;
    g[0] = gx/edge;
    g[1] = gy/edge;
    return d/edge + 0.5;
}

/* --- line -------------------------------------------------------------------------------------------------------- */

typedef struct {
    double s, n;              /* station (from the start of the line) and offset to the left */
    double tx, ty;            /* tangent */
    double kappa, kappa_rate; /* curvature and its derivative */
    double distance2;
    int beyond;               /* -1 before the start, 1 behind the end, else 0 */
} foot;

enum { LN = 5 };    /* numbers per node of a line: x, y, cos, sin, curvature */
enum { SCAN = 24 }; /* places of a part of a line that are looked at */

static int64_t on_line(int64_t i, int64_t n, int closed)
{
    if (closed) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
}

static inline double ahead(const double *p, double x, double y) { return (x - p[0])*p[2] + (y - p[1])*p[3]; }

/* The foot of a point on the line between nodes i0 and i1 (i1 >= i0; closed lines count on beyond their end). */
static void line_foot(const double *node, const double *nodes, int64_t i0, int64_t i1, double x, double y, foot *out)
{
    const int64_t n = (int64_t)node[LI_N];
    const int closed = node[LI_CLOSED] != 0.0;
    const double ds = node[LI_DS];
    int64_t low = i0, high = i1;
    out->beyond = 0;
    /* around a sharp bend the part may hold several feet: narrow it to the surroundings of its nearest node */
    if (high - low > 2) {
        const int64_t stride = (high - low + SCAN - 1)/SCAN;
        int64_t nearest = low;
        double least = INFINITY;
        for (int64_t i = low; i <= high; i += stride) {
            const double *p = nodes + LN*on_line(i, n, closed);
            const double d = (x - p[0])*(x - p[0]) + (y - p[1])*(y - p[1]);
            if (d < least) {
                least = d;
                nearest = i;
            }
        }
        low = nearest - stride < low ? low : nearest - stride;
        high = nearest + stride > high ? high : nearest + stride;
    }
    /* the list of a cell holds the nearest part of the line, its foot may lie a little beyond */
    for (int k = 0; k < 64 && (closed || low > 0) && ahead(nodes + LN*on_line(low, n, closed), x, y) < 0.0; ++k)
        high = low + 1, --low;
    for (int k = 0; k < 64 && (closed || high < n - 1) && ahead(nodes + LN*on_line(high, n, closed), x, y) >= 0.0; ++k)
        low = high, ++high;
    if (!closed) {
        if (low < 0) low = 0;
        if (high > n - 1) high = n - 1;
    }
    while (high - low > 1) {
        int64_t middle = (low + high)/2;
        if (ahead(nodes + LN*on_line(middle, n, closed), x, y) >= 0.0) low = middle; else high = middle;
    }
    const double *a = nodes + LN*on_line(low, n, closed), *b = nodes + LN*on_line(high, n, closed);
    const double before = ahead(a, x, y), behind = ahead(b, x, y);
    if (!closed && ((low == 0 && before < 0.0) || (high == n - 1 && behind >= 0.0))) { /* straight on beyond the end */
        const double *e = before < 0.0 ? a : b;
        const double along = before < 0.0 ? before : behind;
        out->beyond = before < 0.0 ? -1 : 1;
        out->s = (before < 0.0 ? 0.0 : node[LI_LENGTH]) + along;
        out->tx = e[2];
        out->ty = e[3];
        out->n = (y - e[1])*e[2] - (x - e[0])*e[3];
        out->kappa = out->kappa_rate = 0.0;
        out->distance2 = along*along + out->n*out->n;
        return;
    }
    /* quintic through position, tangent and curvature at both nodes: c(q), q = 0 .. 1 */
    double cx[6], cy[6];
    {
        const double hx = b[0] - a[0], hy = b[1] - a[1];
        const double u0 = ds*a[2], u1 = ds*b[2], v0 = ds*a[3], v1 = ds*b[3], h2 = ds*ds;
        const double p0 = -h2*a[4]*a[3], p1 = -h2*b[4]*b[3], q0 = h2*a[4]*a[2], q1 = h2*b[4]*b[2];
        cx[0] = a[0], cx[1] = u0, cx[2] = 0.5*p0;
        cx[3] = 10.0*hx - 6.0*u0 - 4.0*u1 - 1.5*p0 + 0.5*p1;
        cx[4] = -15.0*hx + 8.0*u0 + 7.0*u1 + 1.5*p0 - p1;
        cx[5] = 6.0*hx - 3.0*(u0 + u1) - 0.5*(p0 - p1);
        cy[0] = a[1], cy[1] = v0, cy[2] = 0.5*q0;
        cy[3] = 10.0*hy - 6.0*v0 - 4.0*v1 - 1.5*q0 + 0.5*q1;
        cy[4] = -15.0*hy + 8.0*v0 + 7.0*v1 + 1.5*q0 - q1;
        cy[5] = 6.0*hy - 3.0*(v0 + v1) - 0.5*(q0 - q1);
    }
    double q = before - behind > 0.0 ? clamp(before/(before - behind), 0.0, 1.0) : 0.5;
    double px, py, dx, dy, ddx, ddy, rx, ry;
    for (int k = 0;; ++k) {
        px = cx[0] + q*(cx[1] + q*(cx[2] + q*(cx[3] + q*(cx[4] + q*cx[5]))));
        py = cy[0] + q*(cy[1] + q*(cy[2] + q*(cy[3] + q*(cy[4] + q*cy[5]))));
        dx = cx[1] + q*(2.0*cx[2] + q*(3.0*cx[3] + q*(4.0*cx[4] + q*5.0*cx[5])));
        dy = cy[1] + q*(2.0*cy[2] + q*(3.0*cy[3] + q*(4.0*cy[4] + q*5.0*cy[5])));
        ddx = 2.0*cx[2] + q*(6.0*cx[3] + q*(12.0*cx[4] + q*20.0*cx[5]));
        ddy = 2.0*cy[2] + q*(6.0*cy[3] + q*(12.0*cy[4] + q*20.0*cy[5]));
        rx = x - px, ry = y - py;
        const double g = rx*dx + ry*dy, slope = dx*dx + dy*dy - rx*ddx - ry*ddy;
        if (k == 6 || !(slope > 0.0)) break;
        const double step = g/slope;
        q = clamp(q + step, 0.0, 1.0);
        if (fabs(step) < 1e-13) break;
    }
    const double v2 = dx*dx + dy*dy, v = sqrt(v2);
    const double d3x = 6.0*cx[3] + q*(24.0*cx[4] + q*60.0*cx[5]), d3y = 6.0*cy[3] + q*(24.0*cy[4] + q*60.0*cy[5]);
    const double cross = dx*ddy - dy*ddx;
    out->s = ((double)low + q)*ds;
    if (closed) {
        if (out->s >= node[LI_LENGTH]) out->s -= node[LI_LENGTH];
        if (out->s < 0.0) out->s += node[LI_LENGTH];
    }
    out->tx = dx/v;
    out->ty = dy/v;
    out->n = ry*out->tx - rx*out->ty;
    out->kappa = cross/(v2*v);
    out->kappa_rate = ((dx*d3y - dy*d3x)/(v2*v) - 3.0*cross*(dx*ddx + dy*ddy)/(v2*v2*v))/v;
    out->distance2 = rx*rx + ry*ry;
}

/* F(s, n) with F_s, F_n, F_ss, F_sn, F_nn, and friction with its derivative along s. */
typedef struct {
    double f, fs, fn, fss, fsn, fnn, mu, mu_s;
    int flags;
} surface;

/* Adds a cross-section: points u_k(s), v_k(s), straight between points and between stations.
 * Returns 1 beside it; edge = offset of the last point there and its derivative. */
static int section(const char *base, double offset, double s, double n, int side, surface *out, double edge[2])
{
    const double *c = AT(double, base, offset), *stations = AT(double, base, c[SE_S]);
    const int64_t k_points = (int64_t)c[SE_K], m = (int64_t)c[SE_M];
    double q = 0.0, h = 1.0;
    int64_t i = 0, j = 0;
    int beside_it = 0;
    if (m > 1) {
        double at = clamp(s, stations[0], stations[m - 1]);
        i = find(stations, m - 1, AT(int32_t, base, c[SE_BUCKET]), c[SE_BUCKETS], c[SE_SCALE], at);
        j = i + 1;
        h = stations[j] - stations[i];
        q = (at - stations[i])/h;
        if (at != s) h = INFINITY; /* constant beyond the stations */
    }
    const double *a = AT(double, base, c[SE_POINTS]) + 2*k_points*i, *b = AT(double, base, c[SE_POINTS]) + 2*k_points*j;
    int64_t low = 0, high = k_points - 1;
#define U(k) (a[2*(k)] + q*(b[2*(k)] - a[2*(k)]))
    double edge_right = U(0), edge_left = U(k_points - 1);
    if (n < edge_right || n > edge_left) {
        out->flags |= JN_ROAD_OFF;
        if (side == SIDE_NONE) {
            out->flags |= JN_ROAD_NO_GROUND;
            return 0;
        }
        const int64_t k = n < edge_right ? 0 : k_points - 1; /* height of the last point */
        edge[0] = n < edge_right ? edge_right : edge_left;
        edge[1] = (b[2*k] - a[2*k])/h;
        beside_it = 1;
        out->f += a[2*k + 1] + q*(b[2*k + 1] - a[2*k + 1]);
        out->fs += (b[2*k + 1] - a[2*k + 1])/h;
        low = k ? k_points - 2 : 0;
        high = low + 1;
    } else {
        while (high - low > 1) {
            int64_t middle = (low + high)/2;
            if (n < U(middle)) high = middle; else low = middle;
        }
        const double u0 = U(low), width = U(high) - u0;
        const double du0 = (b[2*low] - a[2*low])/h, dw = (b[2*high] - a[2*high])/h - du0;
        const double v0 = a[2*low + 1] + q*(b[2*low + 1] - a[2*low + 1]);
        const double dv0 = (b[2*low + 1] - a[2*low + 1])/h;
        const double rise = a[2*high + 1] + q*(b[2*high + 1] - a[2*high + 1]) - v0;
        const double d_rise = (b[2*high + 1] - a[2*high + 1])/h - dv0;
        if (width > 0.0) {
            const double w = (n - u0)/width, ws = (-du0 - w*dw)/width;
            out->f += v0 + w*rise;
            out->fs += dv0 + ws*rise + w*d_rise;
            out->fn += rise/width;
            out->fss += -2.0*ws*dw/width*rise + 2.0*ws*d_rise;
            out->fsn += d_rise/width - rise*dw/(width*width);
        } else {
            out->f += v0;
            out->fs += dv0;
        }
    }
#undef U
    if (c[SE_MU] != 0.0) {
        const double *mu = AT(double, base, c[SE_MU]);
        const double first = mu[(k_points - 1)*i + low], last = mu[(k_points - 1)*j + low];
        if (first == first) { /* nan: the friction of the lane */
            if (c[SE_MU_STEPS] != 0.0) {
                out->mu *= first;
                out->mu_s *= first;
            } else {
                out->mu = first + q*(last - first);
                out->mu_s = (last - first)/h;
            }
        }
    }
    return beside_it;
}

static void line_surface(const char *base, const double *node, double s, double n, surface *out)
{
    double f[3], g[3];
    memset(out, 0, sizeof *out);
    s += node[LI_S0];
    curve(base, node[LI_Z], s, f);
    out->f = f[0], out->fs = f[1], out->fss = f[2];

    const int side = (int)node[LI_SIDE];
    curve(base, node[LI_LEFT], s, f);
    curve(base, node[LI_RIGHT], s, g);
    const int outside = n > f[0] ? 1 : n < -g[0] ? -1 : 0;
    double held = n, hs = 0.0, hss = 0.0, hn = 1.0; /* offset at which the bank is taken */
    if (outside && node[LI_SECTION] == 0.0) {
        out->flags |= JN_ROAD_OFF | (side == SIDE_NONE ? JN_ROAD_NO_GROUND : 0);
        if (side == SIDE_HOLD) {
            held = outside > 0 ? f[0] : -g[0];
            hs = outside > 0 ? f[1] : -g[1];
            hss = outside > 0 ? f[2] : -g[2];
            hn = 0.0;
        }
    }
    const double mu_side = node[n >= 0.0 ? LI_MU_LEFT : LI_MU_RIGHT];
    out->mu = 1.0;
    if (mu_side != 0.0) {
        curve(base, mu_side, s, f);
        out->mu = f[0];
        out->mu_s = f[1];
    }
    if (node[LI_SECTION] != 0.0) {
        double edge[2] = {0.0, 0.0};
        if (section(base, node[LI_SECTION], s, n, side, out, edge) && side == SIDE_HOLD) {
            held = edge[0];
            hs = edge[1];
            hn = 0.0;
        }
    }
    if (node[LI_BANK] != 0.0) { /* tangent of the bank angle times the offset */
        curve(base, node[LI_BANK], s, f);
        out->f += held*f[0];
        out->fs += held*f[1] + hs*f[0];
        out->fss += held*f[2] + 2.0*hs*f[1] + hss*f[0];
        out->fn += hn*f[0];
        out->fsn += hn*f[1];
    }
    if (node[LI_DZ_LEFT] != 0.0 || node[LI_DZ_RIGHT] != 0.0) {
        const double half = node[LI_BLEND];
        double w = n >= 0.0, w1 = 0.0, w2 = 0.0;
        if (half > 0.0 && fabs(n) < half) {
            const double q = 0.5*(n/half + 1.0);
            w = q*q*(3.0 - 2.0*q);
            w1 = 3.0*q*(1.0 - q)/half;
            w2 = 1.5*(1.0 - 2.0*q)/(half*half);
        }
        curve(base, node[LI_DZ_LEFT], s, f);
        curve(base, node[LI_DZ_RIGHT], s, g);
        out->f += w*f[0] + (1.0 - w)*g[0];
        out->fs += w*f[1] + (1.0 - w)*g[1];
        out->fss += w*f[2] + (1.0 - w)*g[2];
        out->fn += w1*(f[0] - g[0]);
        out->fsn += w1*(f[1] - g[1]);
        out->fnn += w2*(f[0] - g[0]);
    }
}

static void line_at(const char *base, const double *node, const foot *p, point *out)
{
    surface f;
    const int end = (int)node[LI_END];
    double s = p->s;
    if (p->beyond && end != EXTRAPOLATE) s = clamp(s, 0.0, node[LI_LENGTH]);
    line_surface(base, node, s, p->n, &f);
    if (p->beyond) {
        f.flags |= JN_ROAD_OFF;
        if (end == NONE) f.flags |= JN_ROAD_NO_GROUND;
        if (end != EXTRAPOLATE) f.fs = f.fss = f.fsn = f.mu_s = 0.0;
        if (end == ZERO) f.f = f.fn = f.fnn = 0.0;
    }
    const double t[2] = {p->tx, p->ty}, m[2] = {-p->ty, p->tx};
    /* beyond the centre of curvature the map is singular; nobody drives there */
    const double a = jn_max(1.0 - p->kappa*p->n, 0.05), kappa = p->kappa, rate = p->kappa_rate;
    const double gs[2] = {t[0]/a, t[1]/a};
    out->z = f.f;
    out->zx = f.fs*gs[0] + f.fn*m[0]; /* (3) */
    out->zy = f.fs*gs[1] + f.fn*m[1];
    const double tt = f.fss/(a*a) + f.fs*rate*p->n/(a*a*a) - f.fn*kappa/a; /* (4), by products of t and m */
    const double tm = f.fsn/a + f.fs*kappa/(a*a);
    out->zxx = tt*t[0]*t[0] + 2.0*tm*t[0]*m[0] + f.fnn*m[0]*m[0];
    out->zxy = tt*t[0]*t[1] + tm*(t[0]*m[1] + t[1]*m[0]) + f.fnn*m[0]*m[1];
    out->zyy = tt*t[1]*t[1] + 2.0*tm*t[1]*m[1] + f.fnn*m[1]*m[1];
    out->mu = f.mu;
    out->mux = f.mu_s*gs[0];
    out->muy = f.mu_s*gs[1];
    out->tx = p->tx;
    out->ty = p->ty;
    out->s = p->s + node[LI_S0];
    out->n = p->n;
    out->kappa = p->kappa;
    out->flags = f.flags;
    if (f.flags & JN_ROAD_NO_GROUND) no_ground(out);
}

/* Whether candidate b is to be preferred to a: on the road before beside it; of storeys the upper one that is not above
 * the asking point, else the lowest; on one storey, and beside the road, the nearest. */
static int better(const point *a, double a_distance2, const point *b, double b_distance2, double z, double tolerance)
{
    const int on_a = !(a->flags & JN_ROAD_OFF), on_b = !(b->flags & JN_ROAD_OFF);
    if (on_a != on_b) return on_b;
    if (!on_a || fabs(a->z - b->z) <= tolerance) return b_distance2 < a_distance2;
    const double limit = z == z ? z + tolerance : INFINITY;
    const int under_a = a->z <= limit, under_b = b->z <= limit;
    if (under_a != under_b) return under_b;
    return under_a ? b->z > a->z : b->z < a->z;
}

static void line(const char *base, const double *node, double x, double y, double z, point *out)
{
    const double *nodes = AT(double, base, node[LI_NODES]), *index = node + LI_INDEX;
    const int32_t *start = AT(int32_t, base, index[IX_START]), *range = AT(int32_t, base, index[IX_ITEMS]);
    int inside;
    const int64_t c = cell(index, x, y, &inside);
    foot p;
    double best = INFINITY;
    for (int32_t k = start[c]; k < start[c + 1]; ++k) {
        line_foot(node, nodes, range[2*k], range[2*k + 1], x, y, &p);
        if (k == start[c]) {
            line_at(base, node, &p, out);
            best = p.distance2;
        } else {
            point other;
            blank(&other);
            line_at(base, node, &p, &other);
            if (better(out, best, &other, p.distance2, z, node[LI_TOL])) {
                *out = other;
                best = p.distance2;
            }
        }
    }
}

/* --- grid (OpenCRG) ---------------------------------------------------------------------------------------------- */

typedef struct {
    double u, v;
    double ux, uy, uxx, uxy, uyy, vx, vy;
    double tx, ty, distance2;
} curved;

static void along(double u, double x0, double y0, double tx, double ty, double x, double y, curved *out)
{
    const double dx = x - x0, dy = y - y0;
    out->u = u + dx*tx + dy*ty;
    out->v = dy*tx - dx*ty;
    out->ux = tx, out->uy = ty, out->vx = -ty, out->vy = tx;
    out->uxx = out->uxy = out->uyy = 0.0;
    out->tx = tx, out->ty = ty;
    out->distance2 = out->v*out->v;
}

static inline int64_t grid_node(int64_t i, int64_t n, int closed)
{
    /* the last node of a closed line is its first */
    return on_line(i, closed ? n - 1 : n, closed);
}

/* Direction of the normal's partner at a node: from the node before to the node behind. */
static void chord(const double *xy, int64_t i, int64_t n, int closed, double d[2])
{
    const double *a = xy + 2*grid_node(i - 1, n, closed), *b = xy + 2*grid_node(i + 1, n, closed);
    d[0] = b[0] - a[0];
    d[1] = b[1] - a[1];
}

static double beside(const double *xy, int64_t i, int64_t n, int closed, double x, double y)
{
    double d[2];
    const double *p = xy + 2*grid_node(i, n, closed);
    chord(xy, i, n, closed, d);
    return (x - p[0])*d[0] + (y - p[1])*d[1];
}

static void grid_foot(const double *node, const double *xy, int64_t i0, int64_t i1, double x, double y, curved *out)
{
    const int64_t n = (int64_t)node[GR_NU];
    const int closed = node[GR_CLOSED] != 0.0;
    int64_t low = i0, high = i1;
    if (high - low > 2) {
        const int64_t stride = (high - low + SCAN - 1)/SCAN;
        int64_t nearest = low;
        double least = INFINITY;
        for (int64_t i = low; i <= high; i += stride) {
            const double *p = xy + 2*grid_node(i, n, closed);
            const double d = (x - p[0])*(x - p[0]) + (y - p[1])*(y - p[1]);
            if (d < least) {
                least = d;
                nearest = i;
            }
        }
        low = nearest - stride < low ? low : nearest - stride;
        high = nearest + stride > high ? high : nearest + stride;
    }
    for (int k = 0; k < 256 && (closed || low > 0) && beside(xy, low, n, closed, x, y) < 0.0; ++k)
        high = low + 1, --low;
    for (int k = 0; k < 256 && (closed || high < n - 1) && beside(xy, high, n, closed, x, y) > 0.0; ++k)
        low = high, ++high;
    if (!closed) {
        if (low < 0) low = 0;
        if (high > n - 1) high = n - 1;
    }
    while (high - low > 1) {
        int64_t middle = (low + high)/2;
        if (beside(xy, middle, n, closed, x, y) > 0.0) low = middle; else high = middle;
    }
    double d1[2], d2[2];
    const double *a = xy + 2*grid_node(low, n, closed), *b = xy + 2*grid_node(high, n, closed);
    chord(xy, low, n, closed, d1);
    chord(xy, high, n, closed, d2);
    const double ex = b[0] - a[0], ey = b[1] - a[1], length = sqrt(ex*ex + ey*ey);
    const double k1 = d1[0]*ex + d1[1]*ey, k2 = d2[0]*ex + d2[1]*ey;
    const double ta = (d1[0]*(x - a[0]) + d1[1]*(y - a[1]))/k1, tb = (d2[0]*(b[0] - x) + d2[1]*(b[1] - y))/k2;
    if (!closed && low == 0 && ta < 0.0) {
        along(node[GR_U0], a[0], a[1], node[GR_TX0], node[GR_TY0], x, y, out);
        out->distance2 += (out->u - node[GR_U0])*(out->u - node[GR_U0]);
        return;
    }
    if (!closed && high == n - 1 && tb < 0.0) {
        const double last = node[GR_U0] + (double)(n - 1)*node[GR_DU];
        along(last, b[0], b[1], node[GR_TX1], node[GR_TY1], x, y, out);
        out->distance2 += (out->u - last)*(out->u - last);
        return;
    }
    /* u = (i + ta/(ta + tb)) du between the normals of both nodes, v from the straight segment */
    const double ax = d1[0]/k1, ay = d1[1]/k1, sum = jn_max(ta + tb, 1e-9), sx = ax - d2[0]/k2, sy = ay - d2[1]/k2;
    const double du = node[GR_DU], fx = (ax*sum - ta*sx)/(sum*sum), fy = (ay*sum - ta*sy)/(sum*sum);
    out->u = node[GR_U0] + ((double)low + ta/sum)*du;
    out->ux = du*fx;
    out->uy = du*fy;
    out->uxx = -2.0*du*fx*sx/sum;
    out->uyy = -2.0*du*fy*sy/sum;
    out->uxy = du*((ax*sy - ay*sx)/(sum*sum) - 2.0*fx*sy/sum);
    out->tx = ex/length;
    out->ty = ey/length;
    out->vx = -out->ty;
    out->vy = out->tx;
    out->v = (y - a[1])*out->tx - (x - a[0])*out->ty;
    out->distance2 = out->v*out->v;
    if (closed) {
        const double period = (double)(n - 1)*du;
        if (out->u >= node[GR_U0] + period) out->u -= period;
        if (out->u < node[GR_U0]) out->u += period;
    }
}

static inline double height(const void *data, int single, int64_t k)
{
    return single ? (double)((const float *)data)[k] : ((const double *)data)[k];
}

/* Value and derivatives of a uniform or linear grid at cell (i, j), local coordinates p, q in 0 .. 1.
 * f = value, by p, by q, by pp, pq, qq. */
static void patch(const void *data, int single, int64_t nu, int64_t nv, int64_t i, int64_t j, double p, double q,
                  int cubic, double f[6])
{
    if (!cubic) {
        const double a = height(data, single, i*nv + j), b = height(data, single, (i + 1)*nv + j);
        const double c = height(data, single, i*nv + j + 1), d = height(data, single, (i + 1)*nv + j + 1);
        const double twist = d - b - c + a;
        f[0] = a + p*(b - a) + q*(c - a) + p*q*twist;
        f[1] = b - a + q*twist;
        f[2] = c - a + p*twist;
        f[3] = f[5] = 0.0;
        f[4] = twist;
        return;
    }
    /* tensor product of cubics with central differences as slopes; beyond the border the data go on linearly */
    double w[2][4], w1[2][4], w2[2][4];
    const double at[2] = {p, q};
    for (int k = 0; k < 2; ++k) {
        const double t = at[k];
        w[k][0] = t*(-0.5 + t*(1.0 - 0.5*t)), w1[k][0] = -0.5 + t*(2.0 - 1.5*t), w2[k][0] = 2.0 - 3.0*t;
        w[k][1] = 1.0 + t*t*(-2.5 + 1.5*t), w1[k][1] = t*(-5.0 + 4.5*t), w2[k][1] = -5.0 + 9.0*t;
        w[k][2] = t*(0.5 + t*(2.0 - 1.5*t)), w1[k][2] = 0.5 + t*(4.0 - 4.5*t), w2[k][2] = 4.0 - 9.0*t;
        w[k][3] = t*t*(-0.5 + 0.5*t), w1[k][3] = t*(-1.0 + 1.5*t), w2[k][3] = -1.0 + 3.0*t;
    }
    for (int k = 0; k < 6; ++k) f[k] = 0.0;
    const int64_t count[2] = {nu, nv}, first[2] = {i, j};
    int64_t row[2][4];
    for (int k = 0; k < 2; ++k) {
        for (int m = 0; m < 4; ++m) row[k][m] = first[k] - 1 + m;
        if (row[k][0] < 0) { /* z(-1) = 2 z(0) - z(1) */
            row[k][0] = 0;
            w[k][1] += 2.0*w[k][0], w1[k][1] += 2.0*w1[k][0], w2[k][1] += 2.0*w2[k][0];
            w[k][2] -= w[k][0], w1[k][2] -= w1[k][0], w2[k][2] -= w2[k][0];
            w[k][0] = w1[k][0] = w2[k][0] = 0.0;
        }
        if (row[k][3] >= count[k]) {
            row[k][3] = count[k] - 1;
            w[k][2] += 2.0*w[k][3], w1[k][2] += 2.0*w1[k][3], w2[k][2] += 2.0*w2[k][3];
            w[k][1] -= w[k][3], w1[k][1] -= w1[k][3], w2[k][1] -= w2[k][3];
            w[k][3] = w1[k][3] = w2[k][3] = 0.0;
        }
    }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            const double z = height(data, single, row[0][a]*nv + row[1][b]);
            f[0] += w[0][a]*w[1][b]*z;
            f[1] += w1[0][a]*w[1][b]*z;
            f[2] += w[0][a]*w1[1][b]*z;
            f[3] += w2[0][a]*w[1][b]*z;
            f[4] += w1[0][a]*w1[1][b]*z;
            f[5] += w[0][a]*w2[1][b]*z;
        }
}

/* One coordinate brought into the grid by its border mode. Returns 0 inside, else the mode; *sign is the derivative. */
static int bring(double *x, double low, double high, int mode, double *sign)
{
    *sign = 1.0;
    if (*x >= low && *x <= high) return -1;
    if (mode == REPEAT || mode == REFLECT) {
        *x = low + wrap(*x - low, high - low, mode == REFLECT, sign);
        return mode;
    }
    *x = clamp(*x, low, high);
    *sign = 0.0;
    return mode;
}

static void grid_at(const char *base, const double *node, const curved *c, point *out)
{
    const int64_t nu = (int64_t)node[GR_NU], nv = (int64_t)node[GR_NV];
    const double u0 = node[GR_U0], du = node[GR_DU], u1 = u0 + (double)(nu - 1)*du;
    const double *vs = AT(double, base, node[GR_V]);
    const double v0 = node[GR_DV] > 0.0 ? node[GR_V0] : vs[0];
    const double v1 = node[GR_DV] > 0.0 ? node[GR_V0] + (double)(nv - 1)*node[GR_DV] : vs[nv - 1];
    double u = c->u, v = c->v, su, sv;
    const int mode_u = bring(&u, u0, u1, (int)node[GR_MODE_U], &su);
    const int mode_v = bring(&v, v0, v1, (int)node[GR_MODE_V], &sv);
    out->s = c->u;
    out->n = c->v;
    out->tx = c->tx;
    out->ty = c->ty;
    if (mode_u == KEEP || mode_u == ZERO || mode_v == KEEP || mode_v == ZERO) out->flags |= JN_ROAD_OFF;
    if (mode_u == NONE || mode_v == NONE || u != u || v != v) {
        no_ground(out);
        return;
    }
    double p = (u - u0)/du, q, dv = node[GR_DV];
    int64_t i = (int64_t)clamp(p, 0.0, (double)(nu - 2)), j;
    p -= (double)i;
    if (dv > 0.0) {
        q = (v - v0)/dv;
        j = (int64_t)clamp(q, 0.0, (double)(nv - 2));
        q -= (double)j;
    } else {
        j = find(vs, nv - 1, NULL, 0.0, 0.0, v);
        dv = vs[j + 1] - vs[j];
        q = (v - vs[j])/dv;
    }
    double f[6];
    patch(base + (int64_t)node[GR_Z], node[GR_SINGLE] != 0.0, nu, nv, i, j, p, q, node[GR_CUBIC] != 0.0, f);
    double z = f[0], zu = f[1]/du, zv = f[2]/dv, zuu = f[3]/(du*du), zuv = f[4]/(du*dv), zvv = f[5]/(dv*dv);
    double first = 0.0, last = 0.0;
    if (mode_v == ZERO || mode_u == ZERO) z = zu = zv = zuu = zuv = zvv = 0.0;
    if (node[GR_REFZ] != 0.0) {
        const double *r = AT(double, base, node[GR_REFZ]);
        z += r[i] + p*(r[i + 1] - r[i]);
        zu += (r[i + 1] - r[i])/du;
        first = r[0];
        last = r[nu - 1];
    }
    if (node[GR_BANK] != 0.0) {
        const double *b = AT(double, base, node[GR_BANK]), bank = b[i] + p*(b[i + 1] - b[i]), rate = (b[i + 1] - b[i])/du;
        z += bank*v;
        zu += rate*v;
        zv += bank;
        zuv += rate;
    } else {
        z += node[GR_BANK0]*v;
        zv += node[GR_BANK0];
    }
    zu *= su, zv *= sv, zuu *= su*su, zvv *= sv*sv, zuv *= su*sv;
    if (mode_u == ZERO || (mode_u == -1 && mode_v == ZERO)) z = zu = zv = zuu = zuv = zvv = 0.0;
    if (mode_u == KEEP || mode_u == ZERO) z += node[GR_OFFSET_U] + (mode_v >= 0 ? node[GR_OFFSET_V] : 0.0);
    else if (mode_v == KEEP || mode_v == ZERO) z += node[GR_OFFSET_V] + (mode_u >= 0 ? node[GR_OFFSET_U] : 0.0);
    const double zone0 = node[GR_SMOOTH0], zone1 = node[GR_SMOOTH1];
    double k = 1.0, k1 = 0.0, origin = 0.0;
    const double at = mode_u == REPEAT || mode_u == REFLECT ? u : c->u;
    if (zone0 > 0.0 && at - u0 <= zone0) {
        k = at < u0 ? 0.0 : (at - u0)/zone0;
        k1 = at < u0 ? 0.0 : su/zone0;
        origin = first;
    }
    if (zone1 > 0.0 && u1 - at <= zone1) {
        k = at > u1 ? 0.0 : (u1 - at)/zone1;
        k1 = at > u1 ? 0.0 : -su/zone1;
        origin = last;
    }
    if (zone0 > 0.0 || zone1 > 0.0) {
        zuu = k*zuu + 2.0*k1*zu;
        zu = k*zu + k1*(z - origin);
        zuv = k*zuv + k1*zv;
        zv *= k;
        zvv *= k;
        z = origin + (z - origin)*k;
    }
    if (z != z) {
        no_ground(out);
        return;
    }
    out->z = z;
    out->zx = zu*c->ux + zv*c->vx;
    out->zy = zu*c->uy + zv*c->vy;
    out->zxx = zuu*c->ux*c->ux + 2.0*zuv*c->ux*c->vx + zvv*c->vx*c->vx + zu*c->uxx;
    out->zxy = zuu*c->ux*c->uy + zuv*(c->ux*c->vy + c->uy*c->vx) + zvv*c->vx*c->vy + zu*c->uxy;
    out->zyy = zuu*c->uy*c->uy + 2.0*zuv*c->uy*c->vy + zvv*c->vy*c->vy + zu*c->uyy;
    out->mu = node[GR_MU0];
    if (node[GR_MU] != 0.0) {
        patch(base + (int64_t)node[GR_MU], 0, nu, nv, i, j, p, q, 0, f);
        out->mu *= f[0];
        out->mux = node[GR_MU0]*(su*f[1]/du*c->ux + sv*f[2]/dv*c->vx);
        out->muy = node[GR_MU0]*(su*f[1]/du*c->uy + sv*f[2]/dv*c->vy);
    }
}

static void grid(const char *base, const double *node, double x, double y, double z, point *out)
{
    curved c;
    if (node[GR_STRAIGHT] != 0.0) {
        along(node[GR_U0], 0.0, 0.0, 1.0, 0.0, x, y, &c); /* the frame of the node lies on the line */
        grid_at(base, node, &c, out);
        return;
    }
    const double *xy = AT(double, base, node[GR_XY]), *index = node + GR_INDEX;
    const int32_t *start = AT(int32_t, base, index[IX_START]), *range = AT(int32_t, base, index[IX_ITEMS]);
    int inside;
    const int64_t k0 = cell(index, x, y, &inside);
    double best = INFINITY;
    for (int32_t k = start[k0]; k < start[k0 + 1]; ++k) {
        grid_foot(node, xy, range[2*k], range[2*k + 1], x, y, &c);
        if (k == start[k0]) {
            grid_at(base, node, &c, out);
            best = c.distance2;
        } else {
            point other;
            blank(&other);
            grid_at(base, node, &c, &other);
            if (better(out, best, &other, c.distance2, z, node[GR_TOL])) {
                *out = other;
                best = c.distance2;
            }
        }
    }
}

/* --- mesh -------------------------------------------------------------------------------------------------------- */

/* The point of a triangle nearest to (x, y) in plan; returns the squared distance. */
static double nearest_on_triangle(const double *const p[3], double x, double y, double *nx, double *ny)
{
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double *a = p[k], *b = p[(k + 1)%3], ex = b[0] - a[0], ey = b[1] - a[1], l2 = ex*ex + ey*ey;
        const double t = l2 > 0.0 ? clamp(((x - a[0])*ex + (y - a[1])*ey)/l2, 0.0, 1.0) : 0.0;
        const double qx = a[0] + t*ex, qy = a[1] + t*ey, d = (x - qx)*(x - qx) + (y - qy)*(y - qy);
        if (d < best) {
            best = d;
            *nx = qx;
            *ny = qy;
        }
    }
    return best;
}

static void mesh_take(const char *base, const double *node, int32_t k, double z, double zx, double zy, point *out)
{
    out->z = z;
    out->zx = zx;
    out->zy = zy;
    out->mu = node[ME_MU] != 0.0 ? AT(double, base, node[ME_MU])[k] : 1.0;
    out->material = node[ME_MATERIAL] != 0.0 ? AT(int32_t, base, node[ME_MATERIAL])[k] : 0;
}

static void mesh(const char *base, const double *node, double x, double y, double z, point *out)
{
    const double *xyz = AT(double, base, node[ME_XYZ]), *index = node + ME_INDEX;
    const int32_t *tri = AT(int32_t, base, node[ME_TRI]);
    const int32_t *start = AT(int32_t, base, index[IX_START]), *item = AT(int32_t, base, index[IX_ITEMS]);
    const double limit = z == z ? z + node[ME_TOL] : INFINITY;
    int inside, found = 0;
    const int64_t c = cell(index, x, y, &inside);
    if (inside)
        for (int32_t m = start[c]; m < start[c + 1]; ++m) {
            const int32_t k = item[m];
            const double *a = xyz + 3*(int64_t)tri[3*(int64_t)k], *b = xyz + 3*(int64_t)tri[3*(int64_t)k + 1];
            const double *d = xyz + 3*(int64_t)tri[3*(int64_t)k + 2];
            const double bx = b[0] - a[0], by = b[1] - a[1], dx = d[0] - a[0], dy = d[1] - a[1];
            const double det = bx*dy - by*dx, px = x - a[0], py = y - a[1];
            const double s = (px*dy - py*dx)/det, t = (bx*py - by*px)/det;
            if (!(s >= -1e-9 && t >= -1e-9 && s + t <= 1.0 + 1e-9)) continue; /* also a triangle on edge: nan */
            const double bz = b[2] - a[2], dz = d[2] - a[2], h = a[2] + s*bz + t*dz;
            if (found) {
                const int under = h <= limit, was = out->z <= limit;
                if (under != was ? was : under ? h <= out->z : h >= out->z) continue;
            }
            found = 1;
            mesh_take(base, node, k, h, (bz*dy - by*dz)/det, (bx*dz - bz*dx)/det, out);
        }
    if (found) return;
    if (node[ME_HOLD] == 0.0) {
        no_ground(out);
        return;
    }
    /* hold the height of the nearest point, found in the nearest cell that is not empty */
    const int64_t from = AT(int32_t, base, node[ME_NEAREST])[c];
    double best = INFINITY, qx = x, qy = y, nx = x, ny = y;
    int32_t k = item[start[from]];
    for (int32_t m = start[from]; m < start[from + 1]; ++m) {
        const double *p[3];
        for (int j = 0; j < 3; ++j) p[j] = xyz + 3*(int64_t)tri[3*(int64_t)item[m] + j];
        const double d = nearest_on_triangle(p, x, y, &qx, &qy);
        if (d < best) {
            best = d;
            nx = qx;
            ny = qy;
            k = item[m];
        }
    }
    const double *a = xyz + 3*(int64_t)tri[3*(int64_t)k], *b = xyz + 3*(int64_t)tri[3*(int64_t)k + 1];
    const double *d = xyz + 3*(int64_t)tri[3*(int64_t)k + 2];
    const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2], dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    const double det = bx*dy - by*dx;
    const double gx = det != 0.0 ? (bz*dy - by*dz)/det : 0.0, gy = det != 0.0 ? (bx*dz - bz*dx)/det : 0.0;
    /* the height stays along the way out and follows the edge beside it */
    double ox = x - nx, oy = y - ny, l2 = ox*ox + oy*oy, out_slope = l2 > 0.0 ? (gx*ox + gy*oy)/l2 : 0.0;
    mesh_take(base, node, k, a[2] + gx*(nx - a[0]) + gy*(ny - a[1]), gx - out_slope*ox, gy - out_slope*oy, out);
    out->flags |= JN_ROAD_OFF;
}

/* --- the tree ---------------------------------------------------------------------------------------------------- */

static void evaluate(const char *base, const double *node, double x, double y, double z, int depth, point *out);

static void add_feature(const char *base, const double *node, double x, double y, double z, int depth, point *out)
{
    if (node[KIND] == REGION) {
        double g[2], u = x, v = y;
        if (node[PLAIN] == 0.0) {
            const double dx = x - node[X0], dy = y - node[Y0];
            u = node[COS]*dx + node[SIN]*dy;
            v = node[COS]*dy - node[SIN]*dx;
        }
        const double w = region(base, node, u, v, g);
        if (w == 0.0) return;
        const double gx = node[COS]*g[0] - node[SIN]*g[1], gy = node[SIN]*g[0] + node[COS]*g[1];
        const double factor = node[RE_FACTOR], inside = factor != 0.0 ? out->mu*node[RE_MU] : node[RE_MU];
        const double slope = factor != 0.0 ? node[RE_MU] : 0.0;
        out->mux = out->mux*(1.0 - w + w*slope) + gx*(inside - out->mu);
        out->muy = out->muy*(1.0 - w + w*slope) + gy*(inside - out->mu);
        out->mu = w == 1.0 ? inside : out->mu + w*(inside - out->mu);
        return;
    }
    point more;
    evaluate(base, node, x, y, z, depth, &more);
    if (more.flags & JN_ROAD_NO_GROUND) return;
    out->z += more.z;
    out->zx += more.zx;
    out->zy += more.zy;
    out->zxx += more.zxx;
    out->zxy += more.zxy;
    out->zyy += more.zyy;
    out->mux = out->mux*more.mu + out->mu*more.mux;
    out->muy = out->muy*more.mu + out->mu*more.muy;
    out->mu *= more.mu;
}

static void sum(const char *base, const double *node, double x, double y, double z, int depth, point *out)
{
    evaluate(base, AT(double, base, node[SU_BASE]), x, y, z, depth, out);
    if (out->flags & JN_ROAD_NO_GROUND) return;
    const double *nodes = AT(double, base, node[SU_NODES]), *index = node + SU_INDEX;
    const int32_t *all = AT(int32_t, base, node[SU_ALL]);
    for (int32_t k = 0; k < (int32_t)node[SU_N_ALL]; ++k)
        add_feature(base, AT(double, base, nodes[all[k]]), x, y, z, depth, out);
    if (index[IX_NX] > 0.0) {
        int inside;
        const int64_t c = cell(index, x, y, &inside);
        const int32_t *start = AT(int32_t, base, index[IX_START]), *item = AT(int32_t, base, index[IX_ITEMS]);
        if (inside)
            for (int32_t m = start[c]; m < start[c + 1]; ++m)
                add_feature(base, AT(double, base, nodes[item[m]]), x, y, z, depth, out);
    }
}

static void stack(const char *base, const double *node, double x, double y, double z, int depth, point *out)
{
    const double *nodes = AT(double, base, node[ST_NODES]);
    const int layers = node[ST_LAYERS] != 0.0;
    point other;
    for (int32_t k = 0; k < (int32_t)node[ST_N]; ++k) {
        point *p = k ? &other : out;
        evaluate(base, AT(double, base, nodes[k]), x, y, z, depth, p);
        if (!layers && !(p->flags & JN_ROAD_OFF)) {
            if (k) *out = other;
            return; /* the first that covers the point */
        }
        if (k == 0) continue;
        if (layers && better(out, 0.0, p, 0.0, z, node[ST_TOL])) *out = other;
        else if ((out->flags & JN_ROAD_NO_GROUND) && !(p->flags & JN_ROAD_NO_GROUND)) *out = other;
    }
}

static void external(const double *node, double x, double y, double z, point *out)
{
    jn_road_external call;
    void *context;
    double f[4] = {0.0, 0.0, 0.0, 1.0};
    memcpy(&call, node + EX_CALL, sizeof call);
    memcpy(&context, node + EX_CONTEXT, sizeof context);
    call(context, x, y, z, f);
    out->z = f[0];
    out->zx = f[1];
    out->zy = f[2];
    out->mu = f[3];
}

static void evaluate(const char *base, const double *node, double x, double y, double z, int depth, point *out)
{
    blank(out);
    if (depth >= JN_ROAD_DEPTH) {
        no_ground(out);
        return;
    }
    const int plain = node[PLAIN] != 0.0;
    if (!plain) {
        const double dx = x - node[X0], dy = y - node[Y0];
        x = node[COS]*dx + node[SIN]*dy;
        y = node[COS]*dy - node[SIN]*dx;
        z = (z - node[Z0])/node[Z_SCALE];
    }
    switch ((int)node[KIND]) {
    case PLANE: plane(node, x, y, out); break;
    case PROFILE: profile(base, node, x, y, out); break;
    case SUM: sum(base, node, x, y, z, depth + 1, out); break;
    case STACK: stack(base, node, x, y, z, depth + 1, out); break;
    case LINE: line(base, node, x, y, z, out); break;
    case GRID: grid(base, node, x, y, z, out); break;
    case MESH: mesh(base, node, x, y, z, out); break;
    case EXTERNAL: external(node, x, y, z, out); break;
    default: no_ground(out); break;
    }
    if (out->flags & JN_ROAD_NO_GROUND) return;
    if (!plain) {
        const double c = node[COS], s = node[SIN], k = node[Z_SCALE], m = node[MU_SCALE];
        const double a = k*out->zx, b = k*out->zy, p = k*out->zxx, q = k*out->zxy, r = k*out->zyy;
        const double f = m*out->mux, g = m*out->muy, tx = out->tx, ty = out->ty;
        out->z = node[Z0] + k*out->z;
        out->zx = c*a - s*b;
        out->zy = s*a + c*b;
        out->zxx = c*c*p - 2.0*c*s*q + s*s*r;
        out->zxy = c*s*(p - r) + (c*c - s*s)*q;
        out->zyy = s*s*p + 2.0*c*s*q + c*c*r;
        out->mu *= m;
        out->mux = c*f - s*g;
        out->muy = s*f + c*g;
        out->tx = c*tx - s*ty;
        out->ty = s*tx + c*ty;
    }
}

/* --- enveloping contact ------------------------------------------------------------------------------------------ */

/* Effective plane of a contact patch: out = height, slopes and friction.
 * Mode 1, several points: the plane nearest to a lattice of points (least squares).
 * Mode 2, tandem cam: two rows of rigid cams (superellipses |x/a|^p + |z/b|^p = 1) at a distance, each resting on the
 * road; mean height, slope between the rows, camber between the cams at both sides. */
static void envelope_plane(const char *base, const double *node, double x, double y, double z, point *out)
{
    const double *child = AT(double, base, node[EN_CHILD]);
    const int nl = (int)node[EN_NL], nw = (int)node[EN_NW];
    const double length = node[EN_LENGTH], width = node[EN_WIDTH];
    evaluate(base, child, x, y, z, 0, out);
    out->slope_x = out->zx;
    out->slope_y = out->zy;
    if (out->flags & JN_ROAD_NO_GROUND) return;
    double tx = node[EN_TX], ty = node[EN_TY];
    if (node[EN_FOLLOW] != 0.0 && out->tx*out->tx + out->ty*out->ty > 0.5) {
        tx = out->tx;
        ty = out->ty;
    }
    double total = 0.0, by_a = 0.0, by_b = 0.0, aa = 0.0, bb = 0.0, mu = 0.0, count = 0.0;
    const int cams = node[EN_MODE] == 2.0, rows = cams ? 2 : nl;
    const int reach = cams ? nl : 0; /* samples of a cam to each side */
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < nw; ++j) {
            const double a = rows > 1 ? length*((double)i/(rows - 1) - 0.5) : 0.0;
            const double b = nw > 1 ? width*((double)j/(nw - 1) - 0.5) : 0.0;
            double h = -INFINITY, friction = 0.0;
            for (int k = -reach; k <= reach; ++k) {
                const double d = cams ? 0.999*node[EN_A]*(double)k/reach : 0.0;
                point p;
                evaluate(base, child, x + (a + d)*tx - b*ty, y + (a + d)*ty + b*tx, z, 0, &p);
                if (p.flags & JN_ROAD_NO_GROUND) continue;
                /* the lowest point of the cam when this point carries it */
                const double r = cams ? fabs(d)/node[EN_A] : 0.0;
                const double under = cams ? p.z - node[EN_B]*(1.0 - pow(1.0 - pow(r, node[EN_P]), 1.0/node[EN_P])) : p.z;
                if (under > h) {
                    h = under;
                    friction = p.mu;
                }
            }
            if (!(h > -INFINITY)) continue;
            total += h;
            mu += friction;
            by_a += h*a;
            by_b += h*b;
            aa += a*a;
            bb += b*b;
            count += 1.0;
        }
    if (count < (double)(rows*nw)) return; /* partly beyond the ground: one point */
    const double along = aa > 0.0 ? by_a/aa : out->zx*tx + out->zy*ty;
    const double across = bb > 0.0 ? by_b/bb : out->zy*tx - out->zx*ty;
    out->z = total/count;
    out->mu = mu/count;
    out->slope_x = along*tx - across*ty;
    out->slope_y = along*ty + across*tx;
}

#define STEP 1e-4 /* of differences, under an enveloping contact only, m */

static void envelope(const char *base, const double *node, double x, double y, double z, int order, point *out)
{
    envelope_plane(base, node, x, y, z, out);
    if (order == 0 || (out->flags & JN_ROAD_NO_GROUND)) return;
    point a, b, c, d;
    envelope_plane(base, node, x - STEP, y, z, &a);
    envelope_plane(base, node, x + STEP, y, z, &b);
    envelope_plane(base, node, x, y - STEP, z, &c);
    envelope_plane(base, node, x, y + STEP, z, &d);
    if ((a.flags | b.flags | c.flags | d.flags) & JN_ROAD_NO_GROUND) return;
    out->zx = (b.z - a.z)/(2.0*STEP);
    out->zy = (d.z - c.z)/(2.0*STEP);
    out->zxx = (b.slope_x - a.slope_x)/(2.0*STEP);
    out->zyy = (d.slope_y - c.slope_y)/(2.0*STEP);
    out->zxy = 0.5*((d.slope_x - c.slope_x) + (b.slope_y - a.slope_y))/(2.0*STEP);
    out->mux = (b.mu - a.mu)/(2.0*STEP);
    out->muy = (d.mu - c.mu)/(2.0*STEP);
}

/* --- what is called ---------------------------------------------------------------------------------------------- */

int jn_road_check(const void *road, int64_t bytes)
{
    const double *head = road;
    if (bytes < 64) return 1;
    if (head[0] != JN_ROAD_MAGIC) return 2;
    if (head[1] != JN_ROAD_VERSION) return 3;
    return (int64_t)head[2] > bytes ? 4 : 0;
}

static void ask(const void *road, double x, double y, double z, int order, point *out)
{
    const char *base = road;
    const double *root = AT(double, base, ((const double *)road)[3]);
    if (!(fabs(x) < 1e12 && fabs(y) < 1e12)) { /* nowhere: said so, as a cast of such a number would be undefined */
        blank(out);
        out->z = out->zx = out->zy = out->zxx = out->zxy = out->zyy = out->mu = out->mux = out->muy = NAN;
        out->slope_x = out->slope_y = NAN;
        out->flags = JN_ROAD_OFF | JN_ROAD_NO_GROUND;
        return;
    }
    if (root[KIND] == ENVELOPE) {
        envelope(base, root, x, y, z, order, out);
        return;
    }
    evaluate(base, root, x, y, z, 0, out);
    out->slope_x = out->zx;
    out->slope_y = out->zy;
}

void jn_road_at(const void *road, double x, double y, double z, jn_road_point *out) { ask(road, x, y, z, 1, out); }

int jn_road_query(const void *road, double x, double y, double z, double out[4])
{
    point p;
    ask(road, x, y, z, 0, &p);
    out[0] = p.z;
    out[1] = p.slope_x;
    out[2] = p.slope_y;
    out[3] = p.mu;
    return p.flags;
}

void jn_road_query_many(const void *road, int64_t n, const double *x, const double *y, const double *z, double *out,
                        double *more, int32_t *whole_numbers)
{
    for (int64_t i = 0; i < n; ++i) {
        point p;
        ask(road, x[i], y[i], z ? z[i] : NAN, 0, &p);
        out[4*i] = p.z;
        out[4*i + 1] = p.slope_x;
        out[4*i + 2] = p.slope_y;
        out[4*i + 3] = p.mu;
        if (more) {
            more[5*i] = p.s;
            more[5*i + 1] = p.n;
            more[5*i + 2] = p.tx;
            more[5*i + 3] = p.ty;
            more[5*i + 4] = p.kappa;
        }
        if (whole_numbers) {
            whole_numbers[2*i] = p.material;
            whole_numbers[2*i + 1] = p.flags;
        }
    }
}

void jn_road_service(void *context, const double *arguments, int order, double *out)
{
    point p;
    ask(context, arguments[0], arguments[1], arguments[2], order, &p);
    out[0] = p.z;
    out[1] = p.slope_x;
    out[2] = p.slope_y;
    out[3] = p.mu;
    if (order < 1) return;
    const double first[12] = {p.zx, p.zy, 0.0, p.zxx, p.zxy, 0.0, p.zxy, p.zyy, 0.0, p.mux, p.muy, 0.0};
    for (int k = 0; k < 12; ++k) out[4 + k] = first[k];
}
