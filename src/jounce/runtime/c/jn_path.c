/* Places on paths.  jn_path.h says what it promises, road/paths.py writes what it reads.
 *
 * The foot of a point is a local minimum of its distance: d(distance^2)/ds = -2 (p - c(s)).t(s), so one goes forwards
 * while the point lies ahead of the node and backwards while it lies behind.  With the offset n and a = 1 - kappa n
 *
 *     grad s = t/a,   grad n = m,   grad psi = kappa grad s,   grad kappa = kappa' grad s                   (1) */
#include "jn_path.h"

#include <math.h>

#include "jn_line.h"
#include "jn_math.h"

enum { H_MAGIC, H_VERSION, H_SIZE, H_N, H_PATHS = 8 };                       /* header of the block */
enum { P_N, P_CLOSED, P_LENGTH, P_DS, P_TURN, P_NODES, P_SIZE };             /* of a path */
enum { N_X, N_Y, N_COS, N_SIN, N_KAPPA, N_HEADING, N_Z, N_SLOPE, N_BANK, N_SPEED, N_SIZE }; /* of a node */
enum { LONGEST = 1 };     /* m, of a stride along the line: shorter than any loop of it */
enum { ROUNDS = 8 };      /* of Newton's method */

typedef struct {
    const double *head, *nodes;
    int64_t n;
    int closed;
    double ds, length;
} path;

typedef struct {
    double s, x, y, tx, ty, kappa, kappa_rate, heading;
    double z, slope, slope_rate, bank, bank_rate, speed, speed_rate;
} place;

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static path chosen(const double *block, double number)
{
    path p;
    const int64_t k = (int64_t)clamp(floor(number + 0.5), 0.0, block[H_N] - 1.0);
    p.head = block + H_PATHS + P_SIZE*k;
    p.nodes = block + (int64_t)p.head[P_NODES];
    p.n = (int64_t)p.head[P_N];
    p.closed = p.head[P_CLOSED] != 0.0;
    p.ds = p.head[P_DS];
    p.length = p.head[P_LENGTH];
    return p;
}

/* A node by its number, which counts on over the laps of a closed path. */
static const double *node(const path *p, int64_t i)
{
    if (p->closed && (i < 0 || i >= p->n)) { /* a division is dear */
        i %= p->n;
        if (i < 0) i += p->n;
    }
    return p->nodes + N_SIZE*i;
}

static int64_t limited(const path *p, int64_t i)
{
    return p->closed ? i : i < 0 ? 0 : i > p->n - 1 ? p->n - 1 : i;
}

static double ahead(const double *c, double x, double y) { return (x - c[N_X])*c[N_COS] + (y - c[N_Y])*c[N_SIN]; }

/* Whole laps before a node. */
static double laps(const path *p, int64_t i)
{
    return p->closed ? floor((double)i/(double)p->n) : 0.0;
}

/* Curvature at q = 0 .. 1 of a stretch. */
static double curvature(const jn_on_stretch *e)
{
    const double v2 = e->dx*e->dx + e->dy*e->dy;
    return (e->dx*e->ddy - e->dy*e->ddx)/(v2*sqrt(v2));
}

/* Its rate along the line. */
static double curvature_rate(const jn_stretch *c, const jn_on_stretch *e, double q)
{
    const double v2 = e->dx*e->dx + e->dy*e->dy, v = sqrt(v2), cross = e->dx*e->ddy - e->dy*e->ddx;
    const double d3x = 6.0*c->x[3] + q*(24.0*c->x[4] + q*60.0*c->x[5]);
    const double d3y = 6.0*c->y[3] + q*(24.0*c->y[4] + q*60.0*c->y[5]);
    return ((e->dx*d3y - e->dy*d3x)/(v2*v) - 3.0*cross*(e->dx*e->ddx + e->dy*e->ddy)/(v2*v2*v))/v;
}

/* The line in plan at q = 0 .. 1 of the stretch between the nodes i and i + 1. */
static void in_plan(const path *p, int64_t i, const jn_stretch *c, double q, place *out)
{
    const double *a = node(p, i);
    jn_on_stretch e;
    jn_stretch_at(c, q, &e);
    const double v = sqrt(e.dx*e.dx + e.dy*e.dy);
    out->s = ((double)i + q)*p->ds;
    out->x = e.x;
    out->y = e.y;
    out->tx = e.dx/v;
    out->ty = e.dy/v;
    out->kappa = curvature(&e);
    out->kappa_rate = curvature_rate(c, &e, q);
    /* from the heading of the first node by the angle between the two tangents: less than half a turn */
    const double turned = atan2(out->ty*a[N_COS] - out->tx*a[N_SIN], out->tx*a[N_COS] + out->ty*a[N_SIN]);
    out->heading = a[N_HEADING] + laps(p, i)*p->head[P_TURN] + turned;
}

