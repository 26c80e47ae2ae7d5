import Crypto
import Ports

/// Bytes from hex digits; anything else in the text is skipped. For literals in tests only.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension [UInt8] {
    /// The same bytes with one bit turned over.
    func flippingBit(_ position: Int) -> [UInt8] {
        var copy = self
        copy[position / 8] ^= 1 << UInt8(position % 8)
        return copy
    }
}
