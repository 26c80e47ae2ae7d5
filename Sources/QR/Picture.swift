import CImage

/// A PNG or JPEG file, decoded to grey.
public struct Picture: Sendable {
    public let frame: GrayFrame
    /// `PNG` or `JPEG`.
    public let format: String
    /// What the decoder complained about while it still gave pixels: the file ends early or is damaged.
    public let damage: String?

    /// The most pixels that are read.
    public static let pixelLimit = 64_000_000

    /// Decodes a file. Width and height are checked before memory is allocated for them.
    public init(_ bytes: [UInt8], pixelLimit: Int = Picture.pixelLimit) throws(PictureError) {
        guard !bytes.isEmpty else { throw .empty }
        format = try Self.format(of: bytes)
        var result =
            format == "PNG"
            ? cimage_decode_png(bytes, bytes.count, pixelLimit) : cimage_decode_jpeg(bytes, bytes.count, pixelLimit)
        defer { cimage_free(result.pixels) }
        let (width, height) = (Int(result.width), Int(result.height))
        let message = withUnsafeBytes(of: &result.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        switch result.status {
        case CIMAGE_OK, CIMAGE_DAMAGED: break
        case CIMAGE_TOO_LARGE: throw .tooLarge(width: width, height: height, limit: pixelLimit)
        case CIMAGE_NO_MEMORY: throw .outOfMemory
        default: throw .broken(format: format, reason: message.isEmpty ? "no reason given" : message)
        }
        guard let pixels = result.pixels else { throw .outOfMemory }
        frame = GrayFrame(width: width, height: height, pixels: Array(UnsafeBufferPointer(start: pixels, count: width * height)))
        damage = result.status == CIMAGE_DAMAGED ? message : nil
    }

    /// Whether bytes begin as a PNG or JPEG does.
    public static func isPicture(_ bytes: [UInt8]) -> Bool {
        (try? format(of: bytes)) != nil
    }

    private static func format(of bytes: [UInt8]) throws(PictureError) -> String {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "PNG" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "JPEG" }
        throw .unsupported(looksLike: kind(of: bytes))
    }

    private static func kind(of bytes: [UInt8]) -> String {
        func begins(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        if begins("GIF8") { return "a GIF" }
        if begins("RIFF"), begins("WEBP", at: 8) { return "a WebP" }
        if begins("ftyphei", at: 4) || begins("ftypmif1", at: 4) { return "a HEIC" }
        if begins("ftypavif", at: 4) { return "an AVIF" }
        if begins("BM") { return "a BMP" }
        if begins("II*\0") || begins("MM\0*") { return "a TIFF" }
        if begins("%PDF") { return "a PDF" }
        if begins("<svg") || begins("<?xml") { return "an SVG or XML" }
        let isText = bytes.prefix(512).allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }
        return isText ? "text" : "something else"
    }
}
