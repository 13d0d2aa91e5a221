/* Small functions that generated code uses besides <math.h>. */
#ifndef JN_MATH_H
#define JN_MATH_H

#include <math.h>

/* Everything is compiled with -fno-builtin: a compiler that knows sin() replaces sin(constant) by a value that it
 * rounds better than libm, so that the result would depend on how far it propagates constants (sinh differs for one
 * argument in three).  The functions below have one right answer for every argument: for them the compiler's own
 * instructions are as good, and faster. */
#if defined(__GNUC__)
#undef sqrt
#undef fabs
#undef copysign
#define sqrt(x) __builtin_sqrt(x)
#define fabs(x) __builtin_fabs(x)
#define copysign(x, y) __builtin_copysign(x, y)
#endif

#if defined(__GNUC__)
#define JN_NOINLINE __attribute__((noinline))
#else
#define JN_NOINLINE
#endif

static inline double jn_square(double x) { return x*x; }
static inline double jn_sign(double x) { return x != x ? x : (double)(x > 0.0) - (double)(x < 0.0); }
static inline double jn_cube(double x) { return x*x*x; }
static inline double jn_fourth(double x) { return x*x*x*x; }
static inline double jn_three_halves(double x) { return x*sqrt(x); }
/* A nan stays one, whichever argument it is: nothing hides it. */
static inline double jn_min(double x, double y) { return (y < x) | (y != y) ? y : x; }
static inline double jn_max(double x, double y) { return (y > x) | (y != y) ? y : x; }

#endif
