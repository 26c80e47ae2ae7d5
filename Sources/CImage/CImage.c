#include "CImage.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

void cimage_free(void *pointer) { free(pointer); }

const char *cimage_png_version(void) { return png_get_libpng_ver(NULL); }

#define TEXT(token) #token
#define TEXT_OF(macro) TEXT(macro)

const char *cimage_jpeg_version(void) { return TEXT_OF(LIBJPEG_TURBO_VERSION); }

/// Sets width and height; false with TOO_LARGE when there are more pixels than allowed.
static int admit(cimage_gray *picture, unsigned width, unsigned height, size_t max_pixels) {
    picture->width = width;
    picture->height = height;
    if (width == 0 || height == 0 || width > CIMAGE_MAX_SIDE || height > CIMAGE_MAX_SIDE || height > max_pixels / width) {
        picture->status = CIMAGE_TOO_LARGE;
        return 0;
    }
    return 1;
}

static void say(cimage_gray *picture, const char *message) {
    snprintf(picture->message, sizeof picture->message, "%s", message);
}

cimage_gray cimage_decode_png(const void *bytes, size_t length, size_t max_pixels) {
    cimage_gray picture = {.status = CIMAGE_BROKEN};
    // Signature, length, "IHDR", width, height: looked at before libpng works through what follows.
    const unsigned char *head = bytes;
    if (length >= 24 && !admit(&picture, png_get_uint_32(head + 16), png_get_uint_32(head + 20), max_pixels)) return picture;
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, length)) {
        say(&picture, image.message);
        return picture;
    }
    if (!admit(&picture, image.width, image.height, max_pixels)) {
        png_image_free(&image);
        return picture;
    }
    image.format = PNG_FORMAT_GRAY;
    size_t size = (size_t)picture.width * picture.height;
    picture.pixels = malloc(size);
    if (picture.pixels == NULL) {
        png_image_free(&image);
        picture.status = CIMAGE_NO_MEMORY;
        return picture;
    }
    // What is transparent is composed onto what the buffer holds.
    memset(picture.pixels, 255, size);
    if (png_image_finish_read(&image, NULL, picture.pixels, (png_int_32)picture.width, NULL)) {
        picture.status = CIMAGE_OK;
        return picture;
    }
    say(&picture, image.message);
    cimage_free(picture.pixels);
    picture.pixels = NULL;
    return picture;
}

/// libjpeg's error manager with the way out of it. `base` comes first: libjpeg hands that address back.
struct jpeg_exit {
    struct jpeg_error_mgr base;
    jmp_buf leave;
    char *message;
    size_t capacity;
};

static void leave_jpeg(j_common_ptr info) {
    struct jpeg_exit *errors = (struct jpeg_exit *)info->err;
    if (errors->message != NULL) {
        char text[JMSG_LENGTH_MAX];
        info->err->format_message(info, text);
        snprintf(errors->message, errors->capacity, "%s", text);
    }
    longjmp(errors->leave, 1);
}

/// Warnings are kept (the first one), not printed; traces are dropped.
static void note_jpeg(j_common_ptr info, int level) {
    struct jpeg_exit *errors = (struct jpeg_exit *)info->err;
    if (level >= 0) return;
    if (info->err->num_warnings++ > 0 || errors->message == NULL) return;
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    snprintf(errors->message, errors->capacity, "%s", text);
}

/// A small file can hold very many scans of a large progressive picture, each as costly as a picture.
static void limit_scans(j_common_ptr info) {
    if (!info->is_decompressor) return;
    if (((j_decompress_ptr)info)->input_scan_number > 200) ERREXITS(info, JERR_FILE_READ, "too many scans");
}

static struct jpeg_error_mgr *jpeg_errors(struct jpeg_exit *errors, char *message, size_t capacity) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = leave_jpeg;
    errors->base.emit_message = note_jpeg;
    errors->message = message;
    errors->capacity = capacity;
    return &errors->base;
}

cimage_gray cimage_decode_jpeg(const void *bytes, size_t length, size_t max_pixels) {
    // Volatile what changes between setjmp and longjmp.
    volatile unsigned width = 0, height = 0;
    unsigned char *volatile pixels = NULL;
    cimage_gray result = {.status = CIMAGE_BROKEN};
    struct jpeg_decompress_struct info;
    struct jpeg_exit errors;
    struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans};
    char message[sizeof result.message] = "";

    info.err = jpeg_errors(&errors, message, sizeof message);
    if (setjmp(errors.leave)) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        cimage_gray broken = {.status = CIMAGE_BROKEN, .width = width, .height = height};
        memcpy(broken.message, message, sizeof message);
        return broken;
    }
    jpeg_create_decompress(&info);
    info.progress = &progress;
    jpeg_mem_src(&info, (const unsigned char *)bytes, length);
    jpeg_read_header(&info, TRUE);
    width = info.image_width;
    height = info.image_height;
    if (!admit(&result, info.image_width, info.image_height, max_pixels)) {
        jpeg_destroy_decompress(&info);
        return result;
    }
    info.out_color_space = JCS_GRAYSCALE;
    pixels = malloc((size_t)info.image_width * info.image_height);
    if (pixels == NULL) {
        jpeg_destroy_decompress(&info);
        result.status = CIMAGE_NO_MEMORY;
        return result;
    }
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + (size_t)info.output_scanline * info.output_width;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    result.status = errors.base.num_warnings > 0 ? CIMAGE_DAMAGED : CIMAGE_OK;
    memcpy(result.message, message, sizeof message);
    jpeg_destroy_decompress(&info);
    result.pixels = pixels;
    return result;
}

cimage_status cimage_encode_png(const unsigned char *pixels, unsigned width, unsigned height, unsigned char **out, size_t *length) {
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_GRAY};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL) return CIMAGE_NO_MEMORY;
    if (!png_image_write_to_memory(&image, bytes, &size, 0, pixels, (png_int_32)width, NULL)) {
        free(bytes);
        return CIMAGE_BROKEN;
    }
    *out = bytes;
    *length = size;
    return CIMAGE_OK;
}

cimage_status cimage_encode_jpeg(
    const unsigned char *pixels, unsigned width, unsigned height, int quality, unsigned char **out, size_t *length) {
    struct jpeg_compress_struct info;
    struct jpeg_exit errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;

    info.err = jpeg_errors(&errors, NULL, 0);
    if (setjmp(errors.leave)) {
        jpeg_destroy_compress(&info);
        return CIMAGE_BROKEN;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = width;
    info.image_height = height;
    info.input_components = 1;
    info.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)info.next_scanline * width);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *out = bytes;
    *length = size;
    return CIMAGE_OK;
}
