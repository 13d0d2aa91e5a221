#include "jn_table.h"

#include <math.h>
#include <stddef.h>

/* The kernels below are written once with their sizes as parameters; only with the sizes known at
 * compile time do they become straight-line vector code, hence the forced inlining. */
#if defined(__GNUC__)
#define JN_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define JN_INLINE static __forceinline
#else
#define JN_INLINE static inline
#endif

/* Kernels treat outputs in groups of this many, so that temporaries stay bounded and in registers. */
#define GROUP 4

/* ---- where an argument falls ---------------------------------------------------------------- */

typedef struct {
    int32_t cell;
    int outside;   /* beyond the first or the last knot */
    double local;  /* abscissa in the cell, the argument clamped to the knots */
    double beyond; /* argument minus clamped argument */
} place;

/* x must not be nan: it is converted to an integer. */
JN_INLINE place locate(const jn_axis *a, double x)
{
    place p = {0, 0, 0.0, 0.0};
    const int32_t n = a->n_knots;
    if (n < 2) return p;
    const double first = a->knots[0], last = a->knots[n - 1];
    if (x < first || x > last) {
        const double end = x < first ? first : last;
        if (x > last) p.cell = n - 2;
        if (a->extrapolation != JN_EXTRAPOLATE_SPLINE) { /* the polynomial of the last cell just goes on */
            p.outside = 1;
            p.beyond = x - end;
            x = end;
        }
    } else {
        int32_t low = 0, high = n - 2;
        if (a->n_buckets > 0) {
            int32_t b = (int32_t)((x - first) * a->bucket_scale);
            if (b >= a->n_buckets) b = a->n_buckets - 1; /* x = last, or rounding */
            low = a->buckets[b];
            high = a->buckets[b + 1];
        }
        /* Usually none or one pass; never more than log2(n_knots). */
        while (low < high) {
            const int32_t middle = low + (high - low + 1) / 2;
            if (a->knots[middle] <= x) low = middle;
            else high = middle - 1;
        }
        p.cell = low;
    }
    p.local = x - a->origins[p.cell];
    return p;
}

/* ---- one axis ------------------------------------------------------------------------------- */

/* out + k * n: the k-th derivative, which is where the layout of one axis puts it. */
JN_INLINE void store_one(const place *p, int linear, int order, size_t n, double v, double d1, double d2, double d3,
                         double *out)
{
    if (p->outside) {
        if (linear) v += p->beyond * d1;
        else d1 = 0.0;
        d2 = d3 = 0.0;
    }
    out[0] = v;
    if (order >= 1) out[n] = d1;
    if (order >= 2) out[2 * n] = d2;
    if (order >= 3) out[3 * n] = d3;
}

JN_INLINE void eval_one_axis(const jn_table *table, double x, int order, double *out)
{
    const jn_axis *a = &table->axis[0];
    const place p = locate(a, x);
    const int linear = a->extrapolation == JN_EXTRAPOLATE_LINEAR;
    const size_t n = (size_t)table->n_out;
    const int degree = a->degree;
    const double t = p.local;
    const double *c = table->coef + (size_t)p.cell * (size_t)(degree + 1) * n;
    if (degree == 3) {
        for (size_t o = 0; o < n; ++o) {
            const double c0 = c[o], c1 = c[n + o], c2 = c[2 * n + o], c3 = c[3 * n + o];
            store_one(&p, linear, order, n, c0 + t * (c1 + t * (c2 + t * c3)), c1 + t * (2.0 * c2 + t * (3.0 * c3)),
                      2.0 * c2 + t * (6.0 * c3), 6.0 * c3, out + o);
        }
    } else if (degree == 1) {
        for (size_t o = 0; o < n; ++o)
            store_one(&p, linear, order, n, c[o] + t * c[n + o], c[n + o], 0.0, 0.0, out + o);
    } else {
        for (size_t o = 0; o < n; ++o) {
            /* Horner's rule differentiated: d2 and d3 gather f''/2! and f'''/3!. */
            double v = 0.0, d1 = 0.0, d2 = 0.0, d3 = 0.0;
            for (int j = degree; j >= 0; --j) {
                d3 = d3 * t + d2;
                d2 = d2 * t + d1;
                d1 = d1 * t + v;
                v = v * t + c[(size_t)j * n + o];
            }
            store_one(&p, linear, order, n, v, d1, 2.0 * d2, 6.0 * d3, out + o);
        }
    }
}

/* ---- two axes, cubic along both, up to second derivatives ----------------------------------- */

