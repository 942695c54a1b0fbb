#ifndef PATCHBAY_PRELOAD_NOTES_H
#define PATCHBAY_PRELOAD_NOTES_H

#include "Internal.h"
#include <sys/types.h>

/// Whether whoever started the process reads what it is told.
INTERNAL int notes_are_read(void);

/// Says it on standard error if PATCHBAY_DEBUG asks for that, and leaves it for whoever started the process.
INTERNAL void tell(const char *what, const char *detail);

/// The same of another process.
INTERNAL void tell_of(pid_t process, const char *what, const char *detail);

/// What `tell` said last: a word and a detail with a tab between them; empty if it said nothing.
INTERNAL const char *told(void);

#endif
