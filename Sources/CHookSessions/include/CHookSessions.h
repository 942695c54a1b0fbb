#ifndef PATCHBAY_HOOK_SESSIONS_H
#define PATCHBAY_HOOK_SESSIONS_H

/// Is told of a `URLSession`, which it does not own. `is_new`: nobody but the caller has it yet.
typedef void (*patchbay_session_listener)(void *session, int is_new);

/// From now on `told` hears of each URLSession that the program makes, before the program has it, and of `shared` when
/// the program first asks for it. Swift has no way to stand in for an initialiser of another module.
void patchbay_sessions_begin(patchbay_session_listener told);

/// Whether the program's sessions are made by way of this library: not where FoundationNetworking is linked into the
/// program (a static Swift runtime), nor in a library that was loaded later, nor on other systems than Linux.
int patchbay_sessions_are_seen(void);

/// Between the two, sessions that this thread makes are not told of: they are the hook's own.
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
