/* Small functions that generated code uses besides <math.h>. */
#ifndef JN_MATH_H
#define JN_MATH_H

#include <math.h>

#if defined(__GNUC__)
#define JN_NOINLINE __attribute__((noinline))
#else
#define JN_NOINLINE
#endif

static inline double jn_square(double x) { return x*x; }
static inline double jn_sign(double x) { return (double)(x > 0.0) - (double)(x < 0.0); }
static inline double jn_cube(double x) { return x*x*x; }
static inline double jn_fourth(double x) { return x*x*x*x; }
static inline double jn_three_halves(double x) { return x*sqrt(x); }
/* A nan as first argument stays one: clip() does not hide it. */
static inline double jn_min(double x, double y) { return y < x ? y : x; }
static inline double jn_max(double x, double y) { return y > x ? y : x; }

#endif