/* Everything there. */
static void on_line(const path *p, int64_t i, double q, place *out)
{
    const double *a = node(p, i), *b = node(p, i + 1);
    jn_stretch c;
    jn_stretch_between(a, b, p->ds, &c);
    in_plan(p, i, &c, q, out);
    /* heights: the cubic of values and slopes */
    const double h = p->ds, z0 = a[N_Z], z1 = b[N_Z], m0 = h*a[N_SLOPE], m1 = h*b[N_SLOPE];
    const double c2 = 3.0*(z1 - z0) - 2.0*m0 - m1, c3 = 2.0*(z0 - z1) + m0 + m1;
    out->z = z0 + q*(m0 + q*(c2 + q*c3));
    out->slope = (m0 + q*(2.0*c2 + q*3.0*c3))/h;
    out->slope_rate = (2.0*c2 + q*6.0*c3)/(h*h);
    out->bank_rate = (b[N_BANK] - a[N_BANK])/h;
    out->bank = a[N_BANK] + q*h*out->bank_rate;
    out->speed_rate = (b[N_SPEED] - a[N_SPEED])/h;
    out->speed = a[N_SPEED] + q*h*out->speed_rate;
}

/* Straight on beyond an end of an open path, by a way from there. */
static void beyond(const path *p, int last, double way, place *out)
{
    const double *e = p->nodes + (last ? N_SIZE*(p->n - 1) : 0);
    out->s = (last ? p->length : 0.0) + way;
    out->x = e[N_X] + way*e[N_COS];
    out->y = e[N_Y] + way*e[N_SIN];
    out->tx = e[N_COS];
    out->ty = e[N_SIN];
    out->heading = e[N_HEADING];
    out->z = e[N_Z] + way*e[N_SLOPE];
    out->slope = e[N_SLOPE];
    out->bank = e[N_BANK];
    out->speed = e[N_SPEED];
    out->kappa = out->kappa_rate = out->slope_rate = out->bank_rate = out->speed_rate = 0.0;
}

/* The node nearest to a point. Over a way w along the line a distance changes by w at most: nodes that cannot be nearer
 * than the best are left out. */
static int64_t nearest(const path *p, double x, double y, double z)
{
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < p->n;) {
        const double *c = p->nodes + N_SIZE*i;
        const double plan = hypot(x - c[N_X], y - c[N_Y]), up = z == z ? z - c[N_Z] : 0.0, d = hypot(plan, up);
        if (d < least) {
            least = d;
            best = i;
        }
        const double skip = floor((plan - least)/p->ds);
        i += skip > 1.0 ? (int64_t)skip : 1;
    }
    return best;
}

/* The foot of a point near a station, in plan. */
static void foot(const path *p, double x, double y, double z, double near, place *out)
{
    int64_t i, far = (int64_t)ceil(JN_PATH_REACH/p->ds), stride = (int64_t)((double)LONGEST/p->ds);
    if (stride < 1) stride = 1;
    if (!(fabs(near) < JN_PATH_ANYWHERE)) i = nearest(p, x, y, z);
    else i = limited(p, (int64_t)floor(near/p->ds));
    int64_t low, high, step = 1;
    const int64_t first = limited(p, i - far), last = limited(p, i + far);
    if (ahead(node(p, i), x, y) >= 0.0) {
        low = i;
        high = i;
        while (high < last) {
            high = high + step > last ? last : high + step;
            if (ahead(node(p, high), x, y) < 0.0) break;
            low = high;
            step = 2*step > stride ? stride : 2*step;
        }
    } else {
        low = i;
        high = i;
        while (low > first) {
            low = low - step < first ? first : low - step;
            if (ahead(node(p, low), x, y) >= 0.0) break;
            high = low;
            step = 2*step > stride ? stride : 2*step;
        }
    }
    if (!p->closed && low == high && low == p->n - 1) {
        beyond(p, 1, ahead(node(p, low), x, y), out);
        return;
    }
    if (!p->closed && low == high && low == 0) {
        beyond(p, 0, ahead(node(p, 0), x, y), out);
        return;
    }
    if (low == high) { /* no foot within reach */
        on_line(p, low == last && !p->closed ? low - 1 : low, 0.0, out);
        return;
    }
    while (high - low > 1) {
        const int64_t middle = (low + high)/2;
        if (ahead(node(p, middle), x, y) >= 0.0) low = middle; else high = middle;
    }
    const double *a = node(p, low), *b = node(p, high);
    const double before = ahead(a, x, y), behind = ahead(b, x, y);
    double q = before - behind > 0.0 ? clamp(before/(before - behind), 0.0, 1.0) : 0.5;
    jn_stretch c;
    jn_on_stretch e;
    jn_stretch_between(a, b, p->ds, &c);
    for (int k = 0; k < ROUNDS; ++k) {
        jn_stretch_at(&c, q, &e);
        const double rx = x - e.x, ry = y - e.y;
        const double g = rx*e.dx + ry*e.dy, slope = e.dx*e.dx + e.dy*e.dy - rx*e.ddx - ry*e.ddy;
        if (!(slope > 0.0)) break;
        const double more = g/slope;
        q = clamp(q + more, 0.0, 1.0);
        if (fabs(more) < 1e-13) break;
    }
    in_plan(p, low, &c, q, out);
}

