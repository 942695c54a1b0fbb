#ifndef PATCHBAY_GUARD_H
#define PATCHBAY_GUARD_H

#include <stdbool.h>

/* Putting the terminal back without ncurses: in a crash handler and at exit. */

/* Remembers the terminal and its settings as they are. */
void patchbay_guard_save(int descriptor);

/*
 * The descriptor that ncurses writes to, a copy of the terminal's, or -1. When the terminal is put back it leads nowhere
 * from then on: another thread may be drawing a frame.
 */
void patchbay_guard_output(int copy);

/* From now on the terminal needs putting back, with these strings of the terminfo entry (NULL ones are skipped). */
void patchbay_guard_arm(const char *const *strings, int count);
void patchbay_guard_disarm(void);

/* While another program has the terminal there is nothing to put back. */
void patchbay_guard_pause(bool paused);

/*
 * Gives the calling thread a stack for crash handlers. The main queue may run on another thread than main() did: after
 * dispatchMain() it does.
 */
void patchbay_guard_thread(void);

/* Writes all of it; async-signal-safe. */
void patchbay_write_all(int descriptor, const char *bytes, long count);

#endif
