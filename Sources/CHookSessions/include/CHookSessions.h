#ifndef PATCHBAY_HOOK_SESSIONS_H
#define PATCHBAY_HOOK_SESSIONS_H

/// From now on each URLSession that the program makes gets the configuration that `configuration` answers: it is given
/// one that it does not own and gives back one that its caller owns. Swift has no way to stand in for an initialiser of
/// another module.
void patchbay_sessions_begin(void *(*configuration)(void *));

/// Between the two, sessions that this thread makes are left alone: they are the hook's own.
void patchbay_sessions_bypass_begin(void);
void patchbay_sessions_bypass_end(void);

/// An `any URLSessionTaskDelegate`, which its caller owns.
struct patchbay_delegate {
  void *object;
  void *witness;
};

/// From now on Foundation's own code that reads a task's `delegate` gets what `listener` answers, if that is anything;
/// all other code gets the task's own delegate.
///
/// - Returns: Whether it could be done with all of these classes; if not, nothing has been changed.
int patchbay_delegates_begin(void *const *classes, int count, struct patchbay_delegate (*listener)(void *task));

#endif
