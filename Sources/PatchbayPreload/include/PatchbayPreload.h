#ifndef PATCHBAY_PRELOAD_H
#define PATCHBAY_PRELOAD_H

/// What the preload library and the hook are to each other. Both may be there without the other, so each finds the
/// other's functions with `dlsym` and links nothing.
///
/// The hook offers (`@_cdecl`):
/// - `int patchbay_hook_session(void *session)`: puts the hook into a `URLSession`, which the caller keeps and owns, at any
///   time and as often as one likes, and begins the link to the console. NULL only begins the link. Returns 1 if the hook
///   is asked for the session's next task, 0 if not. May wait for the console's first stubs, 250 ms at most.
/// - `int patchbay_hook_new_session(void *session)`: the same for one that nobody but the caller has yet.
/// - `void *patchbay_hook_content_loader(void)`, or not: the type that `Data(contentsOf:)` and `String(contentsOf:)` are
///   to load from the network with (`any _NSNonfileURLContentLoading.Type`, a class), because FoundationNetworking's own
///   makes its session where nobody can see it.
/// - `int patchbay_hook_claim(void)`: is there, whatever it returns, in an image that is a hook.

/// Makes the caller the process's hook: the functions are those above. A hook that is linked into the program calls it
/// when its image is loaded (`.init_array`): an executable does not export its symbols, so nobody could find it
/// otherwise. The first one stays, and no other hook is loaded then. Returns 1 if the caller is the hook now, 0 if another
/// one is. `content_loader` may be NULL.
int patchbay_preload_adopt(int (*session)(void *session), int (*new_session)(void *session),
                           void *(*content_loader)(void));

/// What PATCHBAY_SOCKET was when the program started, or NULL: the program may have cleared its environment since.
const char *patchbay_preload_socket(void);

/// What PATCHBAY_UNMATCHED was then, or NULL.
const char *patchbay_preload_unmatched(void);

/// Leaves a note for whoever started the process: a word that it knows, and what to say of it.
void patchbay_preload_note(const char *what, const char *detail);

/// Has `function` called before the process ends by `_exit` or `_Exit`: on any thread, in a signal's handler, in a forked
/// child or in one of `vfork`, so that it may do system calls and no more.
void patchbay_preload_before_exit(void (*function)(void));

/// Between these two calls the calling thread's sessions are left as they are: the hook brackets its own with them.
/// They nest.
void patchbay_preload_bypass_begin(void);
void patchbay_preload_bypass_end(void);

#endif
