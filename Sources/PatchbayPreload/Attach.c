#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include "Notes.h"
#include "Slots.h"
#include "PatchbayAttachBlock.h"
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

// This library in a program that did not start with it: it loads the hook, leads the program's calls to it, and puts it
// into the sessions that the tool outside finds.

/// The words that the code before the block reads; the request stands behind them.
enum { HEAD = 4096 };

_Static_assert(offsetof(struct patchbay_attach_request, hook) == 40, "AttachRequest.swift has these offsets");
_Static_assert(offsetof(struct patchbay_attach_request, runtime) == 4136, "AttachRequest.swift has these offsets");
_Static_assert(offsetof(struct patchbay_attach_request, rendezvous) == 4648, "AttachRequest.swift has these offsets");
_Static_assert(offsetof(struct patchbay_attach_request, message) == 5160, "AttachRequest.swift has these offsets");
_Static_assert(offsetof(struct patchbay_attach_request, sessions) == 6184, "AttachRequest.swift has these offsets");

struct patchbay_attachment patchbay_attachment = {.version = 1};
/// A tool that was killed leaves a thread that waits for it; the next tool brings another. Not held while one waits.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

const char *patchbay_preload_rendezvous(void) {
  return *patchbay_attachment.rendezvous ? patchbay_attachment.rendezvous : NULL;
}

/// Waits until the tool wants something. 0 if it does not within 20 s: it is dead.
static uint32_t next_order(const struct patchbay_attach_request *request) {
  for (int i = 0; i < 100000; i++) {
    uint32_t order = __atomic_load_n(&request->order, __ATOMIC_ACQUIRE);
    if (order != PATCHBAY_ATTACH_WAIT) return order;
    struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  return PATCHBAY_ATTACH_WAIT;
}

static void set_phase(struct patchbay_attach_request *request, uint32_t phase) {
  __atomic_store_n(&request->phase, phase, __ATOMIC_RELEASE);
}

static void hook_sessions(struct patchbay_attach_request *request, const struct hook *hook) {
  static _Atomic(void *) known;
  void (*release)(void *) = (void (*)(void *))original("swift_release", &known);
  for (uint32_t i = 0; i < request->count && i < PATCHBAY_ATTACH_SESSIONS; i++) {
    void *session = (void *)(uintptr_t)request->sessions[i];
    if (hook->session(session)) request->hooked++;
    if (release) release(session);
  }
  __atomic_store_n(&request->order, PATCHBAY_ATTACH_WAIT, __ATOMIC_RELEASE);
}

/// The hook, in force and asked for every session that is made from now on; NULL, and why, if it cannot be had.
static const struct hook *bring_in(struct patchbay_attach_request *request) {
  if (patchbay_attachment.stage == PATCHBAY_ATTACHMENT_NONE) {
    snprintf(patchbay_attachment.rendezvous, sizeof patchbay_attachment.rendezvous, "%s", request->rendezvous);
    use_hook(request->hook, request->runtime);
  }
  const struct hook *hook = hook_for_this_thread();
  if (!hook || !hook->session) {
    *patchbay_attachment.rendezvous = 0;
    snprintf(request->message, sizeof request->message, "%s", told());
    return NULL;
  }
  if (patchbay_attachment.stage == PATCHBAY_ATTACHMENT_NONE) patchbay_attachment.stage = PATCHBAY_ATTACHMENT_BEGUN;
  // The link first, on this thread: whoever makes a session afterwards finds the stubs there and does not wait for them.
  hook->session(NULL);
  request->slots = lead_calls((const void *)hook->session);
  return hook;
}

static void attach(struct patchbay_attach_request *request) {
  pthread_mutex_lock(&one_at_a_time);
  const struct hook *hook = bring_in(request);
  pthread_mutex_unlock(&one_at_a_time);
  set_phase(request, hook ? PATCHBAY_ATTACH_READY : PATCHBAY_ATTACH_FAILED);
  if (!hook) return;
  uint32_t order;
  while ((order = next_order(request)) == PATCHBAY_ATTACH_HOOK) {
    pthread_mutex_lock(&one_at_a_time);
    hook_sessions(request, hook);
    pthread_mutex_unlock(&one_at_a_time);
  }
  if (order == PATCHBAY_ATTACH_DONE) patchbay_attachment.stage = PATCHBAY_ATTACHMENT_WHOLE;
}

void *patchbay_preload_attach(void *block) {
  struct patchbay_attach_request *request = (void *)((char *)block + HEAD);
  if (request->version == PATCHBAY_ATTACH_VERSION) {
    attach(request);
  } else {
    snprintf(request->message, sizeof request->message, "another-version\t");
    set_phase(request, PATCHBAY_ATTACH_FAILED);
  }
  // What went wrong is read before this is taken away; and a borrowed thread whose tool was killed is out of it by then.
  if (request->phase != PATCHBAY_ATTACH_READY) next_order(request);
  if (request->mapping_size) munmap((void *)(uintptr_t)request->mapping, request->mapping_size);
  return NULL;
}
#endif