int jn_path_check(const double *paths, int64_t n)
{
    if (n < H_PATHS + P_SIZE) return 1;
    if (paths[H_MAGIC] != JN_PATH_MAGIC) return 2;
    if (paths[H_VERSION] != JN_PATH_VERSION) return 3;
    return (int64_t)paths[H_SIZE] > n ? 4 : 0;
}

void jn_path_project_service(void *context, const double *arguments, int order, double *out)
{
    const double x = arguments[1], y = arguments[2];
    if (!(fabs(arguments[0]) < 1e9 && fabs(x) < 1e12 && fabs(y) < 1e12)) { /* nowhere: a cast would be undefined */
        for (int k = 0; k < JN_PATH_PROJECT_OUT*(order < 1 ? 1 : 1 + JN_PATH_PROJECT_IN); ++k) out[k] = NAN;
        return;
    }
    const path p = chosen(context, arguments[0]);
    place c;
    foot(&p, x, y, arguments[3], arguments[4], &c);
    const double n = (y - c.y)*c.tx - (x - c.x)*c.ty;
    out[0] = c.s;
    out[1] = n;
    out[2] = c.heading;
    out[3] = c.kappa;
    if (order < 1) return;
    double *first = out + JN_PATH_PROJECT_OUT;
    for (int k = 0; k < JN_PATH_PROJECT_OUT*JN_PATH_PROJECT_IN; ++k) first[k] = 0.0;
    const double a = jn_max(1.0 - c.kappa*n, 0.05); /* beyond the centre of curvature there is no foot */
    const double by_s[JN_PATH_PROJECT_OUT] = {1.0, 0.0, c.kappa, c.kappa_rate}; /* (1) */
    for (int k = 0; k < JN_PATH_PROJECT_OUT; ++k) {
        first[JN_PATH_PROJECT_IN*k + 1] = by_s[k]*c.tx/a;
        first[JN_PATH_PROJECT_IN*k + 2] = by_s[k]*c.ty/a;
    }
    first[JN_PATH_PROJECT_IN + 1] = -c.ty;
    first[JN_PATH_PROJECT_IN + 2] = c.tx;
}

void jn_path_curvature_service(void *context, const double *arguments, int order, double *out)
{
    const double s = arguments[1];
    const int inside = fabs(arguments[0]) < 1e9 && fabs(s) < 1e12;
    out[0] = inside ? 0.0 : NAN;
    for (int k = 0; order >= 1 && k < JN_PATH_CURVATURE_IN; ++k) out[1 + k] = out[0];
    if (!inside) return;
    const path p = chosen(context, arguments[0]);
    if (!p.closed && (s < 0.0 || s > p.length)) return; /* straight on */
    double i = floor(s/p.ds);
    if (!p.closed && i > (double)(p.n - 2)) i = (double)(p.n - 2);
    const double q = s/p.ds - i;
    jn_stretch c;
    jn_on_stretch e;
    jn_stretch_between(node(&p, (int64_t)i), node(&p, (int64_t)i + 1), p.ds, &c);
    jn_stretch_at(&c, q, &e);
    out[0] = curvature(&e);
    if (order >= 1) out[2] = curvature_rate(&c, &e, q);
}

void jn_path_at_service(void *context, const double *arguments, int order, double *out)
{
    const double s = arguments[1];
    if (!(fabs(arguments[0]) < 1e9 && fabs(s) < 1e12)) {
        for (int k = 0; k < JN_PATH_AT_OUT*(order < 1 ? 1 : 1 + JN_PATH_AT_IN); ++k) out[k] = NAN;
        return;
    }
    const path p = chosen(context, arguments[0]);
    place c;
    if (!p.closed && s < 0.0) beyond(&p, 0, s, &c);
    else if (!p.closed && s > p.length) beyond(&p, 1, s - p.length, &c);
    else {
        double i = floor(s/p.ds);
        if (!p.closed && i > (double)(p.n - 2)) i = (double)(p.n - 2);
        on_line(&p, (int64_t)i, s/p.ds - i, &c);
    }
    const double values[JN_PATH_AT_OUT] = {c.x, c.y, c.z, c.heading, c.kappa, c.slope, c.bank, c.speed,
                                           c.speed_rate};
    for (int k = 0; k < JN_PATH_AT_OUT; ++k) out[k] = values[k];
    if (order < 1) return;
    const double rates[JN_PATH_AT_OUT] = {c.tx, c.ty, c.slope, c.kappa, c.kappa_rate, c.slope_rate, c.bank_rate,
                                          c.speed_rate, 0.0};
    for (int k = 0; k < JN_PATH_AT_OUT; ++k) {
        out[JN_PATH_AT_OUT + JN_PATH_AT_IN*k] = 0.0;
        out[JN_PATH_AT_OUT + JN_PATH_AT_IN*k + 1] = rates[k];
    }
}
