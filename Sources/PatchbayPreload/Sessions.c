#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include "SwiftABI.h"
#include "PatchbayPreload.h"
#include <pthread.h>

// The initialisers of FoundationNetworking's URLSession, defined once more under their own names: a preloaded library
// is looked in first, so that the program's calls arrive here. Programs built for debugging call the allocating ones
// (fC, on the metatype), others the initialising ones (fc, on the new object).
// `shared` is made by a call inside FoundationNetworking, which no other library can see; its configuration is changed
// when the program first asks for it.
//
// Keep the names and the calling conventions in step with CHookSessions/Sessions.c, which defines the same initialisers for
// programs that link the library: two images, so the code cannot be shared.

#define SESSION "$s20FoundationNetworking10URLSessionC"
#define CONFIGURATION "$s20FoundationNetworking23URLSessionConfigurationC"
#define WITH_CONFIGURATION SESSION "13configurationAcA0C13ConfigurationC_tcf"
#define WITH_DELEGATE \
  SESSION "13configuration8delegate0E5QueueAcA0C13ConfigurationC_AA0C8Delegate_pSg0A009OperationF0CSgtcf"

typedef SWIFT void *(*with_configuration)(void *configuration, CONTEXT void *self);
typedef SWIFT void *(*with_delegate)(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self);
typedef SWIFT void *(*getter)(CONTEXT void *self);
typedef SWIFT void (*setter)(void *value, CONTEXT void *self);

static void release(void *object) {
  static _Atomic(void *) known;
  void (*swift_release)(void *) = (void (*)(void *))original("swift_release", &known);
  if (object && swift_release) swift_release(object);
}

/// Takes a configuration at +1 and gives one at +1: the hook's, or the same.
static void *hooked(void *configuration) {
  const struct hook *hook = hook_for_this_thread();
  if (!hook || !configuration) return configuration;
  patchbay_preload_bypass_begin();
  void *ours = hook->configuration(configuration);
  patchbay_preload_bypass_end();
  if (!ours) return configuration;
  release(configuration);
  return ours;
}

SWIFT void *allocating_with_configuration(void *configuration, CONTEXT void *self)
    __asm__(WITH_CONFIGURATION "C");
SWIFT void *allocating_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_configuration)original(WITH_CONFIGURATION "C", &known))(hooked(configuration), self);
}

SWIFT void *initialising_with_configuration(
    void *configuration, CONTEXT void *self) __asm__(WITH_CONFIGURATION "c");
SWIFT void *initialising_with_configuration(void *configuration, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_configuration)original(WITH_CONFIGURATION "c", &known))(hooked(configuration), self);
}

SWIFT void *allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "C");
SWIFT void *allocating_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_delegate)original(WITH_DELEGATE "C", &known))(hooked(configuration), delegate, witness, queue, self);
}

SWIFT void *initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(WITH_DELEGATE "c");
SWIFT void *initialising_with_delegate(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {
  static _Atomic(void *) known;
  return ((with_delegate)original(WITH_DELEGATE "c", &known))(hooked(configuration), delegate, witness, queue, self);
}

static _Atomic(void *) session_to_hook;

/// `session.configuration.protocolClasses = hooked(session.configuration).protocolClasses`, which counts from the
/// session's next task on.
static void hook_shared(void) {
  static _Atomic(void *) known_configuration, known_get, known_set;
  getter configuration_of = (getter)original(SESSION "13configurationAA0C13ConfigurationCvg", &known_configuration);
  getter classes_of = (getter)original(CONFIGURATION "15protocolClassesSayyXlXpGSgvg", &known_get);
  setter set_classes = (setter)original(CONFIGURATION "15protocolClassesSayyXlXpGSgvs", &known_set);
  const struct hook *hook = hook_for_this_thread();
  if (!hook || !configuration_of || !classes_of || !set_classes) return;
  patchbay_preload_bypass_begin();
  void *configuration = configuration_of(session_to_hook);
  void *ours = hook->configuration(configuration);
  if (ours && ours != configuration) set_classes(classes_of(ours), configuration);
  release(ours);
  release(configuration);
  patchbay_preload_bypass_end();
}

SWIFT void *shared(CONTEXT void *self) __asm__(SESSION "6sharedACvgZ");
SWIFT void *shared(CONTEXT void *self) {
  static _Atomic(void *) known;
  static pthread_once_t hooked_once = PTHREAD_ONCE_INIT;
  getter get = (getter)original(SESSION "6sharedACvgZ", &known);
  // The hook is loaded before the process's first session is made, and a hook's own use of `shared` changes nothing.
  const struct hook *hook = hook_for_this_thread();
  void *session = get(self);
  if (hook) {
    session_to_hook = session;
    pthread_once(&hooked_once, hook_shared);
  }
  return session;
}
#endif
