#ifdef __linux__
#define _GNU_SOURCE
#include "Notes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char notes_path[4096];
static int debug;

/// Before the other constructors of this library, which may have something to tell.
__attribute__((constructor(101))) static void read_environment(void) {
  const char *path = getenv("PATCHBAY_NOTES");
  if (path && strlen(path) < sizeof notes_path) strcpy(notes_path, path);
  const char *wanted = getenv("PATCHBAY_DEBUG");
  debug = wanted && *wanted && strcmp(wanted, "0") != 0;
}

int notes_are_read(void) { return *notes_path != 0; }

static char last_told[1024];
const char *told(void) { return last_told; }

void tell(const char *what, const char *detail) {
  snprintf(last_told, sizeof last_told, "%s\t%s", what, detail);
  tell_of(getpid(), what, detail);
}

void tell_of(pid_t process, const char *what, const char *detail) {
  char line[1024];
  int length = snprintf(line, sizeof line, "%d\t%s\t%s\t%s\n", (int)process, program_invocation_short_name, what, detail);
  if (length < 0) return;
  if ((size_t)length >= sizeof line) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  if (debug) dprintf(STDERR_FILENO, "patchbay preload: %s", line);
  if (!*notes_path) return;
  // Never created here: it is there as long as somebody wants to read it.
  int file = open(notes_path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return;
  if (write(file, line, (size_t)length) < 0 && debug) dprintf(STDERR_FILENO, "patchbay preload: %s\n", strerror(errno));
  close(file);
}
#endif
