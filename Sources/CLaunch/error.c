#undef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "launch_error.h"
#include <string.h>

int launch_error_text(int code, char *text, size_t size) { return strerror_r(code, text, size); }
