#ifdef __linux__
#include "CAttach.h"

// What the target runs for us. `AttachBlock.swift` writes the words that it reads, at these offsets from the block's start:
//   0 pthread_create   8 dlopen    16 dlsym     24 __errno_location   32 where its own thread begins
//  40 signal frame    48 result of pthread_create (4), state (4)      56 the thread's id
//  64 library's path  72 name of its function   80 dlerror            88 dlerror's text
//  96 pthread_self   104 pthread_detach     112 whether pthread_create has returned (4)
// States, which our own thread alone writes: 2 library's function entered (it goes on from there), 3 library not loaded. It may
// come so far before the borrowed thread is out of pthread_create.

#ifdef __x86_64__
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
#endif

#ifdef __x86_64__
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
