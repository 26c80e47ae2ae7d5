#include "include/decoders.h"

#define ZX_USE_UTF8 1
#include <ZXing/ReadBarcode.h>

int bound_zxing(const uint8_t *pixels, int width, int height) {
    ZXing::DecodeHints hints;
    hints.setFormats(ZXing::BarcodeFormat::QRCode).setTryHarder(true).setTryRotate(true);
    for (const auto &result : ZXing::ReadBarcodes({pixels, width, height, ZXing::ImageFormat::Lum}, hints)) {
        if (result.isValid()) return 1;
    }
    return 0;
}
