#include "CNcurses.h"

#include <signal.h>

static volatile sig_atomic_t noted[NSIG];

void patchbay_note_signal(int number) {
  if (number > 0 && number < NSIG) noted[number] = 1;
}

bool patchbay_take_signal(int number) {
  if (number <= 0 || number >= NSIG || !noted[number]) return false;
  noted[number] = 0;
  return true;
}
