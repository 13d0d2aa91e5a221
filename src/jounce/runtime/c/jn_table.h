/* Tables: piecewise polynomials on a tensor grid of up to three axes, vector-valued.
 *
 * The interpolation method is data: linear, Akima, cubic B-spline and polynomial fits all arrive here
 * as coefficients of a polynomial per cell (see core/tables.py); one evaluator serves them all. */
#ifndef JN_TABLE_H
#define JN_TABLE_H

#include <stdint.h>

#define JN_TABLE_MAX_AXES 3
#define JN_TABLE_MAX_ORDER 3
#define JN_TABLE_MAX_DEGREE 15

enum { JN_EXTRAPOLATE_FLAT = 0, JN_EXTRAPOLATE_LINEAR = 1, JN_EXTRAPOLATE_SPLINE = 2 };

/* Cell i lies between knots i and i + 1; an argument equal to a knot belongs to the cell that starts
 * there, one equal to the last knot to the last cell. A single knot makes one cell without end. */
typedef struct {
    int32_t n_knots;         /* >= 1; 1 = no dependence on this axis (degree 0) */
    int32_t degree;          /* of the polynomial along this axis, 0 .. JN_TABLE_MAX_DEGREE */
    int32_t extrapolation;   /* JN_EXTRAPOLATE_... */
    int32_t n_buckets;       /* uniform buckets over [knot 0, last knot]; 0 = search all cells */
    double bucket_scale;     /* n_buckets / (last - first) */
    const double *knots;     /* n_knots, strictly ascending; the user's own (polynomial fit: first and last) */
    const double *origins;   /* one per cell: where its local abscissa is zero. Interpolation: the knot itself,
                                so that knots return the data exactly; polynomial fit: the middle of the range */
    const int32_t *buckets;  /* n_buckets + 1: arguments in bucket b lie in cells buckets[b] .. buckets[b + 1] */
} jn_axis;

typedef struct {
    int32_t n_axes, n_out;
    jn_axis axis[JN_TABLE_MAX_AXES];
    const double *coef; /* [cell0][cell1][cell2][power0][power1][power2][output], local abscissa x - origins[cell] */
} jn_table;

/* Writes values and derivatives up to `order` (0..3) for the arguments x[n_axes]:
 *   n_out values,
 *   order >= 1: n_out x n_axes first derivatives (by output),
 *   order >= 2: n_out x S2 second ones, S2 = pairs (i <= j) in the order 00 01 02 11 12 22,
 *   order >= 3: n_out x S3 third ones, triples (i <= j <= k): 000 001 002 011 012 022 111 112 122 222.
 *
 * Outside the knots of an axis: flat = the value at the end, all derivatives along that axis zero;
 * linear = value and slope at the end continued, higher derivatives along that axis zero. The rules of
 * the axes combine as a tensor product. A nan argument makes every output nan; an infinite one is
 * clamped (flat) or gives inf or nan (linear). Time is bounded; nothing is allocated; no global state. */
void jn_table_eval(const jn_table *table, const double *x, int order, double *out);

#endif
