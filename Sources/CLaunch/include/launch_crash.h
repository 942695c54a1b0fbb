#ifndef LAUNCH_CRASH_H
#define LAUNCH_CRASH_H

/// From now on a crash (SEGV BUS ILL TRAP FPE ABRT) is short, whatever was to happen in it: the connections of these Unix
/// sockets end at once, so that who waits for us goes on; one sentence goes to standard error; the process ends by the
/// signal. What was to happen (Swift's backtracer, which takes half a minute and asks for keys) happens in a copy of the
/// process, in the background, and writes to the file `log` (NULL: nowhere, it does not happen), which is called `shown`
/// where that is said. To be called once, before other handlers that call the one that they found. At most four sockets.
/// Returns an `errno`.
int launch_crash_guard(char *const *sockets, int count, const char *log, const char *shown);

#endif
