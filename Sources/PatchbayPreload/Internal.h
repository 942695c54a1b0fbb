#ifndef PATCHBAY_PRELOAD_INTERNAL_H
#define PATCHBAY_PRELOAD_INTERNAL_H

/// Of this library alone: the program may have a function of the same name.
#define INTERNAL __attribute__((visibility("hidden")))

#endif
