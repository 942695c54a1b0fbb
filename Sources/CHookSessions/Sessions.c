#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CHookSessions.h"
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(patchbay_session_listener) listener;
/// How many brackets this thread is in.
static __thread int inside;

void patchbay_sessions_begin(patchbay_session_listener told) {
  atomic_store_explicit(&listener, told, memory_order_release);
}

void patchbay_sessions_bypass_begin(void) { inside++; }
void patchbay_sessions_bypass_end(void) {
  if (inside > 0) inside--;
}

#ifdef __linux__
#include <dlfcn.h>

// FoundationNetworking's URLSession initialisers and `URLSession.shared`, defined once more under their own names: a
// program's own definition counts before that of a library, so that a program that links the hook comes here when it
// makes a session. Weak, so that a program with FoundationNetworking linked into it keeps that one's. Debug builds call
// the allocating ones (fC, on the metatype), others the initialising ones (fc, on the new object). `shared` is made by a
// call inside FoundationNetworking, which nobody else can see, so that it is told of when the program asks for it.
//
// Keep the names and the calling conventions in step with PatchbayPreload/Sessions.c, which defines the same functions in
// a library of its own: two images, so the code cannot be shared.

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define STANDS_FOR(name) __attribute__((weak, alias(#name)))
#define SESSION "$s20FoundationNetworking10URLSessionC"
#define WITH_CONFIGURATION SESSION "13configurationAcA0C13ConfigurationC_tcf"
#define WITH_DELEGATE \
  SESSION "13configuration8delegate0E5QueueAcA0C13ConfigurationC_AA0C8Delegate_pSg0A009OperationF0CSgtcf"
#define SHARED SESSION "6sharedACvgZ"

typedef SWIFT void *(*with_configuration)(void *configuration, CONTEXT void *self);
typedef SWIFT void *(*with_delegate)(
    void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self);
typedef SWIFT void *(*getter)(CONTEXT void *self);

static void *original(const char *name, _Atomic(void *) *known) {
  void *address = atomic_load_explicit(known, memory_order_acquire);
  if (address) return address;
  address = dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, address, memory_order_release);
  return address;
}

static void count_reference(const char *function, _Atomic(void *) *known, void *object) {
  void (*change)(void *) = (void (*)(void *))original(function, known);
  if (object && change) change(object);
}

static void tell(void *session, int is_new) {
  patchbay_session_listener told = atomic_load_explicit(&listener, memory_order_acquire);
  if (!told || inside || !session) return;
  inside++;
  told(session, is_new);
  inside--;
}

// The configuration arrives at +1, and the initialiser takes it. It is kept until the session is told of: what knows a
// configuration weakly must find the one or the other.
static _Atomic(void *) known_retain, known_release;

static void *keep(void *configuration) {
  count_reference("swift_retain", &known_retain, configuration);
  return configuration;
}

static void *made(void *session, void *configuration) {
  tell(session, 1);
  count_reference("swift_release", &known_release, configuration);
  return session;
}

#define MADE_WITH_CONFIGURATION(function, name)                                                                  \
  SWIFT static void *function(void *configuration, CONTEXT void *self) {                                         \
    static _Atomic(void *) known;                                                                                \
    with_configuration make = (with_configuration)original(name, &known);                                        \
    return made(make(keep(configuration), self), configuration);                                                 \
  }                                                                                                              \
  SWIFT void *patchbay_##function(void *configuration, CONTEXT void *self) __asm__(name) STANDS_FOR(function);

#define MADE_WITH_DELEGATE(function, name)                                                                       \
  SWIFT static void *function(                                                                                   \
      void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) {                     \
    static _Atomic(void *) known;                                                                                \
    with_delegate make = (with_delegate)original(name, &known);                                                  \
    return made(make(keep(configuration), delegate, witness, queue, self), configuration);                       \
  }                                                                                                              \
  SWIFT void *patchbay_##function(                                                                               \
      void *configuration, void *delegate, void *witness, void *queue, CONTEXT void *self) __asm__(name)         \
      STANDS_FOR(function);

MADE_WITH_CONFIGURATION(allocating_with_configuration, WITH_CONFIGURATION "C")
MADE_WITH_CONFIGURATION(initialising_with_configuration, WITH_CONFIGURATION "c")
MADE_WITH_DELEGATE(allocating_with_delegate, WITH_DELEGATE "C")
MADE_WITH_DELEGATE(initialising_with_delegate, WITH_DELEGATE "c")

SWIFT static void *shared(CONTEXT void *self) {
  static _Atomic(void *) known;
  static atomic_int is_told;
  void *session = ((getter)original(SHARED, &known))(self);
  if (inside || atomic_load_explicit(&is_told, memory_order_acquire)) return session;
  // Whoever comes meanwhile tells of it too, so that nobody uses it before it is known.
  tell(session, 0);
  atomic_store_explicit(&is_told, 1, memory_order_release);
  return session;
}
SWIFT void *patchbay_shared(CONTEXT void *self) __asm__(SHARED) STANDS_FOR(shared);

int patchbay_sessions_are_seen(void) {
  return dlsym(RTLD_DEFAULT, WITH_CONFIGURATION "C") == (void *)allocating_with_configuration &&
         dlsym(RTLD_NEXT, WITH_CONFIGURATION "C") != NULL;
}
#else
int patchbay_sessions_are_seen(void) { return 0; }
#endif
