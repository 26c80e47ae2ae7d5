import Codec
import QR

/// Pictures: `qr/*.png` and `qr/*.jpg`. Those with a code hold the text of a case of `mdoc/device-engagement.json`; `no-bar-code` holds none.
struct QRVectors: VectorSuite {
    func matches(_ path: String) -> Bool {
        path.hasPrefix("qr/") && [".png", ".jpg", ".jpeg"].contains { path.hasSuffix($0) }
    }

    func run(_ file: VectorFile) async throws -> [VectorCase] {
        let texts = QRReader.read(try Picture(file.bytes).frame).map(\.text)
        if file.name.hasPrefix("no-bar-code") {
            return [await VectorCase("no code") { try expect(texts, equals: [], "the list of codes found") }]
        }
        let published = try Self.published(beside: file)
        return [await VectorCase("text") { try expect(texts, equals: [published], "the list of codes found") }]
    }

    /// The case that the pictures' source names.
    private static func published(beside file: VectorFile) throws -> String {
        let cases = try file.companion("mdoc/device-engagement.json").json()["cases"]?.arrayValue ?? []
        guard let text = cases.first(where: { $0["id"]?.stringValue == "ac0a361c" })?["qr_text"]?.stringValue else {
            throw Mismatch("mdoc/device-engagement.json has no case ac0a361c")
        }
        return text
    }
}
