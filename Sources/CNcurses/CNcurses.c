#include "CNcurses.h"
int CNcurses_placeholder(void) { return 0; }
