#include "CZXing.h"

#include <cstdlib>
#include <cstring>

#define ZX_USE_UTF8 1
#include <ZXing/ReadBarcode.h>
#include <ZXing/ZXVersion.h>

void czxing_free(char *text) { std::free(text); }

#define TEXT(token) #token
#define TEXT_OF(macro) TEXT(macro)

const char *czxing_version(void) {
    return TEXT_OF(ZXING_VERSION_MAJOR) "." TEXT_OF(ZXING_VERSION_MINOR) "." TEXT_OF(ZXING_VERSION_PATCH);
}

int czxing_read(const unsigned char *pixels, int width, int height, czxing_code *codes, int capacity) {
    // No C++ exception may reach Swift.
    try {
        ZXing::DecodeHints hints;
        hints.setFormats(ZXing::BarcodeFormat::QRCode).setTryHarder(true).setTryRotate(true);
        hints.setMaxNumberOfSymbols(static_cast<uint8_t>(capacity > 255 ? 255 : capacity));
        int count = 0;
        for (const auto &result : ZXing::ReadBarcodes({pixels, width, height, ZXing::ImageFormat::Lum}, hints)) {
            if (!result.isValid() || count == capacity) continue;
            const std::string text = result.text();
            char *copy = static_cast<char *>(std::malloc(text.size() + 1));
            if (copy == nullptr) break;
            std::memcpy(copy, text.data(), text.size());
            czxing_code &code = codes[count++];
            code.text = copy;
            code.length = text.size();
            const auto &corners = result.position();
            for (int i = 0; i < 4; i++) {
                code.x[i] = corners[i].x;
                code.y[i] = corners[i].y;
            }
        }
        return count;
    } catch (...) {
        return -1;
    }
}
