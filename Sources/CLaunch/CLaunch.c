#include "CLaunch.h"
int CLaunch_placeholder(void) { return 0; }
