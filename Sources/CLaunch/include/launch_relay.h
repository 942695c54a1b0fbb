#ifndef LAUNCH_RELAY_H
#define LAUNCH_RELAY_H

#include <sys/types.h>

/// Signals that are meant for the command are passed on to it: INT, QUIT, TERM, HUP, USR1, USR2, WINCH and TSTP, if they
/// came from a process (`kill`); TSTP stops us too, and what continues us continues the command. What the terminal sends reaches the command by itself, for it is in the same group; we only outlive
/// it. A signal that was ignored when we were started stays so. One relay a process. Returns an `errno`: EBUSY if it is
/// on already.
int launch_relay_begin(void);

/// From now on `process` is the command; what came before is passed on now.
void launch_relay_to(pid_t process);

/// `process` is the command no longer, if it was.
void launch_relay_forget(pid_t process);

/// Puts back what was there before.
void launch_relay_end(void);

#endif
