#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include <elf.h>
#include <link.h>
#include <string.h>

struct image {
  const char *name;
  const char *path;
  const unsigned char *build_id;
  unsigned build_id_length;
};

static void find_build_id(struct image *image, const char *note, size_t size, size_t alignment) {
  const char *end = note + size;
  while ((size_t)(end - note) >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
    size_t name_size = (header->n_namesz + alignment - 1) & ~(alignment - 1);
    size_t value_size = (header->n_descsz + alignment - 1) & ~(alignment - 1);
    const char *name = note + sizeof *header;
    if (name_size + value_size > (size_t)(end - name)) return;
    if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      image->build_id = (const unsigned char *)name + name_size;
      image->build_id_length = header->n_descsz;
      return;
    }
    note = name + name_size + value_size;
  }
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct image *image = data;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (strcmp(slash ? slash + 1 : info->dlpi_name, image->name) != 0) return 0;
  image->path = info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum && !image->build_id; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type == PT_NOTE)
      find_build_id(image, (const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz,
                    header->p_align == 8 ? 8 : 4);
  }
  return 1;
}

const char *image_path(const char *name) {
  struct image image = {.name = name};
  dl_iterate_phdr(visit, &image);
  return image.path;
}

int image_differs(const char *name, const char *hex, unsigned hex_length) {
  static const char digits[] = "0123456789abcdef";
  struct image image = {.name = name};
  dl_iterate_phdr(visit, &image);
  if (!image.build_id) return 0;
  if (hex_length != image.build_id_length * 2) return 1;
  for (unsigned i = 0; i < image.build_id_length; i++)
    if (hex[2 * i] != digits[image.build_id[i] >> 4] || hex[2 * i + 1] != digits[image.build_id[i] & 15]) return 1;
  return 0;
}
#endif
