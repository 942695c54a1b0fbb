#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include "Slots.h"
#include "SwiftABI.h"
#include "PatchbayPreload.h"
#include <pthread.h>

// The initialisers of FoundationNetworking's URLSession, defined once more under their own names: a preloaded library
// is looked in first, so that the program's calls arrive here. Programs built for debugging call the allocating ones
// (fC, on the metatype), others the initialising ones (fc, on the new object). The hook is put into the session that
// they made, before the program has it.
// `shared` is made by a call inside FoundationNetworking, which no other library can see; it gets the hook when the
// program first asks for it.
//
// Keep the names and the calling conventions in step with CHookSessions/Sessions.c, which defines the same functions for
// programs that link the library: two images, so the code cannot be shared.

#define SESSION "$s20FoundationNetworking10URLSessionC"
#define WITH_CONFIGURATION SESSION "13configurationAcA0C13ConfigurationC_tcf"
#define WITH_DELEGATE \
  SESSION "13configuration8delegate0E5QueueAcA0C13ConfigurationC_AA0C8Delegate_pSg0A009OperationF0CSgtcf"
#define SHARED SESSION "6sharedACvgZ"

typedef SWIFT void *(*with_configuration)(void *configuration, CONTEXT void *self);
typedef SWIFT void *(*with_delegate)(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self);
typedef SWIFT void *(*getter)(CONTEXT void *self);

/// The session, which the caller alone has yet, with the hook in it.
static void *hooked(void *session) {
  const struct hook *hook = hook_for_this_thread();
  if (!hook || !session) return session;
  patchbay_preload_bypass_begin();
  hook->new_session(session);
  patchbay_preload_bypass_end();
  return session;
}

SWIFT void *allocating_with_configuration(void *configuration, CONTEXT void *self)
    __asm__(WITH_CONFIGURATION "C");
SWIFT void *allocating_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return hooked(((with_configuration)original(WITH_CONFIGURATION "C", &known))(configuration, self));
}

SWIFT void *initialising_with_configuration(
    void *configuration, CONTEXT void *self) __asm__(WITH_CONFIGURATION "c");
SWIFT void *initialising_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return hooked(((with_configuration)original(WITH_CONFIGURATION "c", &known))(configuration, self));
}

SWIFT void *allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "C");
SWIFT void *allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return hooked(
      ((with_delegate)original(WITH_DELEGATE "C", &known))(configuration, delegate, witness, queue, self));
}

SWIFT void *initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "c");
SWIFT void *initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return hooked(
      ((with_delegate)original(WITH_DELEGATE "c", &known))(configuration, delegate, witness, queue, self));
}

static _Atomic(void *) session_to_hook;

static void hook_shared(void) {
  const struct hook *hook = hook_for_this_thread();
  if (!hook) return;
  patchbay_preload_bypass_begin();
  hook->session(session_to_hook);
  patchbay_preload_bypass_end();
}

SWIFT void *shared(CONTEXT void *self) __asm__(SHARED);
SWIFT void *shared(CONTEXT void *self) {
  static _Atomic(void *) known;
  static pthread_once_t hooked_once = PTHREAD_ONCE_INIT;
  getter get = (getter)original(SHARED, &known);
  // A hook's own use of `shared` changes nothing.
  const struct hook *hook = hook_for_this_thread();
  void *session = get(self);
  if (hook) {
    session_to_hook = session;
    pthread_once(&hooked_once, hook_shared);
  }
  return session;
}

// Where this library was not loaded first, its own references to these names mean FoundationNetworking's. These do not.
#define OURS __attribute__((visibility("hidden")))
extern __typeof(allocating_with_configuration) our_allocating_with_configuration OURS
    __attribute__((alias(WITH_CONFIGURATION "C")));
extern __typeof(initialising_with_configuration) our_initialising_with_configuration OURS
    __attribute__((alias(WITH_CONFIGURATION "c")));
extern __typeof(allocating_with_delegate) our_allocating_with_delegate OURS __attribute__((alias(WITH_DELEGATE "C")));
extern __typeof(initialising_with_delegate) our_initialising_with_delegate OURS __attribute__((alias(WITH_DELEGATE "c")));
extern __typeof(shared) our_shared OURS __attribute__((alias(SHARED)));

const struct substitute session_substitutes[] = {
    {WITH_CONFIGURATION "C", (void *)our_allocating_with_configuration},
    {WITH_CONFIGURATION "c", (void *)our_initialising_with_configuration},
    {WITH_DELEGATE "C", (void *)our_allocating_with_delegate},
    {WITH_DELEGATE "c", (void *)our_initialising_with_delegate},
    {SHARED, (void *)our_shared},
    {0},
};
#endif
