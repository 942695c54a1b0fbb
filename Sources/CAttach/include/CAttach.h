#ifndef CATTACH_H
#define CATTACH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ptrace(2) and what Swift cannot call or see. Everything here acts on one thread of another process and returns 0 or an
// `errno`, except where it says something else. The kernel allows ptrace only to the thread that has seized: all calls
// for one target come from one thread of ours.

/// Seizes a thread without stopping it. PTRACE_SEIZE and not PTRACE_ATTACH, which sends a SIGSTOP that others can see; no
/// PTRACE_O_EXITKILL: when we die the target goes on.
int attach_seize(pid_t thread);

/// Asks a seized thread to stand, without a signal (PTRACE_INTERRUPT). Many may be asked before one is waited for.
int attach_interrupt(pid_t thread);

/// Waits until a thread stands that was asked to. ETIMEDOUT: it does not yet, and still will: it is to be waited for again.
/// ESRCH: it has ended. A signal that arrives just then is handed on; the thread stands afterwards all the same.
int attach_await(pid_t thread, int microseconds);

/// Hands on what came to a seized thread that runs: a signal, for which it stands until its tracer has seen it.
int attach_pass_signals(pid_t thread);

/// Starts a process that does nothing and ends when the calling thread does, however that ends: its number, or -1 and `errno`.
pid_t attach_start_child(void);

/// Whether this system lets a process trace its own child: 0, or why not. Starts one for it.
int attach_is_allowed(void);

/// The calling thread, and whether one of ours is there still: the kernel lets go of what it has seized at its very end, after
/// whoever joins it has been told.
pid_t attach_own_thread(void);
int attach_is_thread(pid_t thread);

/// While a program stands the calling thread goes before others: before all of them where it may (CAP_SYS_NICE), else when it
/// is woken. 0 is as before. It has to leave the processor to those for which it waits (`attach_pause`).
void attach_hurry(int hurries);

/// Leaves the processor to others. Less than 100 is not enough for one that hurries: measured with 10 (perf sched), its thread
/// never let go of the processor, and a thread of the program that was to come to stand there waited for it.
void attach_pause(int microseconds);

/// Lets a standing thread run on; what it was doing when it was stopped goes on as the kernel does it for a debugger.
int attach_continue(pid_t thread);

/// Lets go of a standing thread, which runs on.
int attach_detach(pid_t thread);

/// What `/proc` says of the system call that a thread waits in: its number, its six arguments, its stack and where it goes
/// on. 0 while it runs.
int attach_system_call(pid_t process, pid_t thread, uint64_t words[9]);

/// Whether exactly this range is mapped and may be executed.
int attach_is_mapped(pid_t process, uint64_t start, uint64_t end);

/// A descriptor that can be read from when the process has ended (pidfd_open(2)), or -1.
int attach_process_descriptor(pid_t process);

/// The general registers of a standing thread, as the kernel has them (NT_PRSTATUS). `size` in: room; out: bytes.
int attach_registers(pid_t thread, void *bytes, size_t *size);
/// One call, so that whoever is killed has set all of them or none.
int attach_set_registers(pid_t thread, const void *bytes, size_t size);

/// The floating point and vector registers (NT_X86_XSTATE, NT_PRFPREG on arm64).
int attach_vectors(pid_t thread, void *bytes, size_t *size);
int attach_set_vectors(pid_t thread, const void *bytes, size_t size);

/// Whether the processor checks where a standing thread returns to (shadow stack; GCS on arm64).
int attach_has_shadow_stack(pid_t thread);

/// The signals that a standing thread blocks, bit N-1 for signal N.
int attach_signal_mask(pid_t thread, uint64_t *mask);
int attach_set_signal_mask(pid_t thread, uint64_t mask);

/// Reads the target's memory: how many bytes, fewer where a part of it is not mapped, or -1 with `errno`.
ssize_t attach_read(pid_t process, uint64_t address, void *bytes, size_t count);
/// Reads many small pieces of the same size at once; pieces that are not mapped are zero. Returns how many were read.
size_t attach_read_pieces(pid_t process, const uint64_t *addresses, size_t count, size_t piece, void *bytes);
/// Writes the target's memory as its owner could.
ssize_t attach_write(pid_t process, uint64_t address, const void *bytes, size_t count);

/// Looks for words of `wanted` (sorted or not, at most 64) at places that are `stride` bytes apart. Returns how many of
/// `places` (offsets in bytes) were filled, at most `room`.
size_t attach_find_words(const void *bytes, size_t count, size_t stride, const uint64_t *wanted, size_t wanted_count,
                         uint64_t *places, size_t room);

/// The code that the target runs for us: position independent, see `attach_code.c`.
const void *attach_code(size_t *size);
/// Where in it the borrowed thread begins, and where the thread of our own does.
size_t attach_code_borrowed(void);
size_t attach_code_own(void);

#endif
