import CZBar
import CZXing

/// A QR code found in a picture.
public struct QRCode: Sendable, Equatable {
    public struct Point: Sendable, Equatable {
        public let x: Int
        public let y: Int
    }

    public let text: String
    /// Corners in pixels of the picture as it was given, around the symbol.
    public let corners: [Point]
    /// What it took: `zxing`, `zxing, contrast stretched`, `zbar, inverted, shrunk 4×`.
    public let method: String
}

/// Finds QR codes: zxing-cpp first (fast, reads slanted ones), on the picture as it is, with its contrast stretched, and inverted; large
/// pictures also shrunk, since blur and noise of a photo vanish there. What it does not read then is cleaned of noise or sharpened, and
/// last comes zbar, which is slow and reads faint ones.
public enum QRReader {
    /// Every code that the first successful attempt finds; empty when there is none.
    public static func read(_ frame: GrayFrame) -> [QRCode] {
        let factors = factors(frame)
        let last = factors.last ?? 1
        let attempts =
            factors.map { (Decoder.zxing, $0, Variant.plain) } + [(.zxing, last, Variant.cleaned)]
            + factors.map { (Decoder.zbar, $0, Variant.plain) }
        for (decoder, factor, variants) in attempts {
            let shrunk = frame.shrunk(by: factor)
            for variant in variants {
                let found = decoder.read(variant.apply(shrunk))
                if !found.isEmpty { return unique(found.map { $0.code(decoder, variant, factor) }) }
            }
        }
        return []
    }

    /// 1, then whatever brings the longer side under 1600 and 800 pixels.
    private static func factors(_ frame: GrayFrame) -> [Int] {
        let side = max(frame.width, frame.height)
        let factors = [1, (side + 1599) / 1600, (side + 799) / 800]
        return factors.enumerated().filter { index, factor in !factors[..<index].contains(factor) }.map(\.element)
    }

    /// A decoder may report a symbol twice.
    private static func unique(_ codes: [QRCode]) -> [QRCode] {
        codes.enumerated().filter { index, code in !codes[..<index].contains { $0.text == code.text && $0.corners == code.corners }
        }
        .map(\.element)
    }
}

private enum Variant: String {
    case asIs = ""
    case stretched = ", contrast stretched"
    case inverted = ", inverted"
    case unspeckled = ", specks removed"
    case smoothed = ", smoothed"
    case sharpened = ", sharpened"
    case smoothedInverted = ", smoothed, inverted"

    /// What costs next to nothing.
    static let plain = [asIs, stretched, inverted]
    /// What changes the pixels by their surroundings.
    static let cleaned = [unspeckled, smoothed, sharpened, smoothedInverted]

    func apply(_ frame: GrayFrame) -> GrayFrame {
        switch self {
        case .asIs: frame
        case .stretched: frame.stretched()
        case .inverted: frame.stretched().inverted()
        case .unspeckled: frame.unspeckled().stretched()
        case .smoothed: frame.smoothed().stretched()
        case .sharpened: frame.sharpened().stretched()
        case .smoothedInverted: frame.smoothed().stretched().inverted()
        }
    }
}

/// What a decoder found, in pixels of the frame it was given.
private struct Found {
    let text: String
    let corners: [QRCode.Point]

    func code(_ decoder: Decoder, _ variant: Variant, _ factor: Int) -> QRCode {
        QRCode(
            text: text, corners: corners.map { QRCode.Point(x: $0.x * factor, y: $0.y * factor) },
            method: decoder.rawValue + variant.rawValue + (factor > 1 ? ", shrunk \(factor)×" : ""))
    }
}

private enum Decoder: String {
    case zxing
    case zbar

    /// The most codes taken from one picture.
    private static let capacity = 64

    func read(_ frame: GrayFrame) -> [Found] {
        switch self {
        case .zxing: Self.readWithZXing(frame)
        case .zbar: Self.readWithZBar(frame)
        }
    }

    private static func readWithZXing(_ frame: GrayFrame) -> [Found] {
        var codes = [czxing_code](repeating: czxing_code(), count: capacity)
        let count = czxing_read(frame.pixels, Int32(frame.width), Int32(frame.height), &codes, Int32(capacity))
        return codes.prefix(max(0, Int(count))).map { code in
            defer { czxing_free(code.text) }
            return Found(text: text(code.text, code.length), corners: corners(code.x, code.y))
        }
    }

    private static func readWithZBar(_ frame: GrayFrame) -> [Found] {
        var codes = [czbar_code](repeating: czbar_code(), count: capacity)
        let count = czbar_read(frame.pixels, UInt32(frame.width), UInt32(frame.height), &codes, Int32(capacity))
        return codes.prefix(max(0, Int(count))).map { code in
            defer { czbar_free(code.text) }
            return Found(text: text(code.text, code.length), corners: corners(code.x, code.y))
        }
    }

    private static func text(_ start: UnsafeMutablePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private typealias Four = (Int32, Int32, Int32, Int32)

    private static func corners(_ x: Four, _ y: Four) -> [QRCode.Point] {
        [(x.0, y.0), (x.1, y.1), (x.2, y.2), (x.3, y.3)].map { QRCode.Point(x: Int($0.0), y: Int($0.1)) }
    }
}
