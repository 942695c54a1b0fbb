#pragma once

/// The pages of the manual, as the compiler read them: a page is the Markdown file of that number, ended by a zero.
/// They stand in the program itself, so that `help` finds them wherever the program was copied to.
const char *_Nonnull patchbay_manual_page(int number);
