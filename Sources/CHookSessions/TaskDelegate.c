#ifdef __linux__
#define _GNU_SOURCE
#include "CHookSessions.h"
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// `URLSessionTask.delegate` is read by way of the table of functions that each of Foundation's task classes has, by
// Foundation itself as by programs. The entry is replaced by one that answers Foundation with the hook's listener, if
// there is one, and everybody else with the truth.

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define DELEGATE "$s20FoundationNetworking14URLSessionTaskC8delegateAA0cD8Delegate_pSgvg"

typedef SWIFT struct patchbay_delegate (*getter)(CONTEXT void *task);

static getter original;
static uintptr_t code_begin, code_end;
static struct patchbay_delegate (*listener)(void *task);

// What is read here was written before the entry that leads here, which is read by code that knows nothing of it; so the
// thread sanitizer cannot tell, and the processor has to be told.
__attribute__((no_sanitize("thread"))) SWIFT static struct patchbay_delegate delegate(CONTEXT void *task) {
  atomic_thread_fence(memory_order_acquire);
  uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  if (caller >= code_begin && caller < code_end) {
    struct patchbay_delegate ours = listener(task);
    if (ours.object) return ours;
  }
  return original(task);
}

/// Finds the code of the library that the getter is in. The program's own code is none: one cannot be told from the other
/// there.
static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  uintptr_t address = (uintptr_t)*(getter *)data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || address < begin || address >= begin + header->p_memsz)
      continue;
    if (info->dlpi_name && *info->dlpi_name) {
      code_begin = begin;
      code_end = begin + header->p_memsz;
    }
    return 1;
  }
  return 0;
}

/// Whether a word may be written, by the segment that it lies in.
static int visit_word(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  uintptr_t address = (uintptr_t)*(void **)data;
  int writable = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (address < begin || address >= begin + header->p_memsz) continue;
    if (header->p_type == PT_GNU_RELRO) return 0;
    if (header->p_type == PT_LOAD && header->p_flags & PF_W) writable = 1;
  }
  return writable;
}

/// The entry in a class's table: a class is a table of words whose size it tells itself (swift/ABI/Metadata.h).
static _Atomic(getter) *entry(void *class) {
  uint32_t size = *(uint32_t *)((char *)class + 32), before = *(uint32_t *)((char *)class + 36);
  if (before >= size || size > 1 << 16) return NULL;
  for (uint32_t offset = 40; offset + sizeof(void *) <= size - before; offset += sizeof(void *)) {
    void *word = (char *)class + offset;
    if (*(getter *)word == original) return dl_iterate_phdr(visit_word, &word) ? (_Atomic(getter) *)word : NULL;
  }
  return NULL;
}

int patchbay_delegates_begin(void *const *classes, int count, struct patchbay_delegate (*listener_of)(void *task)) {
  _Atomic(getter) *entries[8];
  original = (getter)dlsym(RTLD_DEFAULT, DELEGATE);
  if (!original || count > 8) return 0;
  dl_iterate_phdr(visit, &original);
  if (!code_begin) return 0;
  for (int i = 0; i < count; i++)
    if (!(entries[i] = entry(classes[i]))) return 0;
  listener = listener_of;
  for (int i = 0; i < count; i++) atomic_store_explicit(entries[i], delegate, memory_order_release);
  return 1;
}
#else
#include "CHookSessions.h"
int patchbay_delegates_begin(void *const *classes, int count, struct patchbay_delegate (*listener_of)(void *task)) {
  (void)classes, (void)count, (void)listener_of;
  return 0;
}
#endif
