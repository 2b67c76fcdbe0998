#ifndef WATCHPROTO_PICTURES_H
#define WATCHPROTO_PICTURES_H

#include <stddef.h>
#include <stdint.h>

/* Pictures read and written row by row, by libjpeg-turbo and libpng. Both libraries leave a call by longjmp when they
   meet an error; no frame of a caller is ever between, as callbacks have returned by then. */

/* Room for the text of an error, with its zero. */
#define PICTURES_MESSAGE 256

/* The receiver of the rows of a picture, from the top. */
struct pictures_reader {
    void *context;
    /* The picture is of this size. Answers the eighths (1 to 8) of it to read, or 0 to stop. PNG is always whole. */
    int (*begin)(void *context, uint32_t width, uint32_t height);
    /* The rows that follow are of this size. */
    void (*scaled)(void *context, uint32_t width, uint32_t height);
    /* One row, 3 bytes a pixel: red, green, blue. */
    void (*row)(void *context, const uint8_t *rgb);
};

enum { PICTURES_READ = 0, PICTURES_FAILED = 1, PICTURES_STOPPED = 2 };

/* Reads a JPEG: baseline or progressive; grey, colour or the four inks. Missing or wrong bytes are an error, not a grey
   area. `memory` bounds what the library holds of a progressive one, in bytes. */
int pictures_read_jpeg(const uint8_t *bytes, size_t count, size_t memory, struct pictures_reader reader, char *message);

/* Reads a PNG over white. `memory` bounds what an interlaced one, which is read as a whole, may take, in bytes. */
int pictures_read_png(const uint8_t *bytes, size_t count, size_t memory, struct pictures_reader reader, char *message);

/* Writes a baseline JPEG, 4:2:0, whose rows `row` fills in order. The bytes are the caller's, for `pictures_free`.
   `quality` is 1 to 100. */
int pictures_write_jpeg(
    uint32_t width, uint32_t height, int quality, void *context,
    void (*row)(void *context, uint32_t y, uint8_t *rgb), uint8_t **bytes, size_t *count, char *message);

void pictures_free(uint8_t *bytes);

#endif
