import Glibc

/// An IP address as the kernel gives it: 4 or 16 bytes.
struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Nil for a family that is neither.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        // sa_family stands first, 16 bits.
        switch Int32(raw.load(as: UInt16.self)) {
        case AF_INET: bytes = (0..<4).map { raw.load(fromByteOffset: 4 + $0, as: UInt8.self) }
        case AF_INET6: bytes = (0..<16).map { raw.load(fromByteOffset: 8 + $0, as: UInt8.self) }
        default: return nil
        }
    }

    var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        return embedded?.isLoopback ?? (bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
    }

    /// Whether it is an address of the public network: neither private, loopback, link-local, multicast nor reserved
    /// (IANA special-purpose registries), also when it is wrapped into an IPv6 address.
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.special.contains { bytes.starts(with: $0.bytes, bits: $0.bits) } }
        if let embedded { return embedded.isPublic }
        return !Self.specialV6.contains { bytes.starts(with: $0.bytes, bits: $0.bits) }
    }

    /// The IPv4 address inside an IPv4-mapped, IPv4-compatible, NAT64 or 6to4 address.
    private var embedded: PeerAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return PeerAddress(bytes: Array(bytes.suffix(4)))
        }
        if bytes.prefix(12).allSatisfy({ $0 == 0 }), bytes[12] != 0 { return PeerAddress(bytes: Array(bytes.suffix(4))) }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) { return PeerAddress(bytes: Array(bytes.suffix(4))) }
        if bytes.starts(with: [0x20, 0x02]) { return PeerAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }

    private static let special: [(bytes: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24), ([192, 0, 2], 24),
        ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    private static let specialV6: [(bytes: [UInt8], bits: Int)] = [
        ([UInt8](repeating: 0, count: 12), 96), ([0x01, 0], 8), ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32),
        ([0xFC], 7), ([0xFE, 0x80], 10), ([0xFE, 0xC0], 10), ([0xFF], 8),
    ]

    var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard bytes.count == 16, inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Whether the first `bits` bits are those of `prefix`.
    fileprivate func starts(with prefix: [UInt8], bits: Int) -> Bool {
        for place in 0..<((bits + 7) / 8) {
            guard place < count else { return false }
            let left = bits - 8 * place
            let mask: UInt8 = left >= 8 ? 0xFF : 0xFF << UInt8(8 - left)
            guard self[place] & mask == (place < prefix.count ? prefix[place] : 0) & mask else { return false }
        }
        return true
    }
}
