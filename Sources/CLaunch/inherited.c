#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "launch_inherited.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { limit = 4096 };

// Written once, before main, and only read then.
static unsigned char inherited[limit];
static sigset_t mask;
static sigset_t ignored;

#ifdef __APPLE__
static const char folder[] = "/dev/fd";
#else
static const char folder[] = "/proc/self/fd";
#endif

__attribute__((constructor)) static void look(void) {
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  sigemptyset(&ignored);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction found;
    if (sigaction(number, NULL, &found) == 0 && found.sa_handler == SIG_IGN) sigaddset(&ignored, number);
  }
  for (int file = 0; file < limit; file++) inherited[file] = fcntl(file, F_GETFD) >= 0;
}

void launch_keep_own_descriptors(void) {
  DIR *files = opendir(folder);
  if (!files) return;
  for (struct dirent *entry = readdir(files); entry; entry = readdir(files)) {
    int file = atoi(entry->d_name);
    if (file <= STDERR_FILENO || (file < limit && inherited[file])) continue;
    int flags = fcntl(file, F_GETFD);
    if (flags >= 0 && !(flags & FD_CLOEXEC)) fcntl(file, F_SETFD, flags | FD_CLOEXEC);
  }
  closedir(files);
}

int launch_give_standard_streams_only(posix_spawn_file_actions_t *actions, short *flags) {
#ifdef __APPLE__
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  int code = 0;
  for (int file = STDIN_FILENO; file <= STDERR_FILENO && !code; file++)
    code = posix_spawn_file_actions_addinherit_np(actions, file);
  return code;
#elif defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
  (void)actions, (void)flags;
  launch_keep_own_descriptors();
  return 0;
#endif
}

void launch_inherited_mask(sigset_t *copy) { *copy = mask; }

int launch_inherited_ignores(int signal) { return sigismember(&ignored, signal) == 1; }
