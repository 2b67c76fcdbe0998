#pragma once

// The table that scripts/vocabulary makes: words, and how often each follows others.
const unsigned char *watchproto_vocabulary(void);
unsigned long watchproto_vocabulary_bytes(void);
