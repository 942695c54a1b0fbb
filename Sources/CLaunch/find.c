#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_find.h"
#include <string.h>

const void *launch_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count) {
  return memmem(bytes, count, wanted, wanted_count);
}
