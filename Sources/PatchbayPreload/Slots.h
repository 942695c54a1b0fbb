#ifndef PATCHBAY_PRELOAD_SLOTS_H
#define PATCHBAY_PRELOAD_SLOTS_H

#include "Hook.h"

/// A function of another library that this one stands for, and ours.
struct substitute {
  const char *name;
  void *function;
};

/// Those of `Sessions.c`, `ContentLoader.c` and `Exit.c`; each table ends with a NULL name.
INTERNAL extern const struct substitute session_substitutes[], loader_substitutes[], exit_substitutes[];

/// Leads the calls of all images that are loaded, and of those that will be, to the substitutes. What FoundationNetworking
/// and the hook do inside is left alone, as it is where this library was preloaded.
///
/// `in_hook` is any address in the hook. Returns how many slots were pointed elsewhere.
INTERNAL unsigned lead_calls(const void *in_hook);

/// What `name` was before its calls were led to us, or NULL.
INTERNAL void *led_from(const char *name);

#endif
