/* Roads: one flat block of numbers, one function that reads it.
 *
 * A road is compiled (road/block.py) to one position-independent block: a header and a tree of nodes, each a row of
 * doubles, and arrays at byte offsets from the start of the block.  The functions below only read it: no allocation,
 * no state between two calls, time bounded whatever the size of the road.  So one block serves any number of
 * threads, and the answer depends on the arguments only.
 *
 * World axes: x, y horizontal, z up.  z of the asking point chooses between storeys; nan means the uppermost. */
#ifndef JN_ROAD_H
#define JN_ROAD_H

#include <stdint.h>

#include "jounce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JN_ROAD_MAGIC 1246647364.0 /* first word of a block */
#define JN_ROAD_VERSION 4.0
#define JN_ROAD_DEPTH 8    /* of nested nodes */
#define JN_ROAD_VOID (-1e3) /* height where there is no ground, m */

enum { JN_ROAD_OFF = 1, JN_ROAD_NO_GROUND = 2 }; /* flags: beside the road; no ground at all */

typedef struct {
    double z, zx, zy;       /* height and its derivatives */
    double zxx, zxy, zyy;   /* derivatives of the slopes */
    double mu, mux, muy;    /* friction and its derivatives */
    double slope_x, slope_y; /* of the effective plane: zx and zy, except under an enveloping contact */
    double tx, ty;          /* direction of the road, unit vector; 0, 0 when it has none */
    double s, n;            /* station along the road and offset to the left; nan when it has none */
    double kappa;           /* curvature of the line at s, positive to the left */
    int32_t material, flags;
} jn_road_point;

/* 0, or the reason why these bytes are no road: 1 too short, 2 not a road, 3 another version, 4 cut short. */
JN_EXPORT int jn_road_check(const void *road, int64_t bytes);

/* Everything about the road at one point. */
JN_EXPORT void jn_road_at(const void *road, double x, double y, double z, jn_road_point *out);

/* out = height, dz/dx, dz/dy, friction. Returns the flags. */
JN_EXPORT int jn_road_query(const void *road, double x, double y, double z, double out[4]);

/* The same for n points; out has 4 columns, more (or NULL) has station, offset, direction x, y, curvature;
 * whole (or NULL) has material and flags. z may be NULL: uppermost. heading (or NULL) has the directions of wheels in
 * plan, x, y: an enveloping contact lies along them; without them along the road. (0, 0) asks for the point alone. */
JN_EXPORT void jn_road_query_many(const void *road, int64_t n, const double *x, const double *y, const double *z,
                                  const double *heading, double *out, double *more, int32_t *whole);

/* The road as a service of a model: a jn_service_fn whose context is the block.
 * arguments = x, y, z; values = height, dz/dx, dz/dy, friction, then their first derivatives. */
JN_EXPORT void jn_road_service(void *context, const double *arguments, int order, double *out);

/* The same for an enveloping contact that lies along a wheel: arguments = x, y, z, direction of the wheel in plan x, y
 * (of any length; 0, 0 for the point alone), five first derivatives of each value. */
JN_EXPORT void jn_road_patch_service(void *context, const double *arguments, int order, double *out);

/* An outside road inside a block: writes height, dz/dx, dz/dy, friction. */
typedef void (*jn_road_external)(void *context, double x, double y, double z, double *out);

#ifdef __cplusplus
}
#endif
#endif
