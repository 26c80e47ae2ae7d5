import CImage
import CQREncode
import CZBar
import CZXing

/// Versions of the C libraries behind this module.
package enum QRLibraries {
    package static var versions: [(name: String, version: String)] {
        [
            ("qrencode", String(cString: QRcode_APIVersionString())), ("zxing-cpp", String(cString: czxing_version())),
            ("libpng", String(cString: cimage_png_version())), ("libjpeg-turbo", String(cString: cimage_jpeg_version())),
        ]
    }

    /// zbar's version; nil when it cannot be loaded, which takes some milliseconds the first time.
    package static var zbar: String? { czbar_version().map { String(cString: $0) } }
}
