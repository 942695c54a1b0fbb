#ifdef __linux__
#define _GNU_SOURCE
#include "Hook.h"
#include "Notes.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where unmatched requests are to fail or to be held, whoever started the command must hear of each program that the
// hook cannot get into: one that is started without the variables by which it gets there, and one into which nothing
// can be preloaded. Both are known to the process that starts it, at that moment and without asking anybody. It is
// only noted, never changed. Calls inside the C library (`system`, `popen`) do not arrive here; they keep the environment.
//
// All of it may run in the child of a `vfork`: system calls, no memory of the heap.

extern char **environ;

/// The path of this library as it stands in LD_PRELOAD; empty while nothing is watched.
static char own_path[PATH_MAX];

static const char *variable(char *const environment[], const char *name) {
  size_t length = strlen(name);
  for (char *const *entry = environment; entry && *entry; entry++)
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return NULL;
}

static int reaches(char *const environment[]) {
  const char *preload = variable(environment, "LD_PRELOAD");
  return preload && strstr(preload, own_path) && variable(environment, "PATCHBAY_HOOK") &&
         variable(environment, "PATCHBAY_SOCKET") && variable(environment, "PATCHBAY_UNMATCHED");
}

static int open_program(const char *path, ElfW(Ehdr) *header) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -1;
  if (pread(file, header, sizeof *header, 0) == sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0)
    return file;
  close(file);
  return -1;
}

/// Whether it is a program without a dynamic linker. The linker itself is none.
static int is_static(const char *path) {
  ElfW(Ehdr) header;
  const char *slash = strrchr(path, '/');
  int file = strncmp(slash ? slash + 1 : path, "ld", 2) == 0 ? -1 : open_program(path, &header);
  if (file < 0) return 0;
  int found = 0, known = header.e_phentsize == sizeof(ElfW(Phdr)) && header.e_phnum > 0;
  for (int i = 0; known && !found && i < header.e_phnum; i++) {
    ElfW(Phdr) segment;
    known = pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + i * sizeof segment)) == sizeof segment;
    found = known && segment.p_type == PT_INTERP;
  }
  close(file);
  return known && !found;
}

/// Whether it has sections of Swift code.
static int is_swift(const char *path) {
  ElfW(Ehdr) header;
  ElfW(Shdr) names, section;
  int found = 0, file = open_program(path, &header);
  if (file < 0) return 0;
  if (header.e_shentsize == sizeof section &&
      pread(file, &names, sizeof names, (off_t)(header.e_shoff + header.e_shstrndx * sizeof names)) == sizeof names)
    for (int i = 0; !found && i < header.e_shnum; i++) {
      char name[8] = "";
      if (pread(file, &section, sizeof section, (off_t)(header.e_shoff + i * sizeof section)) != sizeof section) break;
      if (pread(file, name, sizeof name - 1, (off_t)(names.sh_offset + section.sh_name)) <= 0) break;
      found = strncmp(name, "swift5_", 7) == 0;
    }
  close(file);
  return found;
}

struct start {
  /// What is to be told; NULL is nothing.
  const char *what;
  /// The program. A note has no room for more, and a thread may have little for this.
  char path[900];
};

/// Puts the program's path together; 0 where nothing of it can be run.
static int compose(struct start *start, const char *folder, int length, const char *name) {
  size_t used = 0, size = sizeof start->path;
  if (*(length ? folder : name) != '/') {
    if (!getcwd(start->path, size - 1)) return 0;
    used = strlen(start->path);
    start->path[used++] = '/';
  }
  int count = snprintf(start->path + used, size - used, "%.*s%s%s", length, folder, length ? "/" : "", name);
  return count > 0 && (size_t)count < size - used && access(start->path, X_OK) == 0;
}

/// Finds the program that is meant, by a name without a slash as `execvp` does.
static int find_program(struct start *start, const char *name) {
  if (strchr(name, '/')) return compose(start, "", 0, name);
  const char *folder = getenv("PATH");
  if (!folder) folder = "/bin:/usr/bin";
  for (;; folder++) {
    int length = (int)strcspn(folder, ":");
    if (compose(start, folder, length, name)) return 1;
    folder += length;
    if (!*folder) return 0;
  }
}

