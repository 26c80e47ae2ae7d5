#ifndef CZXING_H
#define CZXING_H
#include <stddef.h>

/// A QR code found in a picture.
typedef struct {
    /// length bytes of UTF-8 to be freed with czxing_free.
    char *text;
    size_t length;
    /// Corners in pixels: top left, top right, bottom right, bottom left of the symbol.
    int x[4], y[4];
} czxing_code;

#ifdef __cplusplus
extern "C" {
#endif

/// Finds QR codes in a grey picture of width * height bytes.
/// Fills at most capacity codes and returns their number; -1 when the decoder failed.
int czxing_read(const unsigned char *pixels, int width, int height, czxing_code *codes, int capacity);

void czxing_free(char *text);

/// Version that this was built with.
const char *czxing_version(void);

#ifdef __cplusplus
}
#endif
#endif
