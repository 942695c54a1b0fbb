/// Dispatch's monitor of its worker threads, which on Linux wakes the process once a second for as long as it lives.
///
/// The first use of a global queue starts a timer that looks whether workers are blocked, and starts more if so. It is
/// needed while there is work, and only then; Dispatch offers no way to stop it. In a program that links this target
/// the timer is seen as it is set, and can be suspended.
#ifndef PATCHBAY_WORKER_MONITOR_H
#define PATCHBAY_WORKER_MONITOR_H

#include <stdbool.h>

/// Suspends the timer: nothing wakes the process by itself then. Does nothing before a first worker was started, where
/// there is no such timer, and when it is suspended already. From one thread only, as `patchbay_worker_monitor_resume`.
///
/// Returns whether the timer rests now.
bool patchbay_worker_monitor_suspend(void);

/// Lets the timer run again.
void patchbay_worker_monitor_resume(void);

#endif
