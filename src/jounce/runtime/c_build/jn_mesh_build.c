/* The index of a mesh of triangles, built once; jn_road.c reads it, road/mesh.py calls these three in turn.
 *
 * The plan is covered by square tiles; a tile with triangles is divided into r by r leaves, r by the number of its
 * triangles.  A leaf names every triangle that touches it:
 *
 *     tile     2 numbers: first record, r; r = 0 when it is empty
 *     records  8 numbers each: first the occupied leaves of the tile as bits, one number per row of leaves; then the
 *              leaves row by row: number of triangles and their places, or with more than 7 the first place in a list
 *     triangle 9 doubles (corners a, b, c), places of friction and material
 *
 * Triangles are put in the order of the leaves of their centroids, so that those of a leaf lie close together.
 * A triangle touches a square when no side of either separates them (separating axes); squares are a hair wider, so
 * that a point on a border is found on both sides. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "jounce.h"

enum { RECORD = 8, INLINE = 7, TRIANGLE = 10 };

typedef struct {
    double x0, y0, size; /* origin and size of tiles, m */
    double pad;          /* m */
    int64_t nx, ny;
} tiling;

typedef struct {
    double low[2], high[2];
    double ax[3], ay[3], ex[3], ey[3]; /* starts and directions of the edges; inside is to their left */
} shape;

