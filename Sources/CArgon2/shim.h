#ifndef WATCHPROTO_CARGON2_SHIM_H
#define WATCHPROTO_CARGON2_SHIM_H

#include <argon2.h>

/* libsodium has functions of these names, too, with another layout of the context: a build that
   links both in renames those of libargon2 (scripts/small). Swift calls them by names of their own. */
static inline int watchproto_argon2id(argon2_context *context) { return argon2id_ctx(context); }

static inline const char *watchproto_argon2_error(int code) { return argon2_error_message(code); }

#endif
