// A program for arm64 with no C library. It does by itself what is done to a borrowed thread there: it goes into the chain of
// frames that `AttachPlan` has made, comes back, goes through the code that is loaded into programs, and comes back again.
// `plan.h` is made by the test: all of it is the plan's, for a thread as `expected` has it.
#include "CAttach.h"
#include "plan.h"
#include <asm/unistd.h>
#include <stdint.h>

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

static void leave(int status) {
  call(__NR_exit_group, status, 0, 0, 0, 0, 0);
  __builtin_unreachable();
}

static void copy(void *to, const void *from, size_t count) {
  for (size_t i = 0; i < count; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
}

static int differ(const void *one, const void *other, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (((const volatile char *)one)[i] != ((const volatile char *)other)[i]) return 1;
  return 0;
}

static void map(uint64_t address, uint64_t size, int rights) {
  if (call(__NR_mmap, (long)address, (long)size, rights, 0x32, -1, 0) != (long)address) leave(2);
}

/// Has the processor see as instructions what was written.
static void make_code(uint64_t address, uint64_t size) {
  for (uint64_t at = address; at < address + size; at += 4) __asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
  __asm__ volatile("dsb ish" : : : "memory");
  for (uint64_t at = address; at < address + size; at += 4) __asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
  __asm__ volatile("dsb ish\n isb" : : : "memory");
}

static int64_t milliseconds(void) {
  int64_t now[2];
  call(__NR_clock_gettime, 1, (long)now, 0, 0, 0, 0);
  return now[0] * 1000 + now[1] / 1000000;
}

static int passes, error_number = 5, is_library_missing;
static int64_t began;
static const char *said = "no such library";

// What the code calls, for pthread_create(3), dlopen(3) and the others.
static int *errors(void) { return &error_number; }
static uint64_t this_thread(void) { return 77; }
static int detach(uint64_t thread) {
  if (thread != 77) leave(30);
  return 0;
}
static void *entered(void *block) {
  if (block != (void *)BLOCK || *(volatile uint32_t *)(BLOCK + 52) != 2) leave(31);
  return NULL;
}
static void *open_library(const char *path, int flags) {
  if (differ(path, LIBRARY, sizeof LIBRARY) || flags != 0x1102) leave(32);
  return is_library_missing ? NULL : (void *)path;
}
static void *find(void *library, const char *name) {
  if (differ(library, LIBRARY, sizeof LIBRARY) || differ(name, FUNCTION, sizeof FUNCTION)) leave(33);
  return (void *)entered;
}
static const char *reason(void) { return said; }
static int make_thread(uint64_t *thread, void *attributes, void *(*body)(void *), void *block) {
  if (thread != (void *)(BLOCK + 56) || attributes || ((uintptr_t)__builtin_frame_address(0) & 15)) leave(34);
  error_number = 11;
  body(block);
  if (*(volatile uint32_t *)(BLOCK + 112)) leave(35);
  return 7;
}

__attribute__((noreturn)) static void go(const uint64_t registers[34]) {
  // x19, the stack and the place; the rest is nobody's.
  __asm__ volatile("mov x19, %0\n mov sp, %1\n br %2\n" : : "r"(registers[19]), "r"(registers[31]), "r"(registers[32])
                   : "x19", "memory");
  __builtin_unreachable();
}

static void run_the_code(void) {
  size_t size;
  const void *code = attach_code(&size);
  if (call(__NR_mprotect, CODE, PAGE, 7, 0, 0, 0) != 0) leave(20);
  copy((void *)CODE, code, size);
  make_code(CODE, size);
  copy((void *)BLOCK, head, sizeof head);
  uint64_t *words = (uint64_t *)BLOCK;
  words[0] = (uintptr_t)make_thread;
  words[1] = (uintptr_t)open_library;
  words[2] = (uintptr_t)find;
  words[3] = (uintptr_t)errors;
  words[4] = CODE + attach_code_own();
  words[10] = (uintptr_t)reason;
  words[12] = (uintptr_t)this_thread;
  words[13] = (uintptr_t)detach;
  began = milliseconds();
  go(run);
}

/// The borrowed thread: x0 to x30, its stack, its vector registers. It goes on from here on a stack of our own, for the frames
/// are needed once more.
struct state {
  uint64_t words[32];
  unsigned char vectors[512];
} state;
char own_stack[1 << 14] __attribute__((aligned(16)));

__attribute__((used)) void back(void);
void back(void) {
  int64_t waited = milliseconds() - began;
  if (differ(state.words, expected, 31 * 8)) leave(10);
  if (state.words[31] != expected[31]) leave(11);
  if (differ(state.vectors, vectors, 512)) leave(12);
  uint64_t mask;
  call(__NR_rt_sigprocmask, 0, 0, (long)&mask, 8, 0, 0);
  if (mask != MASK) leave(14);
  if (waited < 450 || waited > 5000) leave(15);
  if (passes++ == 0) run_the_code();
  volatile uint32_t *halves = (volatile uint32_t *)BLOCK;
  if (halves[12] != 7) leave(16);
  if (halves[13] != 2 || halves[28] != 1) leave(17);
  if (error_number != 5) leave(18);
  is_library_missing = 1;
  ((void *(*)(void *))(uintptr_t)(CODE + attach_code_own()))((void *)BLOCK);
  if (halves[13] != 3 || *(const char **)(BLOCK + 88) != said) leave(19);
  leave(0);
}

__asm__(".globl came_back\n"
        "came_back:\n"
        "  adrp x16, state\n  add x16, x16, :lo12:state\n"
        "  stp x0, x1, [x16, #0]\n  stp x2, x3, [x16, #16]\n  stp x4, x5, [x16, #32]\n  stp x6, x7, [x16, #48]\n"
        "  stp x8, x9, [x16, #64]\n  stp x10, x11, [x16, #80]\n  stp x12, x13, [x16, #96]\n  stp x14, x15, [x16, #112]\n"
        "  ldp x0, x1, [sp], #16\n  stp x0, x1, [x16, #128]\n  stp x18, x19, [x16, #144]\n  stp x20, x21, [x16, #160]\n"
        "  stp x22, x23, [x16, #176]\n  stp x24, x25, [x16, #192]\n  stp x26, x27, [x16, #208]\n"
        "  stp x28, x29, [x16, #224]\n  mov x0, sp\n  stp x30, x0, [x16, #240]\n  add x2, x16, #256\n"
        "  st1 {v0.16b-v3.16b}, [x2], #64\n  st1 {v4.16b-v7.16b}, [x2], #64\n  st1 {v8.16b-v11.16b}, [x2], #64\n"
        "  st1 {v12.16b-v15.16b}, [x2], #64\n  st1 {v16.16b-v19.16b}, [x2], #64\n  st1 {v20.16b-v23.16b}, [x2], #64\n"
        "  st1 {v24.16b-v27.16b}, [x2], #64\n  st1 {v28.16b-v31.16b}, [x2], #64\n  adrp x0, own_stack\n"
        "  add x0, x0, :lo12:own_stack\n  add sp, x0, #4, lsl #12\n"
        "  bl back\n"
        "  brk #0\n"
        ".globl _start\n"
        "_start:\n"
        "  mov x29, xzr\n"
        "  bl begin_there\n"
        "  brk #0\n");
extern const char came_back[];

__attribute__((used)) void begin_there(void);
void begin_there(void) {
  map(STACK_START, STACK_SIZE, 3);
  map(LIBRARY_START, PAGE, 7);
  // The end of glibc's `syscall`, and the kernel's `__kernel_rt_sigreturn`.
  static const uint32_t system[] = {0xd4000001, 0xb13ffc1f, 0x54000042, 0xd65f03c0, 0xd4200000};
  static const uint32_t returning[] = {0xd2801168, 0xd4000001};
  // Where the thread waited: stp x16, x17, [sp, #-16]!; ldr x16, #8; br x16.
  static const uint32_t waiting[] = {0xa9bf47f0, 0x58000050, 0xd61f0200};
  copy((void *)SYSTEM_CALL, system, sizeof system);
  copy((void *)SIGNAL_RETURN, returning, sizeof returning);
  uint64_t place = expected[32], target = (uintptr_t)came_back;
  copy((void *)place, waiting, sizeof waiting);
  copy((void *)(place + 12), &target, 8);
  make_code(LIBRARY_START, PAGE);
  copy((void *)STACK_ADDRESS, stack, sizeof stack);
  began = milliseconds();
  go(begin);
}
