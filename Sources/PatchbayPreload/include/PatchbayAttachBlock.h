#ifndef PATCHBAY_ATTACH_BLOCK_H
#define PATCHBAY_ATTACH_BLOCK_H

#include <stdint.h>

/// What `patchbay attach` writes into the program that it attaches to, and what the library that it had loaded there
/// answers in the same place. The tool reads and writes it from outside, so that every word that both write is an
/// aligned one. `AttachRequest.swift` has the same offsets.

enum { PATCHBAY_ATTACH_VERSION = 2, PATCHBAY_ATTACH_SESSIONS = 32768 };

/// Where the library is. It only grows.
enum patchbay_attach_phase {
  /// Nothing of the library runs yet.
  PATCHBAY_ATTACH_BEGUN = 0,
  /// The hook is loaded and every session that is made from now on has it. The sessions that are alive may be looked for.
  PATCHBAY_ATTACH_READY = 1,
  /// The program is as it was; `message` says why.
  PATCHBAY_ATTACH_FAILED = 2,
};

/// What the tool wants next.
enum patchbay_attach_order {
  PATCHBAY_ATTACH_WAIT = 0,
  /// `sessions` and `count` are there, each with one reference for us: hook these, and give the references back.
  PATCHBAY_ATTACH_HOOK = 1,
  /// The block has been read for the last time: take it away.
  PATCHBAY_ATTACH_LEAVE = 2,
  /// The same, and every session has been looked for.
  PATCHBAY_ATTACH_DONE = 3,
};

struct patchbay_attach_request {
  uint32_t version;
  uint32_t phase;
  uint32_t order;
  /// How many of `sessions` there are.
  uint32_t count;
  /// How many sessions have the hook now.
  uint32_t hooked;
  /// How many calls of images were led to the hook.
  uint32_t slots;
  /// What is to be unmapped at the end: the block itself and the code before it. A size of 0 where it has to stay.
  uint64_t mapping, mapping_size;
  char hook[4096];
  /// `libswiftCore.so=HEX,libFoundationNetworking.so=HEX`, as PATCHBAY_RUNTIME has it.
  char runtime[512];
  /// Where the hook finds its consoles, this one and later ones.
  char rendezvous[512];
  /// A reason and a detail, in the words of `tell`, with a tab between them.
  char message[1024];
  uint64_t sessions[PATCHBAY_ATTACH_SESSIONS];
};

/// Runs on a thread of its own, which is detached already, and ends it by returning.
void *patchbay_preload_attach(void *block);

/// How far a program is attached to, read from outside by name: who comes later need not bring anything in.
enum patchbay_attachment_stage {
  /// It was not: this library was preloaded.
  PATCHBAY_ATTACHMENT_NONE = 0,
  /// Somebody began, and may have been killed before every session was looked for.
  PATCHBAY_ATTACHMENT_BEGUN = 1,
  PATCHBAY_ATTACHMENT_WHOLE = 2,
};

struct patchbay_attachment {
  uint32_t version;
  uint32_t stage;
  char rendezvous[512];
};

extern struct patchbay_attachment patchbay_attachment;

/// Where the hook of a program that was attached to finds its consoles, or NULL in any other program.
const char *patchbay_preload_rendezvous(void);

#endif
