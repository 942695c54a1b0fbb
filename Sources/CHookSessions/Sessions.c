#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CHookSessions.h"
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(void *(*)(void *)) hook;
/// How many brackets this thread is in.
static __thread int inside;

void patchbay_sessions_begin(void *(*configuration)(void *)) {
  atomic_store_explicit(&hook, configuration, memory_order_release);
}

void patchbay_sessions_bypass_begin(void) { inside++; }
void patchbay_sessions_bypass_end(void) {
  if (inside > 0) inside--;
}

#ifdef __linux__
#include <dlfcn.h>

// FoundationNetworking's URLSession initialisers, defined once more under their own names: a program's own definition
// counts before that of a library, so that a program that links the hook comes here when it makes a session. Weak, so
// that a program with FoundationNetworking linked into it keeps that one's. Debug builds call the allocating ones (fC,
// on the metatype), others the initialising ones (fc, on the new object).
//
// Keep the names and the calling conventions in step with PatchbayPreload/Sessions.c, which defines the same initialisers in
// a library of its own: two images, so the code cannot be shared.

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define WEAK __attribute__((weak))
#define SESSION "$s20FoundationNetworking10URLSessionC"
#define WITH_CONFIGURATION SESSION "13configurationAcA0C13ConfigurationC_tcf"
#define WITH_DELEGATE \
  SESSION "13configuration8delegate0E5QueueAcA0C13ConfigurationC_AA0C8Delegate_pSg0A009OperationF0CSgtcf"

typedef SWIFT void *(*with_configuration)(void *configuration, CONTEXT void *self);
typedef SWIFT void *(*with_delegate)(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self);

static void *original(const char *name, _Atomic(void *) *known) {
  void *address = atomic_load_explicit(known, memory_order_acquire);
  if (address) return address;
  address = dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, address, memory_order_release);
  return address;
}

/// Takes a configuration at +1 and gives one at +1: the hook's, or the same.
static void *hooked(void *configuration) {
  static _Atomic(void *) known;
  void *(*change)(void *) = atomic_load_explicit(&hook, memory_order_acquire);
  if (!change || inside || !configuration) return configuration;
  inside++;
  void *ours = change(configuration);
  inside--;
  if (!ours) return configuration;
  void (*release)(void *) = (void (*)(void *))original("swift_release", &known);
  if (release) release(configuration);
  return ours;
}

WEAK SWIFT void *patchbay_allocating_with_configuration(void *configuration, CONTEXT void *self)
    __asm__(WITH_CONFIGURATION "C");
WEAK SWIFT void *patchbay_allocating_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_configuration)original(WITH_CONFIGURATION "C", &known))(hooked(configuration), self);
}

WEAK SWIFT void *patchbay_initialising_with_configuration(void *configuration, CONTEXT void *self)
    __asm__(WITH_CONFIGURATION "c");
WEAK SWIFT void *patchbay_initialising_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_configuration)original(WITH_CONFIGURATION "c", &known))(hooked(configuration), self);
}

WEAK SWIFT void *patchbay_allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "C");
WEAK SWIFT void *patchbay_allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_delegate)original(WITH_DELEGATE "C", &known))(hooked(configuration), delegate, witness, queue, self);
}

WEAK SWIFT void *patchbay_initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "c");
WEAK SWIFT void *patchbay_initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_delegate)original(WITH_DELEGATE "c", &known))(hooked(configuration), delegate, witness, queue, self);
}
#endif
