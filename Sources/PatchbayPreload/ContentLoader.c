#ifdef __linux__
#include "Hook.h"
#include "Slots.h"
#include "SwiftABI.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// `Data(contentsOf:)` and its like with an http URL make a session inside FoundationNetworking, by calls that no other
// library can see. They find their way there in two ways, and both can be met:
// - FoundationEssentials (`Data`, `String`) calls a `dynamic` initialiser, for which FoundationNetworking has a
//   replacement. The hook has another one, which counts as soon as it is loaded; so it is loaded when that
//   initialiser asks for its replacement.
// - Foundation (`NSData`, `NSString`) looks for a class by its name, once. The look-up is answered with the hook's.

#define DATA_FROM_NETWORK "$s20FoundationEssentials4DataV17_contentsOfRemote7optionsAcA3URLV_AC14ReadingOptionsVtKcfC"
#define TYPE_BY_NAME "$ss11_typeByNameyypXpSgSSF"

/// Swift's runtime: what a `dynamic` function is to jump to; `entry` is the head of its chain of replacements ("TX").
char *swift_getFunctionReplacement(char **entry, char *function) {
  static _Atomic(void *) known, known_entry;
  typedef char *(*look_up)(char **, char *);
  look_up next = (look_up)original("swift_getFunctionReplacement", &known);
  if ((void *)entry == original(DATA_FROM_NETWORK "TX", &known_entry)) hook_for_this_thread();
  return next ? next(entry, function) : NULL;
}

static int is_content_loader(uint64_t count_and_flags, uint64_t object) {
  static const char name[] = "FoundationNetworking._NSNonfileURLContentLoader";
  const uint64_t small_bridged_or_foreign = UINT64_C(7) << 60, text_offset = 32;
  size_t length = count_and_flags & ((UINT64_C(1) << 48) - 1);
  if (object & small_bridged_or_foreign || length != sizeof name - 1) return 0;
  const char *text = (const char *)(uintptr_t)((object & ~(UINT64_C(15) << 60)) + text_offset);
  return memcmp(text, name, length) == 0;
}

/// `Swift._typeByName(_: String) -> Any.Type?`
SWIFT void *type_by_name(uint64_t count_and_flags, uint64_t object) __asm__(TYPE_BY_NAME);
SWIFT void *type_by_name(uint64_t count_and_flags, uint64_t object) {
  static _Atomic(void *) known;
  typedef SWIFT void *(*look_up)(uint64_t, uint64_t);
  look_up next = (look_up)original(TYPE_BY_NAME, &known);
  if (is_content_loader(count_and_flags, object)) {
    // Asked first, for without FoundationNetworking there is nothing to stand in for.
    void *native = next ? next(count_and_flags, object) : NULL;
    const struct hook *hook = native ? hook_for_this_thread() : NULL;
    void *ours = hook && hook->content_loader ? hook->content_loader() : NULL;
    return ours ? ours : native;
  }
  return next ? next(count_and_flags, object) : NULL;
}

// Under a name of its own, see `Sessions.c`. The other one only loads the hook.
extern __typeof(type_by_name) our_type_by_name __attribute__((visibility("hidden"), alias(TYPE_BY_NAME)));

const struct substitute loader_substitutes[] = {{TYPE_BY_NAME, (void *)our_type_by_name}, {0}};
#endif
