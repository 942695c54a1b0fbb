#ifdef __linux__
#include "CAttach.h"

// What the target runs for us. `AttachBlock.swift` writes the words that it reads, at these offsets from the block's start:
//   0 pthread_create   8 dlopen    16 dlsym     24 __errno_location   32 where its own thread begins
//  40 signal frame    48 result of pthread_create (4), state (4)      56 the thread's id
//  64 library's path  72 name of its function   80 dlerror            88 dlerror's text
//  96 pthread_self   104 pthread_detach     112 whether pthread_create has returned (4)
// States, which our own thread alone writes: 2 library's function entered (it goes on from there), 3 library not loaded. It may
// come so far before the borrowed thread is out of pthread_create.

#if defined(__x86_64__)
__asm__(".pushsection .rodata\n"
        ".globl attach_code_start, attach_code_own_start, attach_code_end\n"
        ".hidden attach_code_start, attach_code_own_start, attach_code_end\n"
        ".p2align 4\n"
        "attach_code_start:\n"
        // The borrowed thread: rbx is the block, the stack is ours, all signals are blocked.
        "  cld\n"
        "  call *24(%rbx)\n"
        "  mov %rax, %r12\n"
        "  mov (%rax), %r13d\n"
        "  lea 56(%rbx), %rdi\n"
        "  xor %esi, %esi\n"
        "  mov 32(%rbx), %rdx\n"
        "  mov %rbx, %rcx\n"
        "  call *0(%rbx)\n"
        "  mov %r13d, (%r12)\n"
        "  mov %eax, 48(%rbx)\n"
        "  movl $1, 112(%rbx)\n"
        // poll(NULL, 0, 500): in it we put the thread back as it was. If we do not come it goes back by itself.
        "  mov $7, %eax\n"
        "  xor %edi, %edi\n"
        "  xor %esi, %esi\n"
        "  mov $500, %edx\n"
        "  syscall\n"
        "  mov 40(%rbx), %rsp\n"
        "  mov $15, %eax\n"
        "  syscall\n"
        "  hlt\n"
        ".p2align 4\n"
        "attach_code_own_start:\n"
        // Our own thread: rdi is the block.
        "  push %rbx\n"
        "  mov %rdi, %rbx\n"
        "  call *96(%rbx)\n"
        "  mov %rax, %rdi\n"
        "  call *104(%rbx)\n"
        "  mov 64(%rbx), %rdi\n"
        "  mov $0x1102, %esi\n"  // RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE
        "  call *8(%rbx)\n"
        "  test %rax, %rax\n"
        "  jz 1f\n"
        "  mov %rax, %rdi\n"
        "  mov 72(%rbx), %rsi\n"
        "  call *16(%rbx)\n"
        "  test %rax, %rax\n"
        "  jz 1f\n"
        "  movl $2, 52(%rbx)\n"
        "  mov %rbx, %rdi\n"
        "  pop %rbx\n"
        "  jmp *%rax\n"
        "1:call *80(%rbx)\n"
        "  mov %rax, 88(%rbx)\n"
        "  movl $3, 52(%rbx)\n"
        // poll(NULL, 0, 1000): the text is this thread's, and is read meanwhile.
        "  mov $7, %eax\n"
        "  xor %edi, %edi\n"
        "  xor %esi, %esi\n"
        "  mov $1000, %edx\n"
        "  syscall\n"
        "  pop %rbx\n"
        "  xor %eax, %eax\n"
        "  ret\n"
        "attach_code_end:\n"
        ".popsection\n");
