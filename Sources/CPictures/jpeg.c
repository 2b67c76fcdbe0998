#include "pictures.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

/* The handler of errors, and where a failed call continues. */
struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf place;
    char *message;
};

static void fail(j_common_ptr info) {
    struct failure *failure = (struct failure *)info->err;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    if (info->err->msg_code == JERR_NO_BACKING_STORE)
        snprintf(text, sizeof text, "progressive, and too large for that");
    snprintf(failure->message, PICTURES_MESSAGE, "%s", text);
    longjmp(failure->place, 1);
}

/* Missing or wrong data is an error here, as half a picture of a pill is none. Other warnings are ignored. */
static void warn(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_NOT_SEQUENTIAL:
        fail(info);
    default:
        break;
    }
}

/* A progressive picture of very many scans, each of all its blocks, would take hours. */
enum { MOST_SCANS = 100 };

static void count_scans(j_common_ptr info) {
    if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > MOST_SCANS) {
        struct failure *failure = (struct failure *)info->err;
        snprintf(failure->message, PICTURES_MESSAGE, "more than %d scans", MOST_SCANS);
        longjmp(failure->place, 1);
    }
}

static void prepare(struct failure *failure, char *message) {
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = fail;
    failure->manager.emit_message = warn;
    failure->message = message;
}

/* The four inks, which Adobe's programs write inverted, as red, green and blue. */
static void from_inks(const uint8_t *inks, uint8_t *rgb, uint32_t width, int inverted) {
    for (uint32_t x = 0; x < width; x++, inks += 4, rgb += 3) {
        for (int ink = 0; ink < 3; ink++) {
            const unsigned light = inverted ? inks[ink] : 255u - inks[ink];
            const unsigned black = inverted ? inks[3] : 255u - inks[3];
            rgb[ink] = (uint8_t)(light * black / 255);
        }
    }
}

int pictures_read_jpeg(const uint8_t *bytes, size_t count, size_t memory, struct pictures_reader reader, char *message) {
    struct jpeg_decompress_struct info;
    struct failure failure;
    uint8_t *volatile line = NULL;
    uint8_t *volatile rgb = NULL;
    volatile int result = PICTURES_FAILED;
    memset(&info, 0, sizeof info);
    prepare(&failure, message);
    info.err = &failure.manager;
    if (setjmp(failure.place)) goto end;
    jpeg_create_decompress(&info);
    struct jpeg_progress_mgr progress = {.progress_monitor = count_scans};
    info.progress = &progress;
    info.mem->max_memory_to_use = (long)memory;
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    const int eighths = reader.begin(reader.context, info.image_width, info.image_height);
    if (eighths == 0) {
        result = PICTURES_STOPPED;
        goto end;
    }
    const int has_inks = info.num_components == 4;
    info.out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
    info.scale_num = (unsigned)eighths;
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    const uint32_t width = info.output_width;
    line = malloc((size_t)width * 4);
    rgb = malloc((size_t)width * 3);
    if (line == NULL || rgb == NULL) {
        snprintf(message, PICTURES_MESSAGE, "no memory");
        goto end;
    }
    reader.scaled(reader.context, width, info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = has_inks ? line : rgb;
        jpeg_read_scanlines(&info, &row, 1);
        if (has_inks) from_inks(line, rgb, width, info.saw_Adobe_marker);
        reader.row(reader.context, rgb);
    }
    jpeg_finish_decompress(&info);
    result = PICTURES_READ;
end:
    jpeg_destroy_decompress(&info);
    free(line);
    free(rgb);
    return result;
}

int pictures_write_jpeg(
    uint32_t width, uint32_t height, int quality, void *context,
    void (*row)(void *context, uint32_t y, uint8_t *rgb), uint8_t **bytes, size_t *count, char *message) {
    struct jpeg_compress_struct info;
    struct failure failure;
    uint8_t *volatile rgb = NULL;
    unsigned char *made = NULL;
    unsigned long size = 0;
    volatile int result = PICTURES_FAILED;
    memset(&info, 0, sizeof info);
    prepare(&failure, message);
    info.err = &failure.manager;
    if (setjmp(failure.place)) goto end;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &made, &size);
    info.image_width = width;
    info.image_height = height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    info.optimize_coding = TRUE;
    rgb = malloc((size_t)width * 3);
    if (rgb == NULL) {
        snprintf(message, PICTURES_MESSAGE, "no memory");
        goto end;
    }
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < height) {
        JSAMPROW line = rgb;
        row(context, info.next_scanline, line);
        jpeg_write_scanlines(&info, &line, 1);
    }
    jpeg_finish_compress(&info);
    result = PICTURES_READ;
end:
    /* A buffer that has grown is known to the destination alone until then. */
    if (result != PICTURES_READ && info.dest != NULL) info.dest->term_destination(&info);
    jpeg_destroy_compress(&info);
    free(rgb);
    if (result == PICTURES_READ) {
        *bytes = made;
        *count = size;
    } else {
        free(made);
    }
    return result;
}

void pictures_free(uint8_t *bytes) { free(bytes); }
