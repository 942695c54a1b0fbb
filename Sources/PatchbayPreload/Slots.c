#ifdef __linux__
#define _GNU_SOURCE
#include "Slots.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Nobody is interposed by the dynamic linker where this library was loaded late: it has bound the program's calls
// already. So the slots through which images call the functions that this library stands for are pointed at ours, and
// so is FoundationNetworking's own entry for each in its table of symbols, where images that are loaded later look.

#if defined(__x86_64__)
#define SLOT_CALL R_X86_64_JUMP_SLOT
#define SLOT_DATA R_X86_64_GLOB_DAT
#define SLOT_WORD R_X86_64_64
#elif defined(__aarch64__)
#define SLOT_CALL R_AARCH64_JUMP_SLOT
#define SLOT_DATA R_AARCH64_GLOB_DAT
#define SLOT_WORD R_AARCH64_ABS64
#define SIGNED_CALLS DT_AARCH64_PAC_PLT
#endif

static const struct substitute *const tables[] = {session_substitutes, loader_substitutes, exit_substitutes};
enum { TABLES = sizeof tables / sizeof *tables, LED = 16 };

/// Filled before the first slot is changed; dlsym would find ours afterwards.
static struct substitute led[LED];

void *led_from(const char *name) {
  for (int i = 0; i < LED && led[i].name; i++)
    if (strcmp(led[i].name, name) == 0) return led[i].function;
  return NULL;
}

static void *substitute_for(const char *name) {
  for (size_t t = 0; t < TABLES; t++)
    for (const struct substitute *entry = tables[t]; entry->name; entry++)
      if (strcmp(name, entry->name) == 0) return entry->function;
  return NULL;
}

static void keep_originals(void) {
  int count = 0;
  for (size_t t = 0; t < TABLES; t++)
    for (const struct substitute *entry = tables[t]; entry->name && count < LED; entry++) {
      if (led_from(entry->name)) continue;
      _Atomic(void *) found = NULL;
      void *function = original(entry->name, &found);
      if (!function) continue;
      while (led[count].name) count++;
      led[count] = (struct substitute){entry->name, function};
    }
}

/// Writes one aligned word, so that other threads read the old or the new one. A page that may not be written is writable
/// only for the moment.
static int write_word(void **place, void *value, int is_closed) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void *start = (void *)((uintptr_t)place & ~(page - 1));
  if (is_closed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return 0;
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
  if (is_closed) mprotect(start, page, PROT_READ);
  return 1;
}

struct image {
  const struct dl_phdr_info *info;
  const ElfW(Sym) *symbols;
  const char *names;
};

static int contains(const struct dl_phdr_info *info, const void *address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && (uintptr_t)address >= begin && (uintptr_t)address < begin + header->p_memsz) return 1;
  }
  return 0;
}

/// 1 if the linker has made the slot's page read-only after binding (RELRO, whole pages only), 0 if it can be written,
/// -1 if it never could.
static int closedness(const struct dl_phdr_info *info, uintptr_t address) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  int result = -1;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
    if (header->p_type == PT_LOAD && header->p_flags & PF_W && address >= begin && address < end && result < 0) result = 0;
    if (header->p_type == PT_GNU_RELRO && address >= (begin & ~(page - 1)) && address < (end & ~(page - 1))) result = 1;
  }
  return result;
}

static unsigned point_all(const struct image *image, const ElfW(Rela) *entries, size_t count) {
  unsigned pointed = 0;
  for (size_t k = 0; k < count; k++) {
    unsigned type = (unsigned)ELF64_R_TYPE(entries[k].r_info);
    if (type != SLOT_CALL && type != SLOT_DATA && type != SLOT_WORD) continue;
    if (type == SLOT_WORD && entries[k].r_addend != 0) continue;
    void *function = substitute_for(image->names + image->symbols[ELF64_R_SYM(entries[k].r_info)].st_name);
    if (!function) continue;
    void **slot = (void **)(image->info->dlpi_addr + entries[k].r_offset);
    int closed = closedness(image->info, (uintptr_t)slot);
    // One that was pointed at us before, by a tool that did not come to its end, is as it should be.
    if (closed >= 0 && *slot != function) pointed += (unsigned)write_word(slot, function, closed);
  }
  return pointed;
}

struct walk {
  const void *in_hook, *in_networking;
  unsigned pointed;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct walk *walk = data;
  if (contains(info, walk->in_hook) || contains(info, walk->in_networking) || contains(info, (const void *)visit)) return 0;
  struct image image = {.info = info};
  const ElfW(Rela) *calls = NULL, *others = NULL;
  size_t calls_size = 0, others_size = 0;
  int are_signed = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); entry->d_tag; entry++) {
      switch (entry->d_tag) {
        case DT_SYMTAB: image.symbols = (const void *)entry->d_un.d_ptr; break;
        case DT_STRTAB: image.names = (const void *)entry->d_un.d_ptr; break;
        case DT_JMPREL: calls = (const void *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: calls_size = entry->d_un.d_val; break;
        case DT_RELA: others = (const void *)entry->d_un.d_ptr; break;
        case DT_RELASZ: others_size = entry->d_un.d_val; break;
#ifdef SIGNED_CALLS
        // An address of ours would not be signed (`ld -z pac-plt`).
        case SIGNED_CALLS: are_signed = 1; break;
#endif
      }
    }
  }
  // The vDSO's addresses are not relocated; it calls nothing of ours.
  if (!image.symbols || !image.names || (uintptr_t)image.symbols < info->dlpi_addr) return 0;
  if (calls && !are_signed) walk->pointed += point_all(&image, calls, calls_size / sizeof *calls);
  if (others) walk->pointed += point_all(&image, others, others_size / sizeof *others);
  return 0;
}

/// FoundationNetworking's symbols lead to ours from now on, for images that are loaded later.
static void lead_symbols(void) {
  for (const struct substitute *entry = session_substitutes; entry->name; entry++) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *address = led_from(entry->name);
    if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) continue;
    if (!info.dli_sname || strcmp(info.dli_sname, entry->name) != 0) continue;
    // Its value is what is added to where the image lies.
    uintptr_t image = (uintptr_t)info.dli_saddr - symbol->st_value;
    write_word((void **)&symbol->st_value, (void *)((uintptr_t)entry->function - image), 1);
  }
}

unsigned lead_calls(const void *in_hook) {
  keep_originals();
  struct walk walk = {.in_hook = in_hook, .in_networking = led_from(session_substitutes[0].name)};
  dl_iterate_phdr(visit, &walk);
  lead_symbols();
  return walk.pointed;
}
#endif
