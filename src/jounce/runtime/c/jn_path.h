/* Paths that drivers and sensors follow: one flat block of doubles with any number of them, and three questions.
 *
 * road/paths.py writes the block.  The functions only read it: no allocation, no state between two calls.  Which part
 * of a path that crosses or meets itself is meant follows from the station near which the caller looks. */
#ifndef JN_PATH_H
#define JN_PATH_H

#include <stdint.h>

#include "jounce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JN_PATH_MAGIC 1885433960.0 /* first word of a block */
#define JN_PATH_VERSION 1.0
#define JN_PATH_REACH 100.0   /* m: how far from the given station a foot is looked for */
#define JN_PATH_ANYWHERE 1e12 /* m: a station beyond this, or nan, asks for the nearest place of the whole path */

enum { JN_PATH_PROJECT_IN = 5, JN_PATH_PROJECT_OUT = 4, JN_PATH_AT_IN = 2, JN_PATH_AT_OUT = 9 };
enum { JN_PATH_CURVATURE_IN = 2, JN_PATH_CURVATURE_OUT = 1 };

/* 0, or the reason why these numbers are no paths: 1 too short, 2 not paths, 3 another version, 4 cut short. */
JN_EXPORT int jn_path_check(const double *paths, int64_t n);

/* Services of a model (jn_service_fn) whose context is the block; first derivatives with order 1.
 *
 * project: number of the path, x, y, z, station near which to look -> station, offset to the left, heading, curvature.
 *     Stations of a closed path count on over its laps; beyond the ends of an open one it goes straight on. z matters
 *     only to a search of the whole path, where storeys lie above each other.
 * at: number of the path, station -> x, y, z, heading, curvature, slope dz/ds, tangent of the bank, speed (0: none), dv/ds.
 * curvature: number of the path, station -> curvature alone, as of ``at``, for those who ask at many stations. */
JN_EXPORT void jn_path_project_service(void *context, const double *arguments, int order, double *out);
JN_EXPORT void jn_path_at_service(void *context, const double *arguments, int order, double *out);
JN_EXPORT void jn_path_curvature_service(void *context, const double *arguments, int order, double *out);

#ifdef __cplusplus
}
#endif
#endif
