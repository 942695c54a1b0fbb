#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#include "pty_shim.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

int patchbay_pty_open(char *name, size_t capacity, uint16_t columns, uint16_t rows) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return -errno;
  int failure = grantpt(master) != 0 || unlockpt(master) != 0 ? errno : ptsname_r(master, name, capacity);
  if (failure == 0) failure = -patchbay_pty_resize(master, columns, rows);
  if (failure == 0) return master;
  close(master);
  return -failure;
}

int patchbay_pty_resize(int descriptor, uint16_t columns, uint16_t rows) {
  struct winsize size = {.ws_row = rows, .ws_col = columns};
  return ioctl(descriptor, TIOCSWINSZ, &size) == 0 ? 0 : -errno;
}

int patchbay_pty_size(int descriptor, uint16_t *columns, uint16_t *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -errno;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

short patchbay_spawn_new_session(void) { return POSIX_SPAWN_SETSID; }

int patchbay_spawn_add_folder(posix_spawn_file_actions_t *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

static locale_t utf8;
static pthread_once_t utf8_once = PTHREAD_ONCE_INIT;

static void make_utf8(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int patchbay_scalar_width(uint32_t scalar) {
  pthread_once(&utf8_once, make_utf8);
  if (utf8 == (locale_t)0) return -1;
  locale_t before = uselocale(utf8);
  int width = wcwidth((wchar_t)scalar);
  uselocale(before);
  return width;
}
