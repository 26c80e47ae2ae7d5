#ifndef DECODERS_H
#define DECODERS_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether zxing-cpp alone, told to try hard, finds a QR code in a grey picture of width * height bytes.
int bound_zxing(const uint8_t *pixels, int width, int height);
/// Whether zbar alone does.
int bound_zbar(const uint8_t *pixels, unsigned width, unsigned height);

/// Reads a message into libcbor's tree, once; the length that it encodes to, 0 when it cannot.
size_t bound_cbor_prepare(const uint8_t *message, size_t length);
/// Encodes that tree; 1 when the length is the same again.
int bound_cbor_encode(void);

#ifdef __cplusplus
}
#endif
#endif
