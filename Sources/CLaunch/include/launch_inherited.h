#ifndef LAUNCH_INHERITED_H
#define LAUNCH_INHERITED_H

#include <signal.h>

/// Closes on exec what this process has opened itself, so that a command gets what we were given and nothing else: not
/// every library opens its descriptors so.
void launch_keep_own_descriptors(void);

/// The signal mask that this process was started with.
void launch_inherited_mask(sigset_t *mask);

/// Whether SIGPIPE was ignored when this process was started.
int launch_inherited_ignores_pipe(void);

#endif
