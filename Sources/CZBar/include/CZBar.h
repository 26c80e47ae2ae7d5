#ifndef CZBAR_H
#define CZBAR_H
#include <stddef.h>

/// A QR code found in a picture.
typedef struct {
    /// length bytes to be freed with czbar_free.
    char *text;
    size_t length;
    /// Corners in pixels, in the order the decoder gives them.
    int x[4], y[4];
} czbar_code;

/// Finds QR codes in a grey picture of width * height bytes.
/// Fills at most capacity codes and returns their number; -1 when the library is missing or failed.
/// zbar is loaded at the first call: it brings X11, V4L and D-Bus along, which no other command should wait for.
int czbar_read(const unsigned char *pixels, unsigned width, unsigned height, czbar_code *codes, int capacity);

/// Version of the library, NULL when it is missing. Loads it.
const char *czbar_version(void);

void czbar_free(char *text);

#endif
