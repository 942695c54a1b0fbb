#ifdef __linux__
#define _GNU_SOURCE
#include "PatchbayPreload.h"
#include "Slots.h"
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// The ways in which a program ends without its exit handlers. The C library's own calls of `_exit`, at the end of `exit`
// and in the children of `posix_spawn`, do not arrive here.

static void (*_Atomic before_exit)(void);

void patchbay_preload_before_exit(void (*function)(void)) {
  atomic_store_explicit(&before_exit, function, memory_order_release);
}

__attribute__((noreturn)) void _exit(int status) {
  void (*function)(void) = atomic_load_explicit(&before_exit, memory_order_acquire);
  if (function) function();
  // What the C library does, which cannot be asked from a signal's handler.
  for (;;) syscall(SYS_exit_group, status);
}

__attribute__((noreturn)) void _Exit(int status) { _exit(status); }

// Under a name of its own, see `Sessions.c`.
extern __typeof(_exit) our_exit __attribute__((visibility("hidden"), alias("_exit")));

const struct substitute exit_substitutes[] = {{"_exit", (void *)our_exit}, {"_Exit", (void *)our_exit}, {0}};
#endif
