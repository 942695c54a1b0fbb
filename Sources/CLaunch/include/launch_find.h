#ifndef LAUNCH_FIND_H
#define LAUNCH_FIND_H

#include <stddef.h>

/// `memmem`, which Swift does not see.
const void *launch_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

#endif
