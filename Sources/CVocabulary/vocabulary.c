#include "vocabulary.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char table[] = {
#embed "table.bin"
};

const unsigned char *watchproto_vocabulary(void) { return table; }
unsigned long watchproto_vocabulary_bytes(void) { return sizeof table; }
