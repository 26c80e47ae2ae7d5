/// A float of one of CBOR's three widths, by its bits, so that NaN payloads survive.
struct CBORFloat: Equatable {
    /// The bits, in the low end.
    let bits: UInt64
    /// Additional information: 25 half, 26 single, 27 double.
    let width: UInt8

    var value: Double {
        switch width {
        case 25: Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits)))
        case 26: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        default: Double(bitPattern: bits)
        }
    }

    /// The same value in the fewest bits.
    var shortest: CBORFloat {
        var float = self
        while let shorter = float.halved { float = shorter }
        return float
    }

    private var halved: CBORFloat? {
        switch width {
        case 27:
            let value = Double(bitPattern: bits)
            if value.isNaN { return narrowedNaN(exponent: 11, fraction: 52, to: 8, 23, 26) }
            return Double(Float(value)) == value ? CBORFloat(bits: UInt64(Float(value).bitPattern), width: 26) : nil
        case 26:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            if value.isNaN { return narrowedNaN(exponent: 8, fraction: 23, to: 5, 10, 25) }
            return Float(Float16(value)) == value ? CBORFloat(bits: UInt64(Float16(value).bitPattern), width: 25) : nil
        default: return nil
        }
    }

    /// A NaN keeps sign and payload; it is shortened only if the payload bits that go are zero.
    private func narrowedNaN(exponent: UInt64, fraction: UInt64, to shortExponent: UInt64, _ shortFraction: UInt64, _ width: UInt8)
        -> CBORFloat?
    {
        let dropped = fraction - shortFraction
        guard bits & (1 << dropped - 1) == 0 else { return nil }
        let sign = bits >> (exponent + fraction) & 1
        let payload = bits >> dropped & (1 << shortFraction - 1)
        return CBORFloat(
            bits: sign << (shortExponent + shortFraction) | (1 << shortExponent - 1) << shortFraction | payload, width: width)
    }
}