JN_INLINE void store_two(size_t n, size_t o, int width, int order, const double *v, const double *d0, const double *d1,
                         const double *d00, const double *d01, const double *d11, double *out)
{
    for (int w = 0; w < width; ++w) out[o + (size_t)w] = v[w];
    if (order >= 1) {
        double *first = out + n + 2 * o;
        for (int w = 0; w < width; ++w) {
            first[2 * w] = d0[w];
            first[2 * w + 1] = d1[w];
        }
    }
    if (order >= 2) {
        double *second = out + 3 * n + 3 * o;
        for (int w = 0; w < width; ++w) {
            second[3 * w] = d00[w];
            second[3 * w + 1] = d01[w];
            second[3 * w + 2] = d11[w];
        }
    }
}

/* b[k][j]: k-th derivative of the j-th local power, with the extrapolation rule worked in.
 * b[0][0] = 1, b[1][0] = 0 and b[2][0] = b[2][1] = 0 hold everywhere; the kernel relies on it. */
typedef struct {
    double b01, b02, b03, b11, b12, b13, b22, b23;
} cubic_basis;

JN_INLINE cubic_basis cubic_basis_of(const jn_axis *a, const place *p)
{
    const double t = p->local, t2 = t * t;
    cubic_basis b = {t, t2, t2 * t, 1.0, 2.0 * t, 3.0 * t2, 2.0, 6.0 * t};
    if (p->outside) {
        if (a->extrapolation == JN_EXTRAPOLATE_LINEAR) {
            b.b01 += p->beyond;
            b.b02 += p->beyond * b.b12;
            b.b03 += p->beyond * b.b13;
        } else {
            b.b11 = b.b12 = b.b13 = 0.0;
        }
        b.b22 = b.b23 = 0.0;
    }
    return b;
}

/* `width` outputs from output `o` on; `order` and `width` are literals at every call. */
JN_INLINE void cubic_two_axes(const double *c, size_t n, size_t o, int width, int order, const cubic_basis *b0,
                              const cubic_basis *b1, double *out)
{
    double u0[4][GROUP], u1[4][GROUP], u2[4][GROUP]; /* contracted along axis 1: values, derivatives */
    c += o;
    for (int p = 0; p < 4; ++p) {
        const double *r0 = c + (size_t)(4 * p) * n, *r1 = r0 + n, *r2 = r1 + n, *r3 = r2 + n;
        for (int w = 0; w < width; ++w) u0[p][w] = r0[w] + b1->b01 * r1[w] + b1->b02 * r2[w] + b1->b03 * r3[w];
        if (order >= 1)
            for (int w = 0; w < width; ++w) u1[p][w] = b1->b11 * r1[w] + b1->b12 * r2[w] + b1->b13 * r3[w];
        if (order >= 2)
            for (int w = 0; w < width; ++w) u2[p][w] = b1->b22 * r2[w] + b1->b23 * r3[w];
    }
    double v[GROUP], d0[GROUP], d1[GROUP], d00[GROUP], d01[GROUP], d11[GROUP];
    for (int w = 0; w < width; ++w) v[w] = u0[0][w] + b0->b01 * u0[1][w] + b0->b02 * u0[2][w] + b0->b03 * u0[3][w];
    if (order >= 1) {
        for (int w = 0; w < width; ++w) d0[w] = b0->b11 * u0[1][w] + b0->b12 * u0[2][w] + b0->b13 * u0[3][w];
        for (int w = 0; w < width; ++w)
            d1[w] = u1[0][w] + b0->b01 * u1[1][w] + b0->b02 * u1[2][w] + b0->b03 * u1[3][w];
    }
    if (order >= 2) {
        for (int w = 0; w < width; ++w) d00[w] = b0->b22 * u0[2][w] + b0->b23 * u0[3][w];
        for (int w = 0; w < width; ++w) d01[w] = b0->b11 * u1[1][w] + b0->b12 * u1[2][w] + b0->b13 * u1[3][w];
        for (int w = 0; w < width; ++w)
            d11[w] = u2[0][w] + b0->b01 * u2[1][w] + b0->b02 * u2[2][w] + b0->b03 * u2[3][w];
    }
    store_two(n, o, width, order, v, d0, d1, d00, d01, d11, out);
}

JN_INLINE void cubic_two_axes_all(const double *c, size_t n, int order, const cubic_basis *b0, const cubic_basis *b1,
                                  double *out)
{
    size_t o = 0;
    for (; o + 4 <= n; o += 4) cubic_two_axes(c, n, o, 4, order, b0, b1, out);
    if (o + 2 <= n) {
        cubic_two_axes(c, n, o, 2, order, b0, b1, out);
        o += 2;
    }
    if (o < n) cubic_two_axes(c, n, o, 1, order, b0, b1, out);
}

