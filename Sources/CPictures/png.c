#include "pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct source {
    const uint8_t *bytes;
    size_t count;
    char *message;
};

static void fail(png_structp png, png_const_charp text) {
    struct source *source = png_get_error_ptr(png);
    snprintf(source->message, PICTURES_MESSAGE, "%s", text);
    png_longjmp(png, 1);
}

static void pass(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void give(png_structp png, png_bytep into, size_t count) {
    struct source *source = png_get_io_ptr(png);
    if (count > source->count) png_error(png, "the bytes end too early");
    memcpy(into, source->bytes, count);
    source->bytes += count;
    source->count -= count;
}

/* Red, green, blue and opacity, laid over white; in place. */
static void over_white(uint8_t *row, uint32_t width) {
    const uint8_t *from = row;
    for (uint32_t x = 0; x < width; x++, from += 4, row += 3) {
        const unsigned opacity = from[3];
        for (int colour = 0; colour < 3; colour++)
            row[colour] = (uint8_t)((from[colour] * opacity + 255 * (255 - opacity) + 127) / 255);
    }
}

int pictures_read_png(const uint8_t *bytes, size_t count, size_t memory, struct pictures_reader reader, char *message) {
    struct source source = {bytes, count, message};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, fail, pass);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    uint8_t *volatile rows = NULL;
    png_bytep *volatile places = NULL;
    volatile int result = PICTURES_FAILED;
    if (info == NULL) {
        snprintf(message, PICTURES_MESSAGE, "no memory");
        goto end;
    }
    if (setjmp(png_jmpbuf(png))) goto end;
    png_set_user_limits(png, 65535, 65535);
    png_set_chunk_cache_max(png, 100);
    png_set_chunk_malloc_max(png, 1 << 20);
    png_set_read_fn(png, &source, give);
    png_read_info(png, info);
    const uint32_t width = png_get_image_width(png, info);
    const uint32_t height = png_get_image_height(png, info);
    if (reader.begin(reader.context, width, height) == 0) {
        result = PICTURES_STOPPED;
        goto end;
    }
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    const int is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    const size_t size = (size_t)width * 4;
    if (is_interlaced && size * height > memory) png_error(png, "interlaced, and too large for that");
    if (is_interlaced) png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != size) png_error(png, "rows of an unknown form");
    const uint32_t held = is_interlaced ? height : 1;
    rows = malloc(size * held);
    places = malloc(sizeof(png_bytep) * held);
    if (rows == NULL || places == NULL) png_error(png, "no memory");
    for (uint32_t y = 0; y < held; y++) places[y] = rows + size * y;
    if (is_interlaced) png_read_image(png, places);
    reader.scaled(reader.context, width, height);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = is_interlaced ? places[y] : rows;
        if (!is_interlaced) png_read_row(png, row, NULL);
        over_white(row, width);
        reader.row(reader.context, row);
    }
    png_read_end(png, NULL);
    result = PICTURES_READ;
end:
    png_destroy_read_struct(&png, &info, NULL);
    free(rows);
    free(places);
    return result;
}
