#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "worker_monitor.h"

#ifdef __linux__

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Declared here as plain pointers: Dispatch's header declares the function that is defined below with its own types.
extern void dispatch_suspend(void *object);
extern void dispatch_resume(void *object);
extern void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue);

static _Atomic(void *) monitor;
static bool is_suspended;

static const uint64_t second = 1000000000;

static bool is_in_dispatch(const void *address) {
  Dl_info place, dispatch;
  return dladdr(address, &place) != 0 && dladdr((const void *)dispatch_source_create, &dispatch) != 0 &&
         place.dli_fbase == dispatch.dli_fbase;
}

/// In front of Dispatch's own, which it calls. Weak: where Dispatch is linked in statically its own is taken, and the
/// monitor is not seen.
__attribute__((weak, used, visibility("default"))) void dispatch_source_set_timer(
    void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  static _Atomic(void *) next;
  void *function = atomic_load(&next);
  if (function == NULL) {
    function = dlsym(RTLD_NEXT, "dispatch_source_set_timer");
    if (function == NULL) return;
    atomic_store(&next, function);
  }
  // Of Dispatch's own timers only the monitor comes every second.
  if (interval == second && leeway == 0 && is_in_dispatch(__builtin_return_address(0))) atomic_store(&monitor, source);
  ((void (*)(void *, uint64_t, uint64_t, uint64_t))function)(source, start, interval, leeway);
}

bool patchbay_worker_monitor_suspend(void) {
  void *timer = atomic_load(&monitor);
  if (timer == NULL) return false;
  if (!is_suspended) dispatch_suspend(timer);
  is_suspended = true;
  return true;
}

void patchbay_worker_monitor_resume(void) {
  if (!is_suspended) return;
  is_suspended = false;
  dispatch_resume(atomic_load(&monitor));
}

#else

bool patchbay_worker_monitor_suspend(void) { return false; }
void patchbay_worker_monitor_resume(void) {}

#endif