/* ---- two or three axes, any degree, any order ------------------------------------------------ */

typedef double basis[JN_TABLE_MAX_ORDER + 1][JN_TABLE_MAX_DEGREE + 1];

/* b[k][j]: k-th derivative of the j-th local power for k = 0 .. order, with the extrapolation rule. */
static void basis_of(const jn_axis *a, const place *p, int order, basis b)
{
    const int degree = a->degree;
    b[0][0] = 1.0;
    for (int j = 1; j <= degree; ++j) b[0][j] = b[0][j - 1] * p->local;
    /* The linear rule needs the slope even when the caller does not. */
    const int top = order > 0 ? order : 1;
    for (int k = 1; k <= top; ++k) {
        b[k][0] = 0.0;
        for (int j = 1; j <= degree; ++j) b[k][j] = (double)j * b[k - 1][j - 1];
    }
    if (!p->outside) return;
    int constant_from = 1;
    if (a->extrapolation == JN_EXTRAPOLATE_LINEAR) {
        constant_from = 2;
        for (int j = 1; j <= degree; ++j) b[0][j] += p->beyond * b[1][j];
    }
    for (int k = constant_from; k <= order; ++k)
        for (int j = 0; j <= degree; ++j) b[k][j] = 0.0;
}

/* Two axes of any degree, up to second derivatives: mixed degrees are common (a map with two columns, a
 * single column, linear maps), and the bookkeeping of the case below would cost more than the sums. */
JN_INLINE void two_axes_group(const jn_table *table, const double *c, size_t o, int width, int order, basis b0,
                              basis b1, double *out)
{
    const size_t n = (size_t)table->n_out;
    const int m0 = table->axis[0].degree, m1 = table->axis[1].degree;
    double v[GROUP] = {0.0}, d0[GROUP] = {0.0}, d1[GROUP] = {0.0};
    double d00[GROUP] = {0.0}, d01[GROUP] = {0.0}, d11[GROUP] = {0.0};
    c += o;
    for (int p0 = 0; p0 <= m0; ++p0) {
        double u0[GROUP] = {0.0}, u1[GROUP] = {0.0}, u2[GROUP] = {0.0};
        for (int p1 = 0; p1 <= m1; ++p1, c += n) {
            for (int w = 0; w < width; ++w) u0[w] += b1[0][p1] * c[w];
            if (order >= 1)
                for (int w = 0; w < width; ++w) u1[w] += b1[1][p1] * c[w];
            if (order >= 2)
                for (int w = 0; w < width; ++w) u2[w] += b1[2][p1] * c[w];
        }
        for (int w = 0; w < width; ++w) v[w] += b0[0][p0] * u0[w];
        if (order >= 1)
            for (int w = 0; w < width; ++w) {
                d0[w] += b0[1][p0] * u0[w];
                d1[w] += b0[0][p0] * u1[w];
            }
        if (order >= 2)
            for (int w = 0; w < width; ++w) {
                d00[w] += b0[2][p0] * u0[w];
                d01[w] += b0[1][p0] * u1[w];
                d11[w] += b0[0][p0] * u2[w];
            }
    }
    store_two(n, o, width, order, v, d0, d1, d00, d01, d11, out);
}

JN_INLINE void two_axes_all(const jn_table *table, const double *c, int order, basis b0, basis b1,
                            double *out)
{
    const size_t n = (size_t)table->n_out;
    size_t o = 0;
    for (; o + GROUP <= n; o += GROUP) two_axes_group(table, c, o, GROUP, order, b0, b1, out);
    for (; o < n; ++o) two_axes_group(table, c, o, 1, order, b0, b1, out);
}

/* Two or three axes. Contracts the last axis first; a third axis the table does not have is of degree 0, and not
 * differentiated. */
