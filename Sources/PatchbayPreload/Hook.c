#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include "Notes.h"
#include "Slots.h"
#include "PatchbayPreload.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// SwiftPM links a C library against the C++ library and libgcc too. What the linker is told here stands before them,
// so that they are named as needed only if they are, and they are not.
__asm__(".pushsection .swift1_autolink_entries,\"e\",@progbits\n"
        ".asciz \"-Wl,--as-needed\"\n"
        ".popsection\n");

static struct hook the_hook;
static _Atomic(const struct hook *) registered;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;
/// How many brackets (`bypass_begin`, or our own around a call into the hook) this thread is in.
static __thread int inside __attribute__((tls_model("initial-exec")));

// Copied when this library is loaded: a program may rewrite its environment, or the memory that it lies in.
static char hook_path[4096], runtime[512], socket_path[4096], unmatched[8];

static void keep(char *copy, size_t size, const char *name) {
  const char *value = getenv(name);
  if (value && strlen(value) < size) strcpy(copy, value);
}

__attribute__((constructor)) static void read_environment(void) {
  keep(hook_path, sizeof hook_path, "PATCHBAY_HOOK");
  keep(runtime, sizeof runtime, "PATCHBAY_RUNTIME");
  keep(socket_path, sizeof socket_path, "PATCHBAY_SOCKET");
  keep(unmatched, sizeof unmatched, "PATCHBAY_UNMATCHED");
}

void use_hook(const char *path, const char *its_runtime) {
  if (strlen(path) < sizeof hook_path) strcpy(hook_path, path);
  if (strlen(its_runtime) < sizeof runtime) strcpy(runtime, its_runtime);
}

/// The name of the first library that is not the one the hook was built for, or NULL. PATCHBAY_RUNTIME is
/// `libswiftCore.so=HEX,libFoundationNetworking.so=HEX`.
static const char *different_runtime(void) {
  static char name[64];
  for (const char *entry = runtime; *entry;) {
    const char *equals = strchr(entry, '=');
    if (!equals || (size_t)(equals - entry) >= sizeof name) return NULL;
    memcpy(name, entry, (size_t)(equals - entry));
    name[equals - entry] = 0;
    unsigned length = (unsigned)strcspn(equals + 1, ",");
    if (image_differs(name, equals + 1, length)) return name;
    entry = equals + 1 + length;
    if (*entry == ',') entry++;
  }
  return NULL;
}

static void adopt(void *image) {
  patchbay_preload_adopt((int (*)(void *))dlsym(image, "patchbay_hook_session"),
                         (int (*)(void *))dlsym(image, "patchbay_hook_new_session"),
                         (void *(*)(void))dlsym(image, "patchbay_hook_content_loader"));
}

static void load(void) {
  if (atomic_load_explicit(&registered, memory_order_acquire)) return;
  if (dlsym(RTLD_DEFAULT, "patchbay_hook_claim")) return adopt(RTLD_DEFAULT);
  if (!*hook_path) return tell("no-hook", "PATCHBAY_HOOK is not set");
  const char *different = different_runtime();
  if (different) return tell("different-runtime", different);
  void *image = dlopen(hook_path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!image) {
    const char *reason = dlerror();
    return tell("not-loaded", reason ? reason : hook_path);
  }
  adopt(image);
  if (!atomic_load_explicit(&registered, memory_order_acquire)) tell("not-a-hook", hook_path);
}

const struct hook *hook_for_this_thread(void) {
  if (inside) return NULL;
  inside++;
  pthread_once(&loaded, load);
  inside--;
  return atomic_load_explicit(&registered, memory_order_acquire);
}

int patchbay_preload_adopt(int (*session)(void *), int (*new_session)(void *), void *(*content_loader)(void)) {
  if (!session || !new_session) return 0;
  if (atomic_flag_test_and_set(&taken)) {
    const struct hook *hook = atomic_load_explicit(&registered, memory_order_acquire);
    return hook && hook->session == session;
  }
  the_hook.session = session;
  the_hook.new_session = new_session;
  the_hook.content_loader = content_loader;
  atomic_store_explicit(&registered, &the_hook, memory_order_release);
  return 1;
}

const char *patchbay_preload_unmatched(void) { return *unmatched ? unmatched : NULL; }
void patchbay_preload_note(const char *what, const char *detail) { tell(what, detail); }
const char *patchbay_preload_socket(void) { return *socket_path ? socket_path : NULL; }

void patchbay_preload_bypass_begin(void) { inside++; }
void patchbay_preload_bypass_end(void) {
  if (inside > 0) inside--;
}

// A plug-in that was loaded apart from the program's own libraries has FoundationNetworking where RTLD_NEXT does not
// look.
void *original(const char *name, _Atomic(void *) *known) {
  void *address = atomic_load_explicit(known, memory_order_acquire);
  if (address) return address;
  address = led_from(name);
  if (!address) address = dlsym(RTLD_NEXT, name);
  if (!address) {
    const char *path = image_path("libFoundationNetworking.so");
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
      address = dlsym(library, name);
      dlclose(library);
    }
  }
  atomic_store_explicit(known, address, memory_order_release);
  return address;
}
#endif
