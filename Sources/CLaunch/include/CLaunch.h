#include "pty_shim.h"
int CLaunch_placeholder(void);
