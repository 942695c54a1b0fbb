#include "launch_memory.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void launch_map_large_pieces(void) {
#ifdef __GLIBC__
  /* Set by hand it stays: by itself it grows with each large piece that is freed, up to 32 MB. */
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

void launch_give_back_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
