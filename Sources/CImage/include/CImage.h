#ifndef CIMAGE_H
#define CIMAGE_H
#include <stddef.h>

/// The most pixels along one side: decoders of QR codes take quadratic time over long strips.
#define CIMAGE_MAX_SIDE 20000

/// How decoding or encoding a picture ended.
typedef enum {
    CIMAGE_OK,
    /// Decoded, but the data ends early or is damaged: some pixels are made up.
    CIMAGE_DAMAGED,
    /// More pixels than the caller allows, or than CIMAGE_MAX_SIDE along one side; nothing was allocated for them.
    CIMAGE_TOO_LARGE,
    /// Cannot be decoded; `message` says why.
    CIMAGE_BROKEN,
    CIMAGE_NO_MEMORY
} cimage_status;

/// A grey picture, one byte a pixel, rows top down without padding. 0 is black.
typedef struct {
    cimage_status status;
    /// As the picture's header claims, also when it was refused.
    unsigned width, height;
    /// width * height bytes to be freed with cimage_free; NULL unless OK or DAMAGED.
    unsigned char *pixels;
    /// The decoder's words, empty when there are none.
    char message[200];
} cimage_gray;

/// Decodes a PNG to grey, transparency over white. Width and height are checked against max_pixels before pixels are allocated.
cimage_gray cimage_decode_png(const void *bytes, size_t length, size_t max_pixels);

/// Decodes a JPEG to grey, under the same limit and at most 200 scans.
cimage_gray cimage_decode_jpeg(const void *bytes, size_t length, size_t max_pixels);

/// Encodes a grey picture (width * height bytes) as PNG. *out is to be freed with cimage_free.
cimage_status cimage_encode_png(const unsigned char *pixels, unsigned width, unsigned height, unsigned char **out, size_t *length);

/// Encodes a grey picture as JPEG of the given quality (1...100). *out is to be freed with cimage_free.
cimage_status cimage_encode_jpeg(
    const unsigned char *pixels, unsigned width, unsigned height, int quality, unsigned char **out, size_t *length);

void cimage_free(void *pointer);

/// Version of libpng in use.
const char *cimage_png_version(void);

/// Version of libjpeg-turbo that this was built with.
const char *cimage_jpeg_version(void);

#endif
