#ifndef LAUNCH_ERROR_H
#define LAUNCH_ERROR_H

#include <stddef.h>

/// The system's words for an `errno`. Here because `strerror_r` has two shapes. 0 if there are any.
int launch_error_text(int code, char *text, size_t size);

#endif