#elif defined(__aarch64__)
// The same. Each entry may be jumped to where landing places are guarded (`hint #34` is `bti c`). The words that say how far
// we are come after what they speak of (`stlr`).
__asm__(".pushsection .rodata\n"
        ".globl attach_code_start, attach_code_own_start, attach_code_end\n"
        ".hidden attach_code_start, attach_code_own_start, attach_code_end\n"
        ".p2align 4\n"
        "attach_code_start:\n"
        // The borrowed thread: x19 is the block, the stack is ours, all signals are blocked.
        "  hint #34\n"
        "  ldr x16, [x19, #24]\n"
        "  blr x16\n"
        "  mov x20, x0\n"
        "  ldr w21, [x0]\n"
        "  add x0, x19, #56\n"
        "  mov x1, xzr\n"
        "  ldr x2, [x19, #32]\n"
        "  mov x3, x19\n"
        "  ldr x16, [x19]\n"
        "  blr x16\n"
        "  str w21, [x20]\n"
        "  str w0, [x19, #48]\n"
        "  add x9, x19, #112\n"
        "  mov w10, #1\n"
        "  stlr w10, [x9]\n"
        // ppoll(NULL, 0, 500 ms, NULL): in it we put the thread back as it was. If we do not come it goes back by itself.
        "  mov x10, #0x6500\n"
        "  movk x10, #0x1dcd, lsl #16\n"
        "  stp xzr, x10, [sp, #-16]!\n"
        "  mov x0, xzr\n"
        "  mov x1, xzr\n"
        "  mov x2, sp\n"
        "  mov x3, xzr\n"
        "  mov x4, xzr\n"
        "  mov x8, #73\n"
        "  svc #0\n"
        "  ldr x9, [x19, #40]\n"
        "  mov sp, x9\n"
        "  mov x8, #139\n"
        "  svc #0\n"
        "  brk #0\n"
        ".p2align 4\n"
        "attach_code_own_start:\n"
        // Our own thread: x0 is the block.
        "  hint #34\n"
        "  stp x29, x30, [sp, #-32]!\n"
        "  mov x29, sp\n"
        "  str x19, [sp, #16]\n"
        "  mov x19, x0\n"
        "  ldr x16, [x19, #96]\n"
        "  blr x16\n"
        "  ldr x16, [x19, #104]\n"
        "  blr x16\n"
        "  ldr x0, [x19, #64]\n"
        "  mov w1, #0x1102\n"  // RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE
        "  ldr x16, [x19, #8]\n"
        "  blr x16\n"
        "  cbz x0, 1f\n"
        "  ldr x1, [x19, #72]\n"
        "  ldr x16, [x19, #16]\n"
        "  blr x16\n"
        "  cbz x0, 1f\n"
        "  mov w9, #2\n"
        "  add x10, x19, #52\n"
        "  stlr w9, [x10]\n"
        "  mov x16, x0\n"
        "  mov x0, x19\n"
        "  ldr x19, [sp, #16]\n"
        "  ldp x29, x30, [sp], #32\n"
        "  br x16\n"
        "1:ldr x16, [x19, #80]\n"
        "  blr x16\n"
        "  str x0, [x19, #88]\n"
        "  mov w9, #3\n"
        "  add x10, x19, #52\n"
        "  stlr w9, [x10]\n"
        // ppoll(NULL, 0, 1 s, NULL): the text is this thread's, and is read meanwhile.
        "  mov x9, #1\n"
        "  stp x9, xzr, [sp, #-16]!\n"
        "  mov x0, xzr\n"
        "  mov x1, xzr\n"
        "  mov x2, sp\n"
        "  mov x3, xzr\n"
        "  mov x4, xzr\n"
        "  mov x8, #73\n"
        "  svc #0\n"
        "  add sp, sp, #16\n"
        "  mov x0, xzr\n"
        "  ldr x19, [sp, #16]\n"
        "  ldp x29, x30, [sp], #32\n"
        "  ret\n"
        "attach_code_end:\n"
        ".popsection\n");
#endif

#if defined(__x86_64__) || defined(__aarch64__)
extern const char attach_code_start[], attach_code_own_start[], attach_code_end[];

const void *attach_code(size_t *size) {
  *size = (size_t)(attach_code_end - attach_code_start);
  return attach_code_start;
}
size_t attach_code_borrowed(void) { return 0; }
size_t attach_code_own(void) { return (size_t)(attach_code_own_start - attach_code_start); }
#else
// There is none for this processor: `TargetFacts.refusal` says so before anything is done.
const void *attach_code(size_t *size) {
  *size = 0;
  return NULL;
}
size_t attach_code_borrowed(void) { return 0; }
size_t attach_code_own(void) { return 0; }
#endif
#endif
