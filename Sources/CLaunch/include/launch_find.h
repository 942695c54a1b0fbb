#ifndef LAUNCH_FIND_H
#define LAUNCH_FIND_H

#include <stddef.h>

/// `memmem`, which Swift does not see.
const void *launch_find(const void *bytes, size_t count, const void *wanted, size_t wanted_count);

/// Whether the system gives whoever starts the file rights that they have not (capabilities(7), "File capabilities").
int launch_has_capabilities(const char *path);

#endif
