#ifndef LAUNCH_KEEPER_H
#define LAUNCH_KEEPER_H

#include <sys/types.h>

/// Starts a process that holds the master end of `command`'s terminal too and does nothing, until the writing end of
/// `*leash`, which only we have, is closed, even by our being killed. Then it reads and throws away what the command
/// writes, so that the command is neither hung up nor stopped, and ends when nobody has the terminal any more.
/// It leads a session of its own and has no other descriptor of ours. Returns an `errno`.
int launch_keeper_start(pid_t *keeper, int *leash, int master, pid_t command);

/// Makes the two ends of a screen keeper's leash, a socket: ours and the keeper's. Returns an `errno`.
int launch_screen_leash(int ends[2]);

/// Starts a process that has `terminal` too and reads its end of the leash until ours is closed, even by our being killed.
/// If the last line there was `1` (the screen is ours), it writes `undo` to the terminal, and where its settings are still
/// `ours` it sets those that were `found`; both as `stty -g` prints them. Returns an `errno`.
int launch_screen_keeper_start(pid_t *keeper, int leash, int terminal, const char *undo, const char *ours,
                               const char *found);

/// Ends and reaps a keeper that is not needed any more.
void launch_keeper_end(pid_t keeper, int leash);

#endif