static void shape_of(const double *xyz, const int32_t *t, shape *s)
{
    const double *p[3] = {xyz + 3*(int64_t)t[0], xyz + 3*(int64_t)t[1], xyz + 3*(int64_t)t[2]};
    const double det = (p[1][0] - p[0][0])*(p[2][1] - p[0][1]) - (p[1][1] - p[0][1])*(p[2][0] - p[0][0]);
    const double sign = det > 0.0 ? 1.0 : det < 0.0 ? -1.0 : 0.0; /* 0: on edge, its box counts */
    for (int k = 0; k < 2; ++k) {
        s->low[k] = s->high[k] = p[0][k];
        for (int j = 1; j < 3; ++j) {
            if (p[j][k] < s->low[k]) s->low[k] = p[j][k];
            if (p[j][k] > s->high[k]) s->high[k] = p[j][k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        const double *a = p[k], *b = p[(k + 1)%3];
        s->ax[k] = a[0];
        s->ay[k] = a[1];
        s->ex[k] = sign*(b[0] - a[0]);
        s->ey[k] = sign*(b[1] - a[1]);
    }
}

/* Whether a triangle touches the square of half size h about x, y; their boxes are known to overlap. */
static int touches(const shape *s, double x, double y, double h)
{
    for (int k = 0; k < 3; ++k) {
        const double middle = s->ex[k]*(y - s->ay[k]) - s->ey[k]*(x - s->ax[k]);
        if (middle + h*(fabs(s->ex[k]) + fabs(s->ey[k])) < 0.0) return 0;
    }
    return 1;
}

static int64_t place(double x, double origin, double size, int64_t n)
{
    const double q = (x - origin)/size;
    return q <= 0.0 ? 0 : q >= (double)n ? n - 1 : (int64_t)q;
}

/* Adds one to count[tile] for every triangle that touches a tile. */
JN_EXPORT void jn_mesh_tiles(const double *xyz, const int32_t *tri, int64_t n, const double *grid, int32_t *count);
void jn_mesh_tiles(const double *xyz, const int32_t *tri, int64_t n, const double *grid, int32_t *count)
{
    const tiling g = {grid[0], grid[1], grid[2], grid[3], (int64_t)grid[4], (int64_t)grid[5]};
    for (int64_t k = 0; k < n; ++k) {
        shape s;
        shape_of(xyz, tri + 3*k, &s);
        const int64_t i0 = place(s.low[0] - g.pad, g.x0, g.size, g.nx);
        const int64_t i1 = place(s.high[0] + g.pad, g.x0, g.size, g.nx);
        const int64_t j0 = place(s.low[1] - g.pad, g.y0, g.size, g.ny);
        const int64_t j1 = place(s.high[1] + g.pad, g.y0, g.size, g.ny);
        for (int64_t j = j0; j <= j1; ++j)
            for (int64_t i = i0; i <= i1; ++i)
                if (touches(&s, g.x0 + g.size*((double)i + 0.5), g.y0 + g.size*((double)j + 0.5), 0.5*g.size + g.pad))
                    ++count[j*g.nx + i];
    }
}

typedef void (*leaf_action)(void *context, int64_t record, int64_t triangle);

/* Calls an action for every leaf that each triangle touches, triangles in order. */
static void for_leaves(const double *xyz, const int32_t *tri, int64_t n, const tiling *g, const int32_t *tile,
                       leaf_action action, void *context)
{
    for (int64_t k = 0; k < n; ++k) {
        shape s;
        shape_of(xyz, tri + 3*k, &s);
        const int64_t i0 = place(s.low[0] - g->pad, g->x0, g->size, g->nx);
        const int64_t i1 = place(s.high[0] + g->pad, g->x0, g->size, g->nx);
        const int64_t j0 = place(s.low[1] - g->pad, g->y0, g->size, g->ny);
        const int64_t j1 = place(s.high[1] + g->pad, g->y0, g->size, g->ny);
        for (int64_t j = j0; j <= j1; ++j)
            for (int64_t i = i0; i <= i1; ++i) {
                const int64_t c = j*g->nx + i, r = tile[2*c + 1];
                if (r == 0) continue;
                const double leaf = g->size/(double)r, x = g->x0 + g->size*(double)i, y = g->y0 + g->size*(double)j;
                if (!touches(&s, x + 0.5*g->size, y + 0.5*g->size, 0.5*g->size + g->pad)) continue;
                const int64_t first = tile[2*c] + (r + RECORD - 1)/RECORD;
                const int64_t p0 = place(s.low[0] - g->pad, x, leaf, r), p1 = place(s.high[0] + g->pad, x, leaf, r);
                const int64_t q0 = place(s.low[1] - g->pad, y, leaf, r), q1 = place(s.high[1] + g->pad, y, leaf, r);
                for (int64_t q = q0; q <= q1; ++q)
                    for (int64_t p = p0; p <= p1; ++p)
                        if (touches(&s, x + leaf*((double)p + 0.5), y + leaf*((double)q + 0.5), 0.5*leaf + g->pad))
                            action(context, first + q*r + p, k);
            }
    }
}

static void count_leaf(void *context, int64_t record, int64_t triangle)
{
    (void)triangle;
    ++((int32_t *)context)[record];
}

/* Number of triangles that touch each leaf: count[record]. */
JN_EXPORT void jn_mesh_leaves(const double *xyz, const int32_t *tri, int64_t n, const double *grid, const int32_t *tile,
                              int32_t *count);
void jn_mesh_leaves(const double *xyz, const int32_t *tri, int64_t n, const double *grid, const int32_t *tile,
                    int32_t *count)
{
    const tiling g = {grid[0], grid[1], grid[2], grid[3], (int64_t)grid[4], (int64_t)grid[5]};
    for_leaves(xyz, tri, n, &g, tile, count_leaf, count);
}

typedef struct {
    const int32_t *count, *name;
    int32_t *record, *more;
    int32_t *done;
} filling;

static void fill_leaf(void *context, int64_t record, int64_t triangle)
{
    filling *f = context;
    int32_t *own = f->record + RECORD*record;
    const int32_t m = f->done[record]++;
    if (f->count[record] <= INLINE) own[1 + m] = f->name[triangle];
    else f->more[own[1] + m] = f->name[triangle];
}

/* Fills records (zeroed), the list of long leaves and the triangles in their new order.
 * count: of jn_mesh_leaves; name and done: scratch for n and for as many numbers as records (zeroed). */
JN_EXPORT void jn_mesh_fill(const double *xyz, const int32_t *tri, int64_t n, const double *grid, const int32_t *tile,
                            const int32_t *count, int64_t n_records, const int32_t *friction, const int32_t *material,
                            int32_t *record, int32_t *more, double *triangle, int32_t *name, int32_t *done);
void jn_mesh_fill(const double *xyz, const int32_t *tri, int64_t n, const double *grid, const int32_t *tile,
                  const int32_t *count, int64_t n_records, const int32_t *friction, const int32_t *material,
                  int32_t *record, int32_t *more, double *triangle, int32_t *name, int32_t *done)
{
    const tiling g = {grid[0], grid[1], grid[2], grid[3], (int64_t)grid[4], (int64_t)grid[5]};
    /* order: by the leaf of the centroid (counting sort) */
    for (int64_t k = 0; k < n; ++k) {
        const int32_t *t = tri + 3*k;
        double x = 0.0, y = 0.0;
        for (int j = 0; j < 3; ++j) x += xyz[3*(int64_t)t[j]]/3.0, y += xyz[3*(int64_t)t[j] + 1]/3.0;
        const int64_t i = place(x, g.x0, g.size, g.nx), j = place(y, g.y0, g.size, g.ny), c = j*g.nx + i;
        const int64_t r = tile[2*c + 1];
        int64_t home = tile[2*c];
        if (r > 0) {
            const double leaf = g.size/(double)r;
            home += (r + RECORD - 1)/RECORD + place(y, g.y0 + g.size*(double)j, leaf, r)*r
                    + place(x, g.x0 + g.size*(double)i, leaf, r);
        }
        name[k] = (int32_t)home;
        ++done[home];
    }
    int32_t sum = 0;
    for (int64_t c = 0; c < n_records; ++c) {
        const int32_t m = done[c];
        done[c] = sum;
        sum += m;
    }
    for (int64_t k = 0; k < n; ++k) {
        const int32_t to = done[name[k]]++;
        double *out = triangle + TRIANGLE*(int64_t)to;
        for (int j = 0; j < 3; ++j) memcpy(out + 3*j, xyz + 3*(int64_t)tri[3*k + j], 3*sizeof(double));
        const int32_t kind[2] = {friction ? friction[k] : 0, material ? material[k] : 0};
        memcpy(out + 9, kind, sizeof kind);
        name[k] = to;
    }
    /* leaves */
    memset(done, 0, (size_t)n_records*sizeof *done);
    int32_t next = 0;
    for (int64_t c = 0; c < n_records; ++c) {
        record[RECORD*c] = count[c];
        if (count[c] > INLINE) {
            record[RECORD*c + 1] = next;
            next += count[c];
        }
    }
    filling f = {count, name, record, more, done};
    for_leaves(xyz, tri, n, &g, tile, fill_leaf, &f);
    /* bits of the occupied leaves */
    for (int64_t c = 0; c < g.nx*g.ny; ++c) {
        const int64_t r = tile[2*c + 1], head = tile[2*c];
        const int64_t first = head + (r + RECORD - 1)/RECORD;
        for (int64_t q = 0; q < r; ++q) {
            uint32_t bits = 0;
            for (int64_t p = 0; p < r; ++p)
                if (count[first + q*r + p] > 0) bits |= (uint32_t)1 << p;
            memcpy(record + RECORD*head + q, &bits, sizeof bits);
        }
    }
}