JN_INLINE void general_group(const jn_table *table, const double *c, size_t o, int width, int order, basis *b,
                             double *out)
{
    const size_t n = (size_t)table->n_out;
    const int n_axes = table->n_axes;
    const int m0 = table->axis[0].degree, m1 = table->axis[1].degree;
    const int m2 = n_axes > 2 ? table->axis[2].degree : 0;
    const int order2 = n_axes > 2 ? order : 0;
    double f[4][4][4][GROUP], g[4][4][GROUP], h[4][GROUP];
    c += o;
    for (int p0 = 0; p0 <= m0; ++p0) {
        for (int p1 = 0; p1 <= m1; ++p1) {
            for (int k2 = 0; k2 <= order2; ++k2) {
                for (int w = 0; w < width; ++w) h[k2][w] = b[2][k2][0] * c[w];
                for (int p2 = 1; p2 <= m2; ++p2)
                    for (int w = 0; w < width; ++w) h[k2][w] += b[2][k2][p2] * c[(size_t)p2 * n + (size_t)w];
            }
            c += (size_t)(m2 + 1) * n;
            for (int k1 = 0; k1 <= order; ++k1)
                for (int k2 = 0; k2 <= order2 && k1 + k2 <= order; ++k2)
                    for (int w = 0; w < width; ++w)
                        g[k1][k2][w] = (p1 > 0 ? g[k1][k2][w] : 0.0) + b[1][k1][p1] * h[k2][w];
        }
        for (int k0 = 0; k0 <= order; ++k0)
            for (int k1 = 0; k1 <= order && k0 + k1 <= order; ++k1)
                for (int k2 = 0; k2 <= order2 && k0 + k1 + k2 <= order; ++k2)
                    for (int w = 0; w < width; ++w)
                        f[k0][k1][k2][w] = (p0 > 0 ? f[k0][k1][k2][w] : 0.0) + b[0][k0][p0] * g[k1][k2][w];
    }
    /* Per order, exponents in falling lexicographic order are index lists in rising order. */
    for (int k = 0; k <= order; ++k) {
        const size_t size = (size_t)(n_axes > 2 ? (k + 1) * (k + 2) / 2 : k + 1);
        size_t at = o * size;
        for (int w = 0; w < width; ++w)
            for (int k0 = k; k0 >= 0; --k0)
                for (int k1 = k - k0; k1 >= (n_axes > 2 ? 0 : k - k0); --k1) out[at++] = f[k0][k1][k - k0 - k1][w];
        out += n * size;
    }
}

static void eval_general(const jn_table *table, const double *x, int order, double *out)
{
    basis b[JN_TABLE_MAX_AXES];
    size_t cell = 0, size = (size_t)table->n_out;
    for (int i = 0; i < JN_TABLE_MAX_AXES; ++i) {
        if (i >= table->n_axes) {
            b[i][0][0] = 1.0;
            continue;
        }
        const jn_axis *a = &table->axis[i];
        const place p = locate(a, x[i]);
        basis_of(a, &p, order, b[i]);
        cell = cell * (size_t)(a->n_knots > 1 ? a->n_knots - 1 : 1) + (size_t)p.cell;
        size *= (size_t)(a->degree + 1);
    }
    const double *c = table->coef + cell * size;
    if (table->n_axes == 2 && order <= 2) {
        if (order == 2) two_axes_all(table, c, 2, b[0], b[1], out);
        else if (order == 1) two_axes_all(table, c, 1, b[0], b[1], out);
        else two_axes_all(table, c, 0, b[0], b[1], out);
        return;
    }
    const size_t n = (size_t)table->n_out;
    size_t o = 0;
    for (; o + GROUP <= n; o += GROUP) general_group(table, c, o, GROUP, order, b, out);
    for (; o < n; ++o) general_group(table, c, o, 1, order, b, out);
}

static void fill_nan(const jn_table *table, int order, double *out)
{
    /* Values and derivatives up to `order` in n axes: (order + n)! / (order! n!) per output. */
    size_t count = (size_t)table->n_out;
    for (int i = 1; i <= table->n_axes; ++i) count = count * (size_t)(order + i) / (size_t)i;
    for (size_t i = 0; i < count; ++i) out[i] = NAN;
}

void jn_table_eval(const jn_table *table, const double *x, int order, double *out)
{
    const int n_axes = table->n_axes;
    for (int i = 0; i < n_axes; ++i)
        if (x[i] != x[i]) {
            fill_nan(table, order, out);
            return;
        }
    if (n_axes == 1) {
        eval_one_axis(table, x[0], order, out);
        return;
    }
    const jn_axis *a0 = &table->axis[0], *a1 = &table->axis[1];
    if (n_axes == 2 && a0->degree == 3 && a1->degree == 3 && order <= 2) {
        const place p0 = locate(a0, x[0]), p1 = locate(a1, x[1]);
        const cubic_basis b0 = cubic_basis_of(a0, &p0), b1 = cubic_basis_of(a1, &p1);
        const size_t n = (size_t)table->n_out;
        const size_t cell = (size_t)p0.cell * (size_t)(a1->n_knots - 1) + (size_t)p1.cell;
        const double *c = table->coef + cell * 16 * n;
        if (order == 2) cubic_two_axes_all(c, n, 2, &b0, &b1, out);
        else if (order == 1) cubic_two_axes_all(c, n, 1, &b0, &b1, out);
        else cubic_two_axes_all(c, n, 0, &b0, &b1, out);
        return;
    }
    eval_general(table, x, order, out);
}
