#ifndef LAUNCH_INHERITED_H
#define LAUNCH_INHERITED_H

#include <signal.h>
#include <spawn.h>

/// Closes on exec what this process has opened itself, so that a command gets what we were given and nothing else: not
/// every library opens its descriptors so.
void launch_keep_own_descriptors(void);

/// Has what is started with these actions get the three standard streams and no other descriptor of ours: the console's
/// sockets would stay open as long as it runs, and whoever connects to them would wait for an answer that never comes.
/// Actions that need one come before it, actions that open others behind it.
int launch_give_standard_streams_only(posix_spawn_file_actions_t *actions, short *flags);

/// The signal mask that this process was started with.
void launch_inherited_mask(sigset_t *mask);

/// Whether the signal was ignored when this process was started.
int launch_inherited_ignores(int signal);

#endif
