import QR
import Testing

@Suite struct PictureTests {
    private static let png: [UInt8] = (try? QRSymbol("picture").png(scale: 2)) ?? []
    private static let jpeg: [UInt8] = (try? QRSymbol("picture").frame(scale: 8).jpeg(quality: 80)) ?? []

    @Test func refusesEmptyFiles() {
        #expect(throws: PictureError.empty) { try Picture([]) }
    }

    @Test(arguments: [
        ("GIF89a", "a GIF"), ("RIFF\0\0\0\0WEBP", "a WebP"), ("\0\0\0\u{18}ftypheic", "a HEIC"), ("%PDF-1.7", "a PDF"),
        ("BM\0", "a BMP"), ("hello", "text"), ("\0\u{1}", "something else"),
    ])
    func namesWhatItCannotRead(_ start: String, _ kind: String) {
        #expect(throws: PictureError.unsupported(looksLike: kind)) { try Picture(Array(start.utf8)) }
    }

    @Test func refusesTooManyPixelsBeforeReadingThem() throws {
        let limit = PictureError.tooLarge(width: 58, height: 58, limit: 3000)
        #expect(throws: limit) { try Picture(Self.png, pixelLimit: 3000) }
        let large = PictureError.tooLarge(width: 232, height: 232, limit: 3000)
        #expect(throws: large) { try Picture(Self.jpeg, pixelLimit: 3000) }
    }

    /// The width in the header is changed to claim up to four thousand million pixels a row.
    @Test(arguments: [
        [0x00, 0x00, 0x27, 0x10], [0x00, 0x00, 0x4E, 0x21], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF],
        [0x00, 0x00, 0x00, 0x00],
    ])
    func survivesAHeaderThatLies(_ width: [UInt8]) {
        var bytes = Self.png
        bytes.replaceSubrange(16..<20, with: width)
        bytes.replaceSubrange(20..<24, with: [0x00, 0x00, 0x27, 0x10])
        #expect(throws: PictureError.self) { try Picture(bytes) }
    }

    @Test func readsThePixelsOfATruncatedJPEGAndSaysSo() throws {
        let picture = try Picture(Array(Self.jpeg.dropLast(Self.jpeg.count / 4)))
        #expect(picture.damage != nil)
        #expect(try Picture(Self.jpeg).damage == nil)
    }

    /// Cut at every length and with every byte changed: an error or a picture, never a crash.
    @Test func survivesDamageAnywhere() {
        for bytes in [Self.png, Array(Self.jpeg.prefix(1200))] {
            for length in 0..<bytes.count { _ = try? Picture(Array(bytes.prefix(length)), pixelLimit: 1 << 20) }
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0xFF
                _ = try? Picture(changed, pixelLimit: 1 << 20)
            }
        }
        #expect((try? Picture(Self.png)) != nil)
    }
}
