#ifndef WATCHPROTO_CZSTD_SHIM_H
#define WATCHPROTO_CZSTD_SHIM_H

#include <zstd.h>

/* Bytes of the content that a frame names in its head (RFC 8878, section 3.1.1.1.4); -1 where it names none, or where
   the bytes are not exactly one frame. */
static inline long long watchproto_zstd_content(const void *bytes, size_t count) {
    const unsigned long long size = ZSTD_getFrameContentSize(bytes, count);
    if (size >= ZSTD_CONTENTSIZE_ERROR || size > (1ull << 40)) return -1;
    const size_t frame = ZSTD_findFrameCompressedSize(bytes, count);
    return ZSTD_isError(frame) || frame != count ? -1 : (long long)size;
}

#endif
