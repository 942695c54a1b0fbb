#ifndef PATCHBAY_PRELOAD_HOOK_H
#define PATCHBAY_PRELOAD_HOOK_H

#include "Internal.h"
#include <stdatomic.h>

struct hook {
  /// Both put the hook into a session, or only begin the link where it is NULL; `new_session` into one that nobody but the caller has yet.
  int (*session)(void *session);
  int (*new_session)(void *session);
  /// May be NULL.
  void *(*content_loader)(void);
};

/// Says where the hook is, and what it was built for, in a program that did not start with this library.
INTERNAL void use_hook(const char *path, const char *runtime);

/// The hook, or NULL if there is none to have or this thread's sessions are to be left alone.
/// The first call of the process loads it.
INTERNAL const struct hook *hook_for_this_thread(void);

/// The address of `name` as the program would have it without this library, or NULL; kept in `known`.
INTERNAL void *original(const char *name, _Atomic(void *) *known);

/// The loaded image whose file is called `name` and whose GNU build id is not `hex`: 1 if so, 0 if it has that id, has
/// none at all or is not loaded.
INTERNAL int image_differs(const char *name, const char *hex, unsigned hex_length);

/// The path of the loaded image whose file is called `name`, or NULL.
INTERNAL const char *image_path(const char *name);

#endif
