#include "include/decoders.h"

#include <cbor.h>
#include <stdlib.h>
#include <zbar.h>

int bound_zbar(const uint8_t *pixels, unsigned width, unsigned height) {
    zbar_image_scanner_t *scanner = zbar_image_scanner_create();
    zbar_image_t *image = zbar_image_create();
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0);
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1);
    zbar_image_set_format(image, 'Y' | '8' << 8 | '0' << 16 | (unsigned long)'0' << 24);
    zbar_image_set_size(image, width, height);
    zbar_image_set_data(image, pixels, (unsigned long)width * height, NULL);
    int found = zbar_scan_image(scanner, image) > 0;
    zbar_image_destroy(image);
    zbar_image_scanner_destroy(scanner);
    return found;
}

static cbor_item_t *tree;
static unsigned char *room;
static size_t room_length, encoded_length;

size_t bound_cbor_prepare(const uint8_t *message, size_t length) {
    struct cbor_load_result result;
    tree = cbor_load(message, length, &result);
    room_length = length + 64;
    room = malloc(room_length);
    encoded_length = tree != NULL && room != NULL ? cbor_serialize(tree, room, room_length) : 0;
    return encoded_length;
}

int bound_cbor_encode(void) { return cbor_serialize(tree, room, room_length) == encoded_length; }
