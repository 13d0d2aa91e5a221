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

#include "jn_line.h"
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
    LI_MU_LEFT, LI_MU_RIGHT, LI_DZ_LEFT, LI_DZ_RIGHT, LI_BLEND, LI_END, LI_SIDE, LI_LEFT, LI_RIGHT, LI_TOL, LI_S0,
    LI_FEATURES
};
enum { SE_K = 0, SE_M, SE_S, SE_BUCKETS, SE_SCALE, SE_BUCKET, SE_POINTS, SE_MU, SE_MU_STEPS };
enum {
    GR_NU = OWN, GR_NV, GR_U0, GR_DU, GR_V0, GR_DV, GR_V, GR_Z, GR_SINGLE, GR_REFZ, GR_BANK, GR_BANK0, GR_STRAIGHT,
    GR_XY, GR_CLOSED, GR_INDEX, GR_MODE_U = GR_INDEX + IX_SIZE, GR_MODE_V, GR_OFFSET_U, GR_OFFSET_V, GR_SMOOTH0,
    GR_SMOOTH1, GR_MU, GR_MU0, GR_TX0, GR_TY0, GR_TX1, GR_TY1, GR_CUBIC, GR_TOL, GR_KAPPA
};
enum {
    ME_N = OWN, ME_TRI, ME_MU, ME_X, ME_Y, ME_INV, ME_NX, ME_NY, ME_TILES, ME_LEAVES, ME_MORE, ME_HOLD, ME_NEAREST,
    ME_TOL
};
enum { ME_TRIANGLE = 10, ME_RECORD = 8, ME_INLINE = 7 }; /* numbers of a triangle and of a leaf; see c_build */
enum { EX_CALL = OWN, EX_CONTEXT };
enum {
    EN_CHILD = OWN, EN_MODE, EN_TX, EN_TY, EN_FOLLOW, EN_LENGTH, EN_WIDTH, EN_N, EN_NW, EN_A, EN_B, EN_P, EN_WAY,
    EN_FIRST, EN_LAST, EN_DROP, EN_WEIGHT
};
enum { EN_MOST = 1024, EN_WIDE = 64 }; /* samples along and across a patch; road/envelope.py has the same numbers */
enum { CU_TYPE = 0, CU_N, CU_S0, CU_DS, CU_S1, CU_BORDER, CU_DATA, CU_KNOTS, CU_BUCKETS, CU_SCALE, CU_BUCKET };
enum { CURVE_PIECES = 0, CURVE_LINEAR, CURVE_CUBIC };
enum { PIECE = 7 }; /* numbers of a piece: its type and six coefficients */
enum { NONE = 0, ZERO, KEEP, REPEAT, REFLECT, EXTRAPOLATE }; /* border modes */
enum { SIDE_NONE = 0, SIDE_HOLD = 2, SIDE_WIDEN = 5 };

#define AT(type, base, offset) ((const type *)((base) + (int64_t)(offset)))