static void look(struct start *start, const char *name, char *const environment[]) {
  int before = errno;
  start->what = NULL;
  if (*own_path && name && *name && find_program(start, name)) {
    if (!reaches(environment)) start->what = "cleared-environment";
    else if (is_static(start->path)) start->what = "static";
  }
  errno = before;
}

static void tell_before(const char *name, char *const environment[]) {
  struct start start;
  look(&start, name, environment);
  if (start.what) tell(start.what, start.path);
}

typedef int (*with_environment)(const char *, char *const[], char *const[]);
typedef int (*without_environment)(const char *, char *const[]);
typedef int (*by_descriptor)(int, char *const[], char *const[]);
typedef int (*spawning)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                        char *const[], char *const[]);

static _Atomic(void *) next_execve, next_execvpe, next_execv, next_execvp, next_fexecve, next_spawn, next_spawnp;

int execve(const char *path, char *const arguments[], char *const environment[]) {
  tell_before(path, environment);
  return ((with_environment)original("execve", &next_execve))(path, arguments, environment);
}

int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  tell_before(file, environment);
  return ((with_environment)original("execvpe", &next_execvpe))(file, arguments, environment);
}

int execv(const char *path, char *const arguments[]) {
  tell_before(path, environ);
  return ((without_environment)original("execv", &next_execv))(path, arguments);
}

int execvp(const char *file, char *const arguments[]) {
  tell_before(file, environ);
  return ((without_environment)original("execvp", &next_execvp))(file, arguments);
}

int fexecve(int file, char *const arguments[], char *const environment[]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  tell_before(path, environment);
  return ((by_descriptor)original("fexecve", &next_fexecve))(file, arguments, environment);
}

/// The arguments of a variadic call, and behind their end the environment if there is one.
#define GATHER(first)                                                                \
  va_list list;                                                                      \
  int count = first ? 1 : 0;                                                         \
  va_start(list, first);                                                             \
  while (count && va_arg(list, char *)) count++;                                     \
  va_end(list);                                                                      \
  char *arguments[count + 1];                                                        \
  arguments[0] = (char *)first;                                                      \
  va_start(list, first);                                                             \
  for (int i = 1; i <= count; i++) arguments[i] = va_arg(list, char *);

int execl(const char *path, const char *first, ...) {
  GATHER(first)
  va_end(list);
  return execv(path, arguments);
}

int execlp(const char *file, const char *first, ...) {
  GATHER(first)
  va_end(list);
  return execvp(file, arguments);
}

int execle(const char *path, const char *first, ...) {
  GATHER(first)
  char **environment = va_arg(list, char **);
  va_end(list);
  return execve(path, arguments, environment);
}

static int spawn(spawning next, pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  struct start start;
  pid_t started = 0;
  look(&start, name, environment);
  int code = next(&started, name, actions, attributes, arguments, environment);
  if (code == 0 && process) *process = started;
  if (code == 0 && start.what) tell_of(started, start.what, start.path);
  return code;
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  spawning next = (spawning)original("posix_spawn", &next_spawn);
  return spawn(next, process, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  spawning next = (spawning)original("posix_spawnp", &next_spawnp);
  return spawn(next, process, file, actions, attributes, arguments, environment);
}

/// From now on tells of programs that this process starts and into which the hook cannot get; of this process too, if
/// it is such a one.
__attribute__((constructor)) static void watch_starts(void) {
  const char *unmatched = getenv("PATCHBAY_UNMATCHED");
  if (!notes_are_read() || !unmatched || (strcmp(unmatched, "fail") != 0 && strcmp(unmatched, "hold") != 0)) return;
  Dl_info own;
  char path[PATH_MAX];
  if (!dladdr((void *)watch_starts, &own) || !own.dli_fname || strlen(own.dli_fname) >= sizeof own_path) return;
  strcpy(own_path, own.dli_fname);
  // Now, since a child of `vfork` may not look for them.
  original("execve", &next_execve);
  original("execvpe", &next_execvpe);
  original("execv", &next_execv);
  original("execvp", &next_execvp);
  original("fexecve", &next_fexecve);
  original("posix_spawn", &next_spawn);
  original("posix_spawnp", &next_spawnp);
  if (image_path("libswiftCore.so") || !is_swift("/proc/self/exe")) return;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  tell("static-runtime", path);
}
#endif
