#include "CNcurses.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int ends[2] = {-1, -1};

int patchbay_signal_pipe(void) {
  if (ends[0] >= 0) return ends[0];
  int made[2];
  if (pipe(made) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    fcntl(made[i], F_SETFD, FD_CLOEXEC);
    fcntl(made[i], F_SETFL, O_NONBLOCK);
  }
  ends[1] = made[1];
  ends[0] = made[0];
  return ends[0];
}

void patchbay_note_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  /* Where it is full, nobody has read for 65,536 signals. */
  ssize_t written = write(ends[1], &byte, 1);
  (void)written;
  errno = before;
}
