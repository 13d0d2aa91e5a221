/* What a random read of this machine's memory costs: the floor under queries of large roads at random places. */
#include <stdint.h>

#include "jounce.h"

/* Follows a chain of places, each read waiting for the one before; returns where it ends. */
JN_EXPORT int64_t jn_memory_chain(const int64_t *next, int64_t begin, int64_t steps);
int64_t jn_memory_chain(const int64_t *next, int64_t begin, int64_t steps)
{
    while (steps-- > 0) begin = next[begin];
    return begin;
}