#if defined(__GNUC__) || defined(__clang__)
#define JN_PREFETCH(address) __builtin_prefetch(address)
#else
#define JN_PREFETCH(address) ((void)(address))
#endif

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
    if (n_buckets > 0.0) { /* the knots are not at equal distances */
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
        int64_t i;
        double d;
        if (c[CU_DS] > 0.0) { /* knots at equal distances: no need to look at them */
            i = (int64_t)clamp((s - c[CU_S0])*c[CU_SCALE], 0.0, c[CU_N] - 1.0);
            d = s - (c[CU_S0] + c[CU_DS]*(double)i);
        } else {
            const double *knots = AT(double, base, c[CU_KNOTS]);
            i = find(knots, (int64_t)c[CU_N], AT(int32_t, base, c[CU_BUCKET]), c[CU_BUCKETS], c[CU_SCALE], s);
            d = s - knots[i];
        }
        const double *p = data + PIECE*i;
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

/* Asks for the numbers of a curve about s early, so that several curves do not wait for each other. */
static inline void fetch(const char *base, double offset, double s)
{
    if (offset == 0.0) return;
    const double *c = AT(double, base, offset), *data = AT(double, base, c[CU_DATA]);
    if (!(c[CU_DS] > 0.0) || !(s >= c[CU_S0] && s <= c[CU_S1])) return;
    if (c[CU_TYPE] == CURVE_PIECES) {
        const double *p = data + PIECE*(int64_t)clamp((s - c[CU_S0])*c[CU_SCALE], 0.0, c[CU_N] - 1.0);
        JN_PREFETCH(p);
        JN_PREFETCH(p + PIECE - 1);
    } else {
        JN_PREFETCH(data + (int64_t)clamp((s - c[CU_S0])/c[CU_DS], 0.0, c[CU_N] - 1.0));
    }
}

/* Parts of a line near a point: a record (number of parts, first and last node, whether it has one foot), or with
 * several parts (their number, -, -, place of their records).
 * The plan is covered by tiles of 16 by 16 cells; far from the line a whole tile has one record. */
static const int32_t *line_parts(const char *base, const double *index, double x, double y)
{
    const int64_t a = (int64_t)clamp((x - index[IX_X])*index[IX_INV], 0.0, index[IX_NX] - 1.0);
    const int64_t b = (int64_t)clamp((y - index[IX_Y])*index[IX_INV], 0.0, index[IX_NY] - 1.0);
    const int32_t tile = AT(int32_t, base, index[IX_START])[(b >> 4)*((int64_t)index[IX_NX] >> 4) + (a >> 4)];
    const int64_t k = tile < 0 ? ~(int64_t)tile : (int64_t)tile + ((b & 15) << 4) + (a & 15);
    return AT(int32_t, base, index[IX_ITEMS]) + 4*k;
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
enum { SCAN = 24 };  /* places of a part of a line that are looked at */
enum { FAR = 64 };   /* nodes that a jump goes at most */

static int64_t on_line(int64_t i, int64_t n, int closed)
{
    if (closed) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
}

static inline double ahead(const double *p, double x, double y) { return (x - p[0])*p[2] + (y - p[1])*p[3]; }

static const int fetched[] = {LI_Z, LI_LEFT, LI_RIGHT, LI_BANK, LI_MU_LEFT, LI_DZ_LEFT, LI_DZ_RIGHT};

/* The foot of a point on the line between nodes i0 and i1 (i1 >= i0; closed lines count on beyond their end). */
static void line_foot(const char *base, const double *node, const double *nodes, const int32_t part[4], double x,
                      double y, foot *out)
{
    const int64_t n = (int64_t)node[LI_N];
    const int closed = node[LI_CLOSED] != 0.0;
    const double ds = node[LI_DS];
    int64_t low = part[1], high = part[2];
    out->beyond = 0;
    if (part[3]) { /* a jump from its middle to where the foot should be */
        for (int64_t i = low; i <= high; i += 2) JN_PREFETCH(nodes + LN*on_line(i, n, closed));
        const int64_t middle = (low + high)/2;
        const double *p = nodes + LN*on_line(middle, n, closed);
        const double left = (y - p[1])*p[2] - (x - p[0])*p[3], way = ahead(p, x, y)/(ds*jn_max(1.0 - p[4]*left, 0.2));
        low = middle + whole(clamp(way, -FAR, FAR));
        if (!closed) low = low < 0 ? 0 : low > n - 2 ? n - 2 : low;
        high = low + 1;
    } else if (high - low > 2) {
        /* around a sharp bend the part may hold several feet: narrow it to the surroundings of its nearest node */
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
    {
        const double s = ((double)on_line(low, n, closed) + 0.5)*ds + node[LI_S0];
        for (int k = 0; k < 7; ++k) fetch(base, node[fetched[k]], s);
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
    jn_stretch c;
    jn_stretch_between(a, b, ds, &c);
    const double *cx = c.x, *cy = c.y;
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

/* F(s, n) with F_s, F_n, F_ss, F_sn, F_nn, and friction with its derivatives. */
typedef struct {
    double f, fs, fn, fss, fsn, fnn, mu, mu_s, mu_n;
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

static void add_line_features(const char *base, const double *node, double s, double n, point *out);

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
    if (node[LI_FEATURES] != 0.0) {
        point p;
        memset(&p, 0, sizeof p);
        p.mu = out->mu;
        p.mux = out->mu_s;
        add_line_features(base, node, s, n, &p);
        out->f += p.z;
        out->fs += p.zx;
        out->fn += p.zy;
        out->fss += p.zxx;
        out->fsn += p.zxy;
        out->fnn += p.zyy;
        out->mu = p.mu;
        out->mu_s = p.mux;
        out->mu_n = p.muy;
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
    out->mux = f.mu_s*gs[0] + f.mu_n*m[0];
    out->muy = f.mu_s*gs[1] + f.mu_n*m[1];
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
    const int32_t *part = line_parts(base, index, x, y);
    const int32_t n_parts = part[0];
    foot p;
    double best = INFINITY;
    if (n_parts > 1) part = AT(int32_t, base, index[IX_ITEMS]) + 4*(int64_t)part[3];
    for (int32_t k = 0; k < n_parts; ++k, part += 4) {
        line_foot(base, node, nodes, part, x, y, &p);
        if (k == 0) {
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

static void grid_foot(const double *node, const double *xy, const int32_t part[4], double x, double y, curved *out)
{
    const int64_t n = (int64_t)node[GR_NU];
    const int closed = node[GR_CLOSED] != 0.0;
    int64_t low = part[1], high = part[2];
    if (part[3]) { /* a jump from its middle to where the foot should be */
        const int64_t middle = (low + high)/2;
        double d[2];
        chord(xy, middle, n, closed, d);
        const double *p = xy + 2*grid_node(middle, n, closed);
        const double way = 2.0*((x - p[0])*d[0] + (y - p[1])*d[1])/jn_max(d[0]*d[0] + d[1]*d[1], 1e-12);
        low = middle + whole(clamp(way, -FAR, FAR));
        if (!closed) low = low < 0 ? 0 : low > n - 2 ? n - 2 : low;
        high = low + 1;
    } else if (high - low > 2) {
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
    if (node[GR_KAPPA] != 0.0 && mode_u < 0 && u == u) { /* beyond its ends the line goes on straight */
        const double *kappa = AT(double, base, node[GR_KAPPA]), at = (u - u0)/du;
        const int64_t k = (int64_t)clamp(at, 0.0, (double)(nu - 2));
        out->kappa = kappa[k] + (at - (double)k)*(kappa[k + 1] - kappa[k]);
    }
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
    if (mode_u == ZERO || (mode_v == ZERO && mode_u != KEEP)) z = zu = zv = zuu = zuv = zvv = 0.0;
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
    const int32_t *part = line_parts(base, index, x, y);
    const int32_t n_parts = part[0];
    double best = INFINITY;
    if (n_parts > 1) part = AT(int32_t, base, index[IX_ITEMS]) + 4*(int64_t)part[3];
    for (int32_t k = 0; k < n_parts; ++k, part += 4) {
        grid_foot(node, xy, part, x, y, &c);
        if (k == 0) {
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
static double nearest_on_triangle(const double *p, double x, double y, double *nx, double *ny)
{
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double *a = p + 3*k, *b = p + 3*((k + 1)%3), ex = b[0] - a[0], ey = b[1] - a[1], l2 = ex*ex + ey*ey;
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

static void mesh_take(const char *base, const double *node, const double *triangle, double z, double zx, double zy,
                      point *out)
{
    int32_t kind[2]; /* places of friction and material */
    memcpy(kind, triangle + 9, sizeof kind);
    out->z = z;
    out->zx = zx;
    out->zy = zy;
    out->mu = AT(double, base, node[ME_MU])[kind[0]];
    out->material = kind[1];
}

/* The places of the triangles of a leaf. */
static inline const int32_t *leaf_items(const char *base, const double *node, const int32_t *leaf)
{
    return leaf[0] <= ME_INLINE ? leaf + 1 : AT(int32_t, base, node[ME_MORE]) + leaf[1];
}

static inline int64_t mesh_row(double q, double n) { return (int64_t)clamp(q, 0.0, n - 1.0); }

typedef struct {
    double best, x, y; /* squared distance, nearest point */
    const double *triangle;
} nearest;

static void mesh_leaf_nearest(const char *base, const double *node, const int32_t *leaf, double x, double y,
                              nearest *out)
{
    const double *tri = AT(double, base, node[ME_TRI]);
    const int32_t *item = leaf_items(base, node, leaf);
    for (int32_t m = 0; m < leaf[0]; ++m) {
        const double *p = tri + ME_TRIANGLE*(int64_t)item[m];
        double qx = x, qy = y;
        const double d = nearest_on_triangle(p, x, y, &qx, &qy);
        if (d < out->best || out->triangle == NULL) *out = (nearest){d, qx, qy, p};
    }
}

/* Leaves of the tile (i, j) and its neighbours that are nearer than out->best: with `only` the nearest of them is
 * returned, else their triangles are looked at. */
static const int32_t *mesh_around(const char *base, const double *node, int64_t i, int64_t j, double x, double y,
                                  int only, nearest *out)
{
    const int32_t *tiles = AT(int32_t, base, node[ME_TILES]), *records = AT(int32_t, base, node[ME_LEAVES]);
    const int64_t nx = (int64_t)node[ME_NX], ny = (int64_t)node[ME_NY];
    const double size = 1.0/node[ME_INV];
    const int32_t *found = NULL;
    double least = only ? INFINITY : out->best;
    for (int64_t b = j > 0 ? j - 1 : 0; b <= j + 1 && b < ny; ++b)
        for (int64_t a = i > 0 ? i - 1 : 0; a <= i + 1 && a < nx; ++a) {
            const int32_t *tile = tiles + 2*(b*nx + a);
            const int r = tile[1];
            if (r == 0) continue;
            const int32_t *head = records + ME_RECORD*(int64_t)tile[0];
            const int32_t *leaves = head + ME_RECORD*(int64_t)((r + ME_RECORD - 1)/ME_RECORD);
            const double leaf = size/r;
            const double px = (x - node[ME_X] - size*(double)a)/leaf, py = (y - node[ME_Y] - size*(double)b)/leaf;
            for (int q = 0; q < r; ++q) {
                uint32_t bits;
                memcpy(&bits, head + q, sizeof bits);
                const double dy = leaf*(py < q ? q - py : py > q + 1 ? py - (q + 1) : 0.0);
                if (bits == 0 || !(dy*dy < least)) continue;
                for (int p = 0; p < r; ++p) {
                    if (!(bits >> p & 1u)) continue;
                    const double dx = leaf*(px < p ? p - px : px > p + 1 ? px - (p + 1) : 0.0), d = dx*dx + dy*dy;
                    if (!(d < least)) continue;
                    const int32_t *own = leaves + ME_RECORD*(int64_t)(q*r + p);
                    if (only) {
                        least = d;
                        found = own;
                    } else {
                        mesh_leaf_nearest(base, node, own, x, y, out);
                        least = out->best;
                    }
                }
            }
        }
    return found;
}

/* Beside the triangles: the height of the nearest one is held. It is searched in the tiles around the point, or around
 * the nearest tile that holds triangles. */
static void mesh_hold(const char *base, const double *node, double x, double y, point *out)
{
    const int64_t nx = (int64_t)node[ME_NX];
    int64_t i = mesh_row((x - node[ME_X])*node[ME_INV], node[ME_NX]);
    int64_t j = mesh_row((y - node[ME_Y])*node[ME_INV], node[ME_NY]);
    nearest n = {INFINITY, x, y, NULL};
    const int32_t *leaf = mesh_around(base, node, i, j, x, y, 1, &n);
    if (leaf == NULL) {
        const int32_t tile = AT(int32_t, base, node[ME_NEAREST])[j*nx + i];
        i = tile%nx;
        j = tile/nx;
        leaf = mesh_around(base, node, i, j, x, y, 1, &n);
    }
    mesh_leaf_nearest(base, node, leaf, x, y, &n);
    mesh_around(base, node, i, j, x, y, 0, &n);
    const double *a = n.triangle, *b = a + 3, *d = a + 6;
    const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    const double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2], det = bx*dy - by*dx;
    const double gx = det != 0.0 ? (bz*dy - by*dz)/det : 0.0, gy = det != 0.0 ? (bx*dz - bz*dx)/det : 0.0;
    /* the height stays along the way out and follows the edge beside it */
    const double ox = x - n.x, oy = y - n.y, l2 = ox*ox + oy*oy, out_slope = l2 > 0.0 ? (gx*ox + gy*oy)/l2 : 0.0;
    mesh_take(base, node, a, a[2] + gx*(n.x - a[0]) + gy*(n.y - a[1]), gx - out_slope*ox, gy - out_slope*oy, out);
    out->flags |= JN_ROAD_OFF;
}

static void mesh(const char *base, const double *node, double x, double y, double z, point *out)
{
    const double i = (x - node[ME_X])*node[ME_INV], j = (y - node[ME_Y])*node[ME_INV];
    int found = 0;
    if (i >= 0.0 && j >= 0.0 && i < node[ME_NX] && j < node[ME_NY]) {
        const int64_t a = (int64_t)i, b = (int64_t)j;
        const int32_t *tile = AT(int32_t, base, node[ME_TILES]) + 2*(b*(int64_t)node[ME_NX] + a);
        const int64_t r = tile[1];
        if (r > 0) {
            const int64_t p = mesh_row((i - (double)a)*(double)r, (double)r);
            const int64_t q = mesh_row((j - (double)b)*(double)r, (double)r);
            const int32_t *leaf = AT(int32_t, base, node[ME_LEAVES])
                                  + ME_RECORD*((int64_t)tile[0] + (r + ME_RECORD - 1)/ME_RECORD + q*r + p);
            const double *tri = AT(double, base, node[ME_TRI]), limit = z == z ? z + node[ME_TOL] : INFINITY;
            const int32_t n = leaf[0], *item = leaf_items(base, node, leaf);
            for (int32_t m = 0; m < n; ++m) { /* all at once: they do not wait for each other */
                const double *t = tri + ME_TRIANGLE*(int64_t)item[m];
                JN_PREFETCH(t);
                JN_PREFETCH(t + ME_TRIANGLE - 1);
            }
            for (int32_t m = 0; m < n; ++m) {
                const double *t = tri + ME_TRIANGLE*(int64_t)item[m], *c = t + 3, *d = t + 6;
                const double bx = c[0] - t[0], by = c[1] - t[1], dx = d[0] - t[0], dy = d[1] - t[1];
                const double det = bx*dy - by*dx, px = x - t[0], py = y - t[1];
                const double u = (px*dy - py*dx)/det, v = (bx*py - by*px)/det;
                if (!(u >= -1e-9 && v >= -1e-9 && u + v <= 1.0 + 1e-9)) continue; /* also a triangle on edge: nan */
                const double bz = c[2] - t[2], dz = d[2] - t[2], h = t[2] + u*bz + v*dz;
                if (found) {
                    const int under = h <= limit, was = out->z <= limit;
                    if (under != was ? was : under ? h <= out->z : h >= out->z) continue;
                }
                found = 1;
                mesh_take(base, node, t, h, (bz*dy - by*dz)/det, (bx*dz - bz*dx)/det, out);
            }
        }
    }
    if (found) return;
    if (node[ME_HOLD] == 0.0) no_ground(out);
    else mesh_hold(base, node, x, y, out);
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

/* Features of a line: bumps and patches in the plane of station and offset, so that they are on no other part of a road
 * that bends back or crosses itself. Their node is that of a sum without base, their index goes by station alone. */
static int32_t line_features(const char *base, const double *node, double s, const int32_t **items)
{
    const double *index = AT(double, base, node[LI_FEATURES]) + SU_INDEX;
    const int32_t *start = AT(int32_t, base, index[IX_START]);
    int inside;
    const int64_t c = cell(index, s, index[IX_Y], &inside);
    *items = AT(int32_t, base, index[IX_ITEMS]) + start[c];
    return inside ? start[c + 1] - start[c] : 0;
}

static void add_line_features(const char *base, const double *node, double s, double n, point *out)
{
    const double *nodes = AT(double, base, AT(double, base, node[LI_FEATURES])[SU_NODES]);
    const int32_t *item;
    const int32_t count = line_features(base, node, s, &item);
    for (int32_t k = 0; k < count; ++k) add_feature(base, AT(double, base, nodes[item[k]]), s, n, NAN, 0, out);
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

/* --- heights along a straight line ------------------------------------------------------------------------------- */

/* A line of samples in plan: (x + o tx, y + o ty) for ascending offsets o. */
typedef struct {
    double x, y, tx, ty;
    const double *o;
    int n;
} samples;

static void sample_each(const char *base, const double *node, const samples *at, double z, int depth, double *h,
                        double *mu, int *ground)
{
    for (int k = 0; k < at->n; ++k) {
        point p;
        evaluate(base, node, at->x + at->o[k]*at->tx, at->y + at->o[k]*at->ty, z, depth, &p);
        h[k] = p.z;
        mu[k] = p.mu;
        if (p.flags & JN_ROAD_NO_GROUND) *ground = 0;
    }
}

/* Parabola through three values at the ends and the middle offset: value(o) = c[0] + c[1] o + c[2] o^2. */
static void through(const samples *at, const double v[3], double c[3])
{
    const double a = at->o[0], b = at->o[at->n/2], d = at->o[at->n - 1];
    const double first = (v[1] - v[0])/(b - a), second = ((v[2] - v[1])/(d - b) - first)/(d - a);
    c[2] = second;
    c[1] = first - second*(a + b);
    c[0] = v[0] - a*(c[1] + a*c[2]);
}

/* Whether three stations are those of one smooth piece of a line under the samples. */
static int one_piece(const samples *at, const double s[3])
{
    const double length = at->o[at->n - 1] - at->o[0], part = (at->o[at->n/2] - at->o[0])/length;
    return fabs(s[2] - s[0]) < 1.5*length && fabs(s[1] - s[0] - part*(s[2] - s[0])) < 0.05*length;
}

/* A curve over a short range of its argument: what there is to do per value. */
typedef struct {
    const char *base;
    double offset, origin;
    const double *p; /* coefficients, or samples */
    enum { IS_ZERO, IS_CONSTANT, IS_POLYNOMIAL, IS_SAMPLES, IS_ANY } kind;
} local_curve;

static local_curve local(const char *base, double offset, double low, double high)
{
    local_curve out = {base, offset, 0.0, NULL, offset == 0.0 ? IS_ZERO : IS_ANY};
    if (offset == 0.0) return out;
    const double *c = AT(double, base, offset), *data = AT(double, base, c[CU_DATA]);
    const int border = (int)c[CU_BORDER];
    if ((border == NONE || border == ZERO) && (high < c[CU_S0] || low > c[CU_S1])) {
        out.kind = IS_ZERO;
    } else if (c[CU_TYPE] == CURVE_PIECES && c[CU_N] == 1.0 && border == KEEP && data[0] == 0.0 && data[2] == 0.0
               && data[3] == 0.0 && data[4] == 0.0 && data[5] == 0.0 && data[6] == 0.0) {
        out.kind = IS_CONSTANT;
        out.p = data;
    } else if (low >= c[CU_S0] && high <= c[CU_S1] && c[CU_TYPE] == CURVE_PIECES && c[CU_DS] > 0.0) {
        const int64_t i = (int64_t)clamp((low - c[CU_S0])*c[CU_SCALE], 0.0, c[CU_N] - 1.0);
        const int64_t j = (int64_t)clamp((high - c[CU_S0])*c[CU_SCALE], 0.0, c[CU_N] - 1.0);
        if (i == j && data[PIECE*i] == 0.0) {
            out.kind = IS_POLYNOMIAL;
            out.p = data + PIECE*i;
            out.origin = c[CU_S0] + c[CU_DS]*(double)i;
        }
    } else if (c[CU_TYPE] == CURVE_CUBIC && low >= c[CU_S0] + c[CU_DS] && high <= c[CU_S1] - 2.0*c[CU_DS]) {
        out.kind = IS_SAMPLES;
        out.p = data;
    }
    return out;
}

static void local_values(const local_curve *a, int n, const double *s, double *out)
{
    const double *p = a->p, *c = AT(double, a->base, a->offset);
    switch (a->kind) {
    case IS_ZERO:
        for (int k = 0; k < n; ++k) out[k] = 0.0;
        break;
    case IS_CONSTANT:
        for (int k = 0; k < n; ++k) out[k] = p[1];
        break;
    case IS_POLYNOMIAL:
        for (int k = 0; k < n; ++k) {
            const double d = s[k] - a->origin;
            out[k] = p[1] + d*(p[2] + d*(p[3] + d*(p[4] + d*(p[5] + d*p[6]))));
        }
        break;
    case IS_SAMPLES: {
        const double scale = 1.0/c[CU_DS], last = c[CU_N] - 3.0;
        for (int k = 0; k < n; ++k) {
            double q = (s[k] - c[CU_S0])*scale;
            const int64_t i = (int64_t)clamp(q, 1.0, last);
            q -= (double)i;
            const double *v = p + i, m0 = 0.5*(v[1] - v[-1]), m1 = 0.5*(v[2] - v[0]);
            out[k] = v[0] + q*(m0 + q*(3.0*(v[1] - v[0]) - 2.0*m0 - m1 + q*(2.0*(v[0] - v[1]) + m0 + m1)));
        }
        break;
    }
    default:
        for (int k = 0; k < n; ++k) {
            double f[3];
            curve(a->base, a->offset, s[k], f);
            out[k] = f[0];
        }
    }
}

/* Height of a cross-section as section() has it, without derivatives. *i is the stretch of stations tried first.
 * Returns 0 without ground. */
static int section_value(const char *base, const double *c, double s, double n, int side, int64_t *i, double *h,
                         double *mu, double *held)
{
    const double *stations = AT(double, base, c[SE_S]), *points = AT(double, base, c[SE_POINTS]);
    const int64_t k_points = (int64_t)c[SE_K], m = (int64_t)c[SE_M];
    double q = 0.0;
    int64_t j = 0;
    if (m > 1) {
        const double at = clamp(s, stations[0], stations[m - 1]);
        if (!(at >= stations[*i] && at < stations[*i + 1]))
            *i = find(stations, m - 1, AT(int32_t, base, c[SE_BUCKET]), c[SE_BUCKETS], c[SE_SCALE], at);
        j = *i + 1;
        q = (at - stations[*i])/(stations[j] - stations[*i]);
    }
    const double *a = points + 2*k_points*(*i), *b = points + 2*k_points*j;
    int64_t low = 0, high = k_points - 1;
    const double right = a[0] + q*(b[0] - a[0]), left = a[2*high] + q*(b[2*high] - a[2*high]);
    if (n < right || n > left) {
        if (side == SIDE_NONE) return 0;
        const int64_t k = n < right ? 0 : high;
        if (side == SIDE_HOLD) *held = n < right ? right : left;
        *h += a[2*k + 1] + q*(b[2*k + 1] - a[2*k + 1]);
        low = k ? k_points - 2 : 0;
    } else {
        double u0 = right, u1 = left;
        while (high - low > 1) {
            const int64_t middle = (low + high)/2;
            const double u = a[2*middle] + q*(b[2*middle] - a[2*middle]);
            if (n < u) high = middle, u1 = u; else low = middle, u0 = u;
        }
        const double v0 = a[2*low + 1] + q*(b[2*low + 1] - a[2*low + 1]);
        const double v1 = a[2*high + 1] + q*(b[2*high + 1] - a[2*high + 1]);
        *h += u1 > u0 ? v0 + (n - u0)/(u1 - u0)*(v1 - v0) : v0;
    }
    if (c[SE_MU] != 0.0) {
        const double *strip = AT(double, base, c[SE_MU]);
        const double first = strip[(k_points - 1)*(*i) + low], last = strip[(k_points - 1)*j + low];
        if (first == first) *mu = c[SE_MU_STEPS] != 0.0 ? *mu*first : first + q*(last - first);
    }
    return 1;
}

/* The height of a bump alone, as profile has it. */
static double bump_height(const char *base, const double *node, double x, double y)
{
    const double dx = x - node[X0], dy = y - node[Y0];
    double f[3], w[3] = {1.0, 0.0, 0.0};
    curve(base, node[PR_U], node[COS]*dx + node[SIN]*dy, f);
    if (f[0] != 0.0 && node[PR_V] != 0.0) curve(base, node[PR_V], node[COS]*dy - node[SIN]*dx, w);
    return node[Z0] + node[Z_SCALE]*f[0]*w[0];
}

/* Heights of a road along a line at stations and offsets, as line_surface has them. Returns 0 without ground. */
static int line_heights(const char *base, const double *node, int n, double *s, const double *side, double *h,
                        double *mu)
{
    double low = INFINITY, high = -INFINITY, held[EN_MOST], more[EN_MOST], other[EN_MOST];
    int lefts = 0;
    for (int k = 0; k < n; ++k) {
        s[k] += node[LI_S0];
        if (s[k] < low) low = s[k];
        if (s[k] > high) high = s[k];
        held[k] = side[k];
        lefts += side[k] >= 0.0;
    }
#define VALUES(which, out) \
    do { \
        const local_curve c_ = local(base, node[which], low, high); \
        local_values(&c_, n, s, out); \
    } while (0)
    VALUES(LI_Z, h);
    for (int k = 0; k < n; ++k) mu[k] = 1.0;
    if (lefts && node[LI_MU_LEFT] != 0.0) VALUES(LI_MU_LEFT, mu);
    if (lefts < n && (lefts == 0 || node[LI_MU_RIGHT] != node[LI_MU_LEFT])) {
        for (int k = 0; k < n; ++k) more[k] = 1.0;
        if (node[LI_MU_RIGHT] != 0.0) VALUES(LI_MU_RIGHT, more);
        for (int k = 0; k < n; ++k)
            if (!(side[k] >= 0.0)) mu[k] = more[k];
    }
    const int beside_it = (int)node[LI_SIDE];
    if (node[LI_SECTION] != 0.0) {
        int64_t stretch = 0;
        for (int k = 0; k < n; ++k)
            if (!section_value(base, AT(double, base, node[LI_SECTION]), s[k], side[k], beside_it, &stretch, h + k,
                               mu + k, held + k))
                return 0;
    } else if (beside_it != SIDE_WIDEN) {
        VALUES(LI_LEFT, more);
        VALUES(LI_RIGHT, other);
        for (int k = 0; k < n; ++k) {
            if (side[k] <= more[k] && side[k] >= -other[k]) continue;
            if (beside_it == SIDE_NONE) return 0;
            held[k] = side[k] > more[k] ? more[k] : -other[k];
        }
    }
    if (node[LI_BANK] != 0.0) {
        VALUES(LI_BANK, more);
        for (int k = 0; k < n; ++k) h[k] += held[k]*more[k];
    }
    if (node[LI_DZ_LEFT] != 0.0 || node[LI_DZ_RIGHT] != 0.0) {
        const double half = node[LI_BLEND];
        double w[EN_MOST];
        int any_left = 0, any_right = 0;
        for (int k = 0; k < n; ++k) {
            w[k] = side[k] >= 0.0;
            if (half > 0.0 && fabs(side[k]) < half) {
                const double q = 0.5*(side[k]/half + 1.0);
                w[k] = q*q*(3.0 - 2.0*q);
            }
            any_left |= w[k] > 0.0;
            any_right |= w[k] < 1.0;
        }
        if (any_left) {
            VALUES(LI_DZ_LEFT, more);
            for (int k = 0; k < n; ++k) h[k] += w[k]*more[k];
        }
        if (any_right) {
            VALUES(LI_DZ_RIGHT, more);
            for (int k = 0; k < n; ++k) h[k] += (1.0 - w[k])*more[k];
        }
    }
#undef VALUES
    if (node[LI_FEATURES] != 0.0) {
        const double *nodes = AT(double, base, AT(double, base, node[LI_FEATURES])[SU_NODES]);
        point p;
        blank(&p);
        for (int k = 0; k < n; ++k) {
            const int32_t *item;
            const int32_t count = line_features(base, node, s[k], &item);
            for (int32_t m = 0; m < count; ++m) {
                const double *feature = AT(double, base, nodes[item[m]]);
                if (feature[KIND] == PROFILE && feature[PR_RADIAL] == 0.0) {
                    h[k] += bump_height(base, feature, s[k], side[k]);
                    mu[k] *= feature[MU_SCALE];
                    continue;
                }
                p.z = h[k];
                p.mu = mu[k];
                add_feature(base, feature, s[k], side[k], NAN, 0, &p);
                h[k] = p.z;
                mu[k] = p.mu;
            }
        }
    }
    return 1;
}

/* Height and friction of a bilinear grid in its inside; returns 0 when it is another or the point is elsewhere. */
static int grid_height(const char *base, const double *node, double u, double v, double *h, double *mu)
{
    const int64_t nu = (int64_t)node[GR_NU], nv = (int64_t)node[GR_NV];
    const double p = (u - node[GR_U0])/node[GR_DU], q = (v - node[GR_V0])/node[GR_DV];
    if (!(p >= 0.0 && q >= 0.0 && p <= (double)(nu - 1) && q <= (double)(nv - 1)) || node[GR_CUBIC] != 0.0
        || node[GR_SMOOTH0] > 0.0 || node[GR_SMOOTH1] > 0.0 || node[GR_MU] != 0.0)
        return 0;
    const int64_t i = p >= (double)(nu - 1) ? nu - 2 : (int64_t)p, j = q >= (double)(nv - 1) ? nv - 2 : (int64_t)q;
    const double a = p - (double)i, b = q - (double)j;
    const void *data = base + (int64_t)node[GR_Z];
    const int single = node[GR_SINGLE] != 0.0;
    const double z00 = height(data, single, i*nv + j), z10 = height(data, single, (i + 1)*nv + j);
    const double z01 = height(data, single, i*nv + j + 1), z11 = height(data, single, (i + 1)*nv + j + 1);
    double z = z00 + a*(z10 - z00) + b*(z01 - z00) + a*b*(z11 - z10 - z01 + z00), bank = node[GR_BANK0];
    if (node[GR_REFZ] != 0.0) {
        const double *r = AT(double, base, node[GR_REFZ]);
        z += r[i] + a*(r[i + 1] - r[i]);
    }
    if (node[GR_BANK] != 0.0) {
        const double *r = AT(double, base, node[GR_BANK]);
        bank = r[i] + a*(r[i + 1] - r[i]);
    }
    *h = z + bank*v;
    *mu = node[GR_MU0];
    return z == z;
}

/* Whether no sample can meet a bump or a patch of other friction. */
static int misses(const char *base, const double *node, const samples *at)
{
    const double a = at->o[0], b = at->o[at->n - 1], c = node[COS], s = node[SIN];
    const double xa = at->x + a*at->tx - node[X0], ya = at->y + a*at->ty - node[Y0];
    const double xb = at->x + b*at->tx - node[X0], yb = at->y + b*at->ty - node[Y0];
    const double u[2] = {c*xa + s*ya, c*xb + s*yb}, v[2] = {c*ya - s*xa, c*yb - s*xb};
    const double u0 = u[0] < u[1] ? u[0] : u[1], u1 = u[0] < u[1] ? u[1] : u[0];
    const double v0 = v[0] < v[1] ? v[0] : v[1], v1 = v[0] < v[1] ? v[1] : v[0];
    if (node[KIND] == PROFILE && node[PR_RADIAL] == 0.0 && node[Z0] == 0.0 && node[MU_SCALE] == 1.0) {
        const double *e = AT(double, base, node[PR_U]), *w = node[PR_V] != 0.0 ? AT(double, base, node[PR_V]) : NULL;
        if (e[CU_BORDER] == ZERO && (u1 < e[CU_S0] || u0 > e[CU_S1])) return 1;
        return w && w[CU_BORDER] == ZERO && (v1 < w[CU_S0] || v0 > w[CU_S1]);
    }
    if (node[KIND] == REGION && node[RE_SHAPE] == 0.0) {
        const double edge = jn_max(node[RE_EDGE], 0.0), l = node[RE_A] + edge, m = node[RE_B] + edge;
        return u1 < -l || u0 > l || v1 < -m || v0 > m;
    }
    return 0;
}

/* Adds a bump or another feature to heights and frictions. */
static void along_feature(const char *base, const double *node, const samples *at, double z, int depth, double *h,
                          double *mu)
{
    if (misses(base, node, at)) return;
    const int bump = node[KIND] == PROFILE && node[PR_RADIAL] == 0.0;
    point p;
    blank(&p);
    for (int k = 0; k < at->n; ++k) {
        const double x = at->x + at->o[k]*at->tx, y = at->y + at->o[k]*at->ty;
        if (bump) {
            h[k] += bump_height(base, node, x, y);
            mu[k] *= node[MU_SCALE];
            continue;
        }
        p.z = h[k];
        p.mu = mu[k];
        add_feature(base, node, x, y, z, depth, &p);
        h[k] = p.z;
        mu[k] = p.mu;
    }
}

/* Heights and frictions of the samples; *ground becomes 0 when some of them have no ground. Along a line the stations
 * of three samples are found, those between follow: over a patch of a tire, far shorter than any bend of a road, a
 * parabola is right to o^3 kappa^2 < 0.1 mm. */
static void along_line(const char *base, const double *node, samples at, double z, int depth, double *h, double *mu,
                       int *ground)
{
    const double *const outer = node;
    const samples asked = at;
    const double outer_z = z;
    if (depth >= JN_ROAD_DEPTH) {
        *ground = 0;
        return;
    }
    const int plain = node[PLAIN] != 0.0;
    if (!plain) {
        const double dx = at.x - node[X0], dy = at.y - node[Y0], c = node[COS], s = node[SIN], tx = at.tx;
        at.x = c*dx + s*dy;
        at.y = c*dy - s*dx;
        at.tx = c*tx + s*at.ty;
        at.ty = c*at.ty - s*tx;
        z = (z - node[Z0])/node[Z_SCALE];
    }
    const int kind = (int)node[KIND], three[3] = {0, at.n/2, at.n - 1};
    int done = 0;
    if (kind == PLANE) {
        done = 1;
        for (int k = 0; k < at.n; ++k) {
            const double x = at.x + at.o[k]*at.tx, y = at.y + at.o[k]*at.ty;
            h[k] = node[PL_GX]*x + node[PL_GY]*y;
            mu[k] = node[PL_MU];
            if (fabs(x) > node[PL_HALF_X] || fabs(y) > node[PL_HALF_Y]) *ground = 0;
        }
    } else if (kind == SUM) {
        done = 1;
        along_line(base, AT(double, base, node[SU_BASE]), at, z, depth + 1, h, mu, ground);
        const double *nodes = AT(double, base, node[SU_NODES]), *index = node + SU_INDEX;
        const int32_t *all = AT(int32_t, base, node[SU_ALL]);
        for (int32_t j = 0; j < (int32_t)node[SU_N_ALL]; ++j)
            along_feature(base, AT(double, base, nodes[all[j]]), &at, z, depth + 1, h, mu);
        if (index[IX_NX] > 0.0) {
            const int32_t *start = AT(int32_t, base, index[IX_START]), *item = AT(int32_t, base, index[IX_ITEMS]);
            point p;
            blank(&p);
            for (int k = 0; k < at.n; ++k) {
                const double x = at.x + at.o[k]*at.tx, y = at.y + at.o[k]*at.ty;
                int inside;
                const int64_t c = cell(index, x, y, &inside);
                if (!inside || start[c] == start[c + 1]) continue;
                p.z = h[k];
                p.mu = mu[k];
                for (int32_t m = start[c]; m < start[c + 1]; ++m)
                    add_feature(base, AT(double, base, nodes[item[m]]), x, y, z, depth + 1, &p);
                h[k] = p.z;
                mu[k] = p.mu;
            }
        }
    } else if (at.n > 3 && kind == LINE) {
        const double *nodes = AT(double, base, node[LI_NODES]);
        double s[3], n[3], cs[3], cn[3];
        done = 1;
        for (int k = 0; k < 3; ++k) {
            const double o = at.o[three[k]], x = at.x + o*at.tx, y = at.y + o*at.ty;
            const int32_t *part = line_parts(base, node + LI_INDEX, x, y);
            foot p;
            if (part[0] != 1) {
                done = 0;
                break;
            }
            line_foot(base, node, nodes, part, x, y, &p);
            s[k] = p.s;
            n[k] = p.n;
            if (p.beyond || fabs(p.kappa) > 0.2) done = 0;
        }
        if (done && one_piece(&at, s)) {
            through(&at, s, cs);
            through(&at, n, cn);
            double station[EN_MOST], side[EN_MOST];
            for (int k = 0; k < at.n; ++k) {
                const double o = at.o[k];
                station[k] = cs[0] + o*(cs[1] + o*cs[2]);
                side[k] = cn[0] + o*(cn[1] + o*cn[2]);
            }
            if (!line_heights(base, node, at.n, station, side, h, mu)) *ground = 0;
        } else done = 0;
    } else if (at.n > 3 && kind == GRID) {
        const int even = node[GR_DV] > 0.0;
        curved c;
        point p;
        memset(&c, 0, sizeof c);
        done = 1;
        double u[3], v[3], cu[3], cv[3];
        for (int k = 0; k < 3 && done; ++k) {
            const double o = at.o[three[k]], x = at.x + o*at.tx, y = at.y + o*at.ty;
            if (node[GR_STRAIGHT] != 0.0) {
                along(node[GR_U0], 0.0, 0.0, 1.0, 0.0, x, y, &c);
            } else {
                const int32_t *part = line_parts(base, node + GR_INDEX, x, y);
                if (part[0] == 1) grid_foot(node, AT(double, base, node[GR_XY]), part, x, y, &c);
                else done = 0;
            }
            u[k] = c.u;
            v[k] = c.v;
        }
        if (done && one_piece(&at, u)) {
            through(&at, u, cu);
            through(&at, v, cv);
            for (int k = 0; k < at.n; ++k) {
                const double o = at.o[k];
                c.u = cu[0] + o*(cu[1] + o*cu[2]);
                c.v = cv[0] + o*(cv[1] + o*cv[2]);
                if (even && grid_height(base, node, c.u, c.v, h + k, mu + k)) continue;
                p.flags = 0;
                grid_at(base, node, &c, &p);
                h[k] = p.z;
                mu[k] = p.mu;
                if (p.flags & JN_ROAD_NO_GROUND) *ground = 0;
            }
        } else done = 0;
    }
    if (!done) {
        sample_each(base, outer, &asked, outer_z, depth, h, mu, ground);
    } else if (!plain) {
        for (int k = 0; k < at.n; ++k) {
            h[k] = node[Z0] + node[Z_SCALE]*h[k];
            mu[k] *= node[MU_SCALE];
        }
    }
}

/* --- enveloping contact ------------------------------------------------------------------------------------------ */

enum { PARTS = 3 }; /* numbers of a place that are averaged together */

/* A patch along (tx, ty) and what is asked of it. */
typedef struct {
    const char *base;
    const double *node, *child;
    double x, y, z, tx, ty;
} contact;

/* Numbers at a place o along or across a patch; returns 0 without ground. */
typedef int (*asked_at)(const contact *c, double b, double o, double v[PARTS]);

/* Averages over a length L with the weight w = 3/(2L) (1 - (2o/L)^2), which fades to its ends: what enters or leaves
 * changes neither the mean nor its slope suddenly.  Its derivative makes the slope of the mean the least-squares slope:
 * d/dx of integral w h = integral 12 o/L^3 h.  Between samples values are linear; where they bend more, a value in the
 * middle that is off the line by d adds a hat of this height over [m - e, m + e],
 *     d e 3/(2L) (1 - 4 (m^2 + e^2/6)/L^2) to the mean,   d e 12 m/L^3 to its slope                              (5)
 * and both halves follow until edges are found.  The last hat is taken by 4/3, as Simpson's rule has it. */
typedef struct {
    const contact *patch;
    asked_at ask;
    double b, length, tolerance, size[PARTS]; /* size: of a unit of each part, m */
    double mean[PARTS], slope;
} average;

enum { LEVELS = 12 };        /* of halving */
static const double BEND = 2e-4; /* second difference of samples that is looked into, m */
static const double STEEP = 0.5; /* slope between two places where an edge is suspected */

static int ask_track(const contact *c, double unused, double b, double v[PARTS]);

static double off_line(const average *a, const double d[PARTS])
{
    double most = 0.0;
    for (int i = 0; i < PARTS; ++i) {
        const double one = a->size[i]*fabs(d[i]);
        if (one > most) most = one;
    }
    return most;
}

/* Looks into [from, to]; `hat` is the height expected of the hat.  Returns 0 without ground. */
static int look_into(average *a, double from, const double *at_from, double to, const double *at_to, const double *hat,
                     int level)
{
    const double m = 0.5*(from + to), e = 0.5*(to - from), l2 = a->length*a->length;
    double here[PARTS], d[PARTS], wrong[PARTS], rise[2][PARTS], quarter[PARTS];
    if (!a->ask(a->patch, a->b, m, here)) return 0;
    for (int i = 0; i < PARTS; ++i) {
        d[i] = here[i] - 0.5*(at_from[i] + at_to[i]);
        wrong[i] = d[i] - hat[i];
        rise[0][i] = here[i] - at_from[i];
        rise[1][i] = at_to[i] - here[i];
        quarter[i] = 0.25*d[i];
    }
    const double weight = 1.5*e/a->length*(1.0 - 4.0*(m*m + e*e/6.0)/l2);
    const double size = off_line(a, d);
    const int coarse = a->ask == ask_track && level == 0; /* tracks are far apart */
    const int steep = coarse || (level < 2 && off_line(a, rise[0]) + off_line(a, rise[1]) > STEEP*2.0*e);
    const int last = level == LEVELS || (!steep && off_line(a, wrong)*1.5*e/a->length < a->tolerance);
    for (int i = 0; i < PARTS; ++i) a->mean[i] += d[i]*weight*(last ? 4.0/3.0 : 1.0);
    a->slope += d[0]*e*12.0*m/(l2*a->length)*(last ? 4.0/3.0 : 1.0);
    if (last) return 1;
    /* a side without any rise is the level one beside an edge */
    const int first = steep || off_line(a, rise[0]) > 0.05*size, second = steep || off_line(a, rise[1]) > 0.05*size;
    return (!first || look_into(a, from, at_from, m, here, quarter, level + 1))
           && (!second || look_into(a, m, here, to, at_to, quarter, level + 1));
}

static int bent(int n, const double *v, double limit)
{
    double most = 0.0;
    for (int k = 1; k + 1 < n; ++k) {
        const double d = fabs(v[k - 1] - 2.0*v[k] + v[k + 1]);
        most = d > most ? d : most;
    }
    return most > limit;
}

/* Adds to the average of samples what they do not show; v has a row of n per part. */
static int look_between(average *a, int n, const double *o, const double *const v[PARTS])
{
    double before[PARTS], after[PARTS] = {0.0, 0.0, 0.0};
    for (int k = 0; k + 1 < n; ++k) { /* an edge between two samples bends the line at both */
        int any = n == 2;
        double low[PARTS], high[PARTS], hat[PARTS];
        for (int i = 0; i < PARTS; ++i) {
            before[i] = after[i];
            if (k + 2 < n && v[i]) after[i] = v[i][k + 2] - 2.0*v[i][k + 1] + v[i][k];
        }
        const double *left = k ? before : after, *right = k + 2 < n ? after : before;
        for (int i = 0; i < PARTS; ++i) {
            low[i] = v[i] ? v[i][k] : 0.0;
            high[i] = v[i] ? v[i][k + 1] : 0.0;
            hat[i] = -(left[i] + right[i])/16.0;
        }
        any |= off_line(a, left) > BEND && off_line(a, right) > BEND;
        if (any && !look_into(a, o[k], low, o[k + 1], high, hat, 0)) return 0;
    }
    return 1;
}

static int ask_height(const contact *c, double b, double o, double v[PARTS])
{
    point p;
    evaluate(c->base, c->child, c->x - b*c->ty + o*c->tx, c->y + b*c->tx + o*c->ty, c->z, 0, &p);
    v[0] = p.z;
    v[1] = p.mu;
    v[2] = 0.0;
    return !(p.flags & JN_ROAD_NO_GROUND);
}

/* Mean height, slope and friction along the patch at an offset b to the left. */
static int ask_track(const contact *c, double unused, double b, double v[PARTS])
{
    (void)unused;
    const double *node = c->node, *way = AT(double, c->base, node[EN_WAY]);
    const int n = (int)node[EN_N];
    const double *weight = AT(double, c->base, node[EN_WEIGHT]), *tilt = weight + n;
    const samples at = {c->x - b*c->ty, c->y + b*c->tx, c->tx, c->ty, way, n};
    double h[EN_MOST], mu[EN_MOST];
    int ground = 1;
    along_line(c->base, c->child, at, c->z, 0, h, mu, &ground);
    if (!ground) return 0;
    average a = {c, ask_height, b, node[EN_LENGTH], 5e-6, {1.0, 0.01, 0.0}, {0.0, 0.0, 0.0}, 0.0};
    for (int k = 0; k < n; ++k) {
        a.mean[0] += weight[k]*h[k];
        a.mean[1] += weight[k]*mu[k];
        a.slope += tilt[k]*h[k];
    }
    const double *const rows[PARTS] = {h, mu, NULL};
    if ((n == 2 || bent(n, h, BEND) || bent(n, mu, BEND/0.01)) && !look_between(&a, n, way, rows)) return 0;
    v[0] = a.mean[0];
    v[1] = a.slope;
    v[2] = a.mean[1];
    return 1;
}

/* Mode 1, several points: means over length and width, whose slopes are those of the nearest plane (least squares). */
static int points_plane(const contact *c, double *height, double *slope, double *across, double *mu)
{
    const double *node = c->node;
    const int nw = (int)node[EN_NW];
    const double *weight = AT(double, c->base, node[EN_WEIGHT]) + 2*(int)node[EN_N], *tilt = weight + nw;
    double v[PARTS], rows[PARTS][EN_WIDE], b[EN_WIDE];
    average a = {c, ask_track, 0.0, node[EN_WIDTH], 2e-5, {1.0, 0.05, 0.01}, {0.0, 0.0, 0.0}, 0.0};
    for (int j = 0; j < nw; ++j) {
        b[j] = nw > 1 ? node[EN_WIDTH]*((double)j/(nw - 1) - 0.5) : 0.0;
        if (!ask_track(c, 0.0, b[j], v)) return 0;
        for (int i = 0; i < PARTS; ++i) {
            rows[i][j] = v[i];
            a.mean[i] += weight[j]*v[i];
        }
        a.slope += tilt[j]*v[0];
    }
    const double *const all[PARTS] = {rows[0], rows[1], rows[2]};
    if (nw > 1 && !look_between(&a, nw, b, all)) return 0;
    *height = a.mean[0];
    *slope = a.mean[1];
    if (nw > 1) *across = a.slope;
    *mu = a.mean[2];
    return 1;
}

/* Drop of a cam |x/a|^p + |z/b|^p = 1 below its lowest point at a distance; *slope becomes its derivative. */
static double cam_drop(const double *node, double d, double *slope)
{
    const double r = fabs(d)/node[EN_A], p = node[EN_P];
    if (!(r < 1.0)) {
        *slope = 0.0;
        return INFINITY;
    }
    if (r == 0.0) {
        *slope = 0.0;
        return 0.0;
    }
    const double to_p = pow(r, p), left = pow(1.0 - to_p, 1.0/p);
    *slope = (d < 0.0 ? -1.0 : 1.0)*node[EN_B]/node[EN_A]*to_p/r*left/(1.0 - to_p);
    return node[EN_B]*(1.0 - left);
}

/* A cam over the road and a place on it. */
typedef struct {
    const contact *patch;
    double b, row, g; /* side, middle of the cam, slope on which it stands */
} cam;

typedef struct {
    double o, f, slope, mu; /* place, height of the cam resting there, its derivative by the place, friction */
} rest;

static rest rest_at(const cam *c, double o)
{
    const contact *at = c->patch;
    point p;
    rest out = {o, 0.0, 0.0, 0.0};
    double steep;
    evaluate(at->base, at->child, at->x - c->b*at->ty + o*at->tx, at->y + c->b*at->tx + o*at->ty, at->z, 0, &p);
    out.f = p.z - c->g*(o - c->row) - cam_drop(at->node, o - c->row, &steep);
    if (p.flags & JN_ROAD_NO_GROUND) out.f = -INFINITY;
    out.slope = p.zx*at->tx + p.zy*at->ty - c->g - steep;
    out.mu = p.mu;
    return out;
}

static const double NEAR = 1e-5; /* m: what may be missing in the height of a cam while it is searched */

/* The highest rest between two samples, near the one at `from`: halving towards edges, secants on smooth tops. */
static void climb(const cam *c, double from, double to, double *best, double *friction)
{
    rest p = rest_at(c, from), q = {to, 0.0, 0.0, 0.0};
    int known = 0; /* whether q has been asked */
    for (int j = 0; j < LEVELS; ++j) {
        const double way = q.o - p.o, gain = p.slope*way;
        if (!(gain > NEAR)) break;
        double part = 0.5;
        if (known && q.slope*way < 0.0 && fabs(q.f - p.f - 0.5*(p.slope + q.slope)*way) < 0.1*(gain - q.slope*way))
            part = clamp(gain/(gain - q.slope*way), 0.05, 0.95);
        const rest m = rest_at(c, p.o + part*way);
        if (!(m.f > p.f)) {
            q = m;
        } else if (m.slope*way > 0.0) {
            p = m;
        } else {
            q = p;
            p = m;
        }
        known = 1;
    }
    const double rest_of_way = p.slope*(q.o - p.o), f = p.f + 0.5*clamp(rest_of_way, 0.0, NEAR);
    if (f > *best) {
        *best = f;
        *friction = p.mu;
    }
}

/* How much higher than over its middle a cam rests on a road of slope s > 0 and curvature q there, at most `far` away.
 * About its middle a cam drops by b/p r^p, r = d/a; it rests where s + q d = b/a r^(p-1). */
static double about_middle(const double *node, double s, double q, double far)
{
    const double a = node[EN_A], b = node[EN_B], p = node[EN_P];
    if (!(s > 0.002*b/a && p > 1.05)) return 0.0; /* less than a micrometre */
    double d = a*pow(s*a/b, 1.0/(p - 1.0));
    double steep = s; /* of the cam there */
    if (fabs(q)*d > 0.2*s || d > far) { /* Newton's method; the height is stationary: little is enough */
        if (-q*d > s) d = -s/q;
        if (d > far) d = far;
        steep = b/a*pow(d/a, p - 1.0);
        for (int j = 0; j < 3; ++j) {
            d = clamp(d - (s + q*d - steep)/(q - (p - 1.0)*steep/d), 0.1*d, far);
            steep = b/a*pow(d/a, p - 1.0);
        }
    }
    return d*(s + 0.5*q*d - steep/p);
}

/* Height of a cam that rests on sampled heights h.  Between two samples it can rest higher than on both: on an even
 * road, where three samples show how it bends, by a parabola; elsewhere the place is searched. */
static double cam_height(const cam *c, const samples *at, int second, const double *h, const double *mu,
                         double *friction)
{
    const double *node = c->patch->node;
    const int n = at->n, first = second ? n - 1 - (int)node[EN_LAST] : (int)node[EN_FIRST];
    const int last = second ? n - 1 - (int)node[EN_FIRST] : (int)node[EN_LAST];
    const double *stored = AT(double, c->patch->base, node[EN_DROP]); /* of the first row; the other is its image */
    double above[EN_MOST], drop[EN_MOST], best = -INFINITY, highest = -INFINITY, lowest = INFINITY;
    const double *o = at->o;
    int top = first;
    for (int k = first; k <= last; ++k) {
        above[k] = h[k] - c->g*(o[k] - c->row);
        drop[k] = stored[second ? n - 1 - k : k];
        if (above[k] > highest) highest = above[k];
        if (above[k] < lowest) lowest = above[k];
        if (above[k] - drop[k] > best) {
            best = above[k] - drop[k];
            top = k;
        }
    }
    *friction = mu[top];
    int even = 0; /* samples about the top are those of a smooth road */
    if (top - first >= 2 && last - top >= 2) {
        const double d = o[top + 1] - o[top], *a = above + top;
        const int equal = fabs(o[top + 2] - o[top - 2] - 4.0*d) < 1e-6*d && fabs(o[top] - o[top - 1] - d) < 1e-6*d;
        const double left = a[1] - 3.0*a[0] + 3.0*a[-1] - a[-2], right = a[2] - 3.0*a[1] + 3.0*a[0] - a[-1];
        even = equal && fabs(left) < BEND && fabs(right) < BEND;
        if (even) {
            const double s = 0.5*(a[1] - a[-1]), bend = a[1] - 2.0*a[0] + a[-1]; /* per step */
            double f = best;
            if (drop[top] == 0.0) {
                f = a[0] + about_middle(node, fabs(s)/d, bend/(d*d), d);
            } else {
                const double f0 = a[-1] - drop[top - 1], f2 = a[1] - drop[top + 1], curved = f0 - 2.0*best + f2;
                const double u = curved < 0.0 ? clamp(0.5*(f0 - f2)/curved, -1.0, 1.0) : 0.0;
                double unused;
                f = a[0] + u*(s + 0.5*u*bend) - cam_drop(node, o[top] + u*d - c->row, &unused);
            }
            if (f > best) best = f;
        }
    }
    const double reach = highest + 0.5*(highest - lowest) - best; /* beyond this drop nothing is high enough */
    for (int k = first; k < last; ++k) {
        if (drop[k] > reach && drop[k + 1] > reach) continue;
        const int up = above[k + 1] - drop[k + 1] > above[k] - drop[k];
        const double most = above[k] > above[k + 1] ? above[k] : above[k + 1];
        const double low = drop[k] < drop[k + 1] ? drop[k] : drop[k + 1];
        double bulge = 0.0; /* of a road that is convex at both ends */
        if (k > first && k + 1 < last) {
            const double b0 = 2.0*above[k] - above[k - 1] - above[k + 1];
            const double b1 = 2.0*above[k + 1] - above[k] - above[k + 2];
            bulge = 0.25*jn_max(0.0, b0 < b1 ? b0 : b1);
        }
        if (most + bulge - low <= best + 1e-6 || (even && (k == top || k + 1 == top))) continue;
        climb(c, o[up ? k + 1 : k], o[up ? k : k + 1], &best, friction);
    }
    return best;
}

/* Mode 2, tandem cam: two rows of rigid cams at a distance, each resting on the road; mean height, slope between the
 * rows, camber between the cams at both sides.  Cams stand on the slope that the road has on both sides of the patch
 * alike (the smaller one, or none), so that an even road is felt as it is whatever its slope. */
static int cams_plane(const contact *c, double *height, double *slope, double *across, double *mu)
{
    const double *node = c->node, *way = AT(double, c->base, node[EN_WAY]);
    const int n = (int)node[EN_N], nw = (int)node[EN_NW];
    double total = 0.0, by_a = 0.0, by_b = 0.0, bb = 0.0, friction = 0.0;
    int ground = 1;
    for (int j = 0; j < nw; ++j) {
        const double b = nw > 1 ? node[EN_WIDTH]*((double)j/(nw - 1) - 0.5) : 0.0;
        const samples at = {c->x - b*c->ty, c->y + b*c->tx, c->tx, c->ty, way, n};
        double h[EN_MOST], m[EN_MOST];
        along_line(c->base, c->child, at, c->z, 0, h, m, &ground);
        if (!ground) return 0;
        const double back = (h[n/2] - h[0])/(way[n/2] - way[0]);
        const double front = (h[n - 1] - h[n/2])/(way[n - 1] - way[n/2]);
        const double g = back*front > 0.0 ? (fabs(back) < fabs(front) ? back : front) : 0.0;
        for (int i = 0; i < 2; ++i) {
            const cam one = {c, b, (i ? 0.5 : -0.5)*node[EN_LENGTH], g};
            double mu_row;
            const double z_row = cam_height(&one, &at, i, h, m, &mu_row);
            total += z_row;
            friction += mu_row;
            by_a += z_row*(i ? 1.0 : -1.0);
            by_b += z_row*b;
            bb += b*b;
        }
    }
    *height = total/(2*nw);
    *slope = by_a/(nw*node[EN_LENGTH]);
    if (bb > 0.0) *across = by_b/bb;
    *mu = friction/(2*nw);
    return 1;
}

/* Effective plane of a contact patch that lies along a heading: height, slopes and friction. */
static void envelope_plane(const char *base, const double *node, const double *heading, double x, double y, double z,
                           point *out)
{
    const double *child = AT(double, base, node[EN_CHILD]);
    evaluate(base, child, x, y, z, 0, out);
    out->slope_x = out->zx;
    out->slope_y = out->zy;
    if (out->flags & JN_ROAD_NO_GROUND) return;
    contact c = {base, node, child, x, y, z, node[EN_TX], node[EN_TY]};
    if (heading) {
        const double size = sqrt(heading[0]*heading[0] + heading[1]*heading[1]);
        if (!(size > 0.0)) return; /* one point */
        c.tx = heading[0]/size;
        c.ty = heading[1]/size;
    } else if (node[EN_FOLLOW] != 0.0 && out->tx*out->tx + out->ty*out->ty > 0.5) {
        c.tx = out->tx;
        c.ty = out->ty;
    }
    double height, slope, across = out->zy*c.tx - out->zx*c.ty, mu;
    const int cams = node[EN_MODE] == 2.0;
    if (!(cams ? cams_plane : points_plane)(&c, &height, &slope, &across, &mu)) return; /* partly beyond the ground */
    out->z = height;
    out->mu = mu;
    out->slope_x = slope*c.tx - across*c.ty;
    out->slope_y = slope*c.ty + across*c.tx;
}

#define STEP 5e-4 /* of differences, under an enveloping contact only: m, rad */

static void plane_values(const char *base, const double *node, const double *heading, double x, double y, double z,
                         double v[4], int *flags)
{
    point p;
    envelope_plane(base, node, heading, x, y, z, &p);
    v[0] = p.z;
    v[1] = p.slope_x;
    v[2] = p.slope_y;
    v[3] = p.mu;
    *flags |= p.flags;
}

/* Derivatives of height, slopes and friction by x, y and the angle of the heading: central differences. */
static void envelope_rates(const char *base, const double *node, const double *heading, double x, double y, double z,
                           double rate[4][3])
{
    double v[6][4];
    int flags = 0;
    memset(rate, 0, 12*sizeof(double));
    plane_values(base, node, heading, x - STEP, y, z, v[0], &flags);
    plane_values(base, node, heading, x + STEP, y, z, v[1], &flags);
    plane_values(base, node, heading, x, y - STEP, z, v[2], &flags);
    plane_values(base, node, heading, x, y + STEP, z, v[3], &flags);
    if (heading) {
        const double c = cos(STEP), s = sin(STEP);
        const double less[2] = {c*heading[0] + s*heading[1], c*heading[1] - s*heading[0]};
        const double more[2] = {c*heading[0] - s*heading[1], c*heading[1] + s*heading[0]};
        plane_values(base, node, less, x, y, z, v[4], &flags);
        plane_values(base, node, more, x, y, z, v[5], &flags);
    } else memset(v[4], 0, 8*sizeof(double));
    if (flags & JN_ROAD_NO_GROUND) return;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) rate[i][k] = (v[2*k + 1][i] - v[2*k][i])/(2.0*STEP);
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

/* heading: direction of the wheel in plan, or NULL when it is not known; only an enveloping contact asks for it. */
static void ask(const void *road, double x, double y, double z, const double *heading, point *out)
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
        envelope_plane(base, root, heading, x, y, z, out);
        return;
    }
    evaluate(base, root, x, y, z, 0, out);
    out->slope_x = out->zx;
    out->slope_y = out->zy;
}

void jn_road_at(const void *road, double x, double y, double z, jn_road_point *out)
{
    const char *base = road;
    const double *root = AT(double, base, ((const double *)road)[3]);
    ask(road, x, y, z, NULL, out);
    if (root[KIND] == ENVELOPE && !(out->flags & JN_ROAD_NO_GROUND)) {
        double rate[4][3];
        envelope_rates(base, root, NULL, x, y, z, rate);
        out->zx = rate[0][0];
        out->zy = rate[0][1];
        out->zxx = rate[1][0];
        out->zxy = 0.5*(rate[1][1] + rate[2][0]);
        out->zyy = rate[2][1];
        out->mux = rate[3][0];
        out->muy = rate[3][1];
    }
}

int jn_road_query(const void *road, double x, double y, double z, double out[4])
{
    point p;
    ask(road, x, y, z, NULL, &p);
    out[0] = p.z;
    out[1] = p.slope_x;
    out[2] = p.slope_y;
    out[3] = p.mu;
    return p.flags;
}

void jn_road_query_many(const void *road, int64_t n, const double *x, const double *y, const double *z,
                        const double *heading, double *out, double *more, int32_t *whole_numbers)
{
    for (int64_t i = 0; i < n; ++i) {
        point p;
        ask(road, x[i], y[i], z ? z[i] : NAN, heading ? heading + 2*i : NULL, &p);
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

/* Values and derivatives for models; n_in = 3, or 5 with the heading. */
static void serve(const void *road, const double *arguments, const double *heading, int n_in, int order, double *out)
{
    const char *base = road;
    const double *root = AT(double, base, ((const double *)road)[3]);
    const double x = arguments[0], y = arguments[1], z = arguments[2];
    point p;
    ask(road, x, y, z, heading, &p);
    out[0] = p.z;
    out[1] = p.slope_x;
    out[2] = p.slope_y;
    out[3] = p.mu;
    if (order < 1) return;
    double *first = out + 4;
    for (int k = 0; k < 4*n_in; ++k) first[k] = 0.0;
    const int one_point = heading && heading[0] == 0.0 && heading[1] == 0.0;
    if (root[KIND] == ENVELOPE && !one_point && !(p.flags & JN_ROAD_NO_GROUND)) {
        double rate[4][3];
        envelope_rates(base, root, heading, x, y, z, rate);
        for (int i = 0; i < 4; ++i) {
            first[n_in*i] = rate[i][0];
            first[n_in*i + 1] = rate[i][1];
            if (heading) { /* the angle changes by (hx dhy - hy dhx)/h^2 */
                const double h2 = heading[0]*heading[0] + heading[1]*heading[1];
                first[n_in*i + 3] = -rate[i][2]*heading[1]/h2;
                first[n_in*i + 4] = rate[i][2]*heading[0]/h2;
            }
        }
        return;
    }
    const double by_place[4][2] = {{p.zx, p.zy}, {p.zxx, p.zxy}, {p.zxy, p.zyy}, {p.mux, p.muy}};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 2; ++k) first[n_in*i + k] = by_place[i][k];
}

void jn_road_service(void *context, const double *arguments, int order, double *out)
{
    serve(context, arguments, NULL, 3, order, out);
}

void jn_road_patch_service(void *context, const double *arguments, int order, double *out)
{
    serve(context, arguments, arguments + 3, 5, order, out);
}
