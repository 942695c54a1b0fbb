#include "PatchbayPreload.h"
int PatchbayPreload_placeholder(void) { return 0; }
