import Codec

/// What DER asks and a reader of elements cannot see: defaults left out, bit lists ended, sets sorted (X.690 §11).
enum Strictness {
    /// The first violation in a certificate that could be read; nil: none.
    static func violation(in certificate: Certificate) -> String? {
        if let text = violation(in: certificate.der) { return text }
        for item in certificate.extensions {
            if let text = violation(inKnown: item) { return "extension \(item.oid): \(text)" }
        }
        return nil
    }

    /// The first violation that needs no knowledge of the type but of certificates' defaults.
    static func violation(in der: [UInt8]) -> String? {
        guard let node = try? DERNode(decoding: der) else { return "not readable as DER" }
        return violation(in: node)
    }

    private static func violation(in node: DERNode) -> String? {
        if !node.isConstructed { return violation(inPrimitive: node) }
        guard let children = try? node.children() else { return "unreadable element at offset \(node.offset)" }
        if node.hasTag(17), !isSorted(children.map(\.encoded)) { return "SET OF not sorted at offset \(node.offset)" }
        // In a certificate a BOOLEAN after an object identifier is `critical DEFAULT FALSE`.
        if children.count >= 2, children[0].hasTag(6), children[1].hasTag(1), children[1].content == [0] {
            return "default FALSE written out at offset \(children[1].offset)"
        }
        if node.hasTag(0, .contextSpecific), children.count == 1, children[0].hasTag(2), children[0].content == [0] {
            return "default version written out at offset \(node.offset)"
        }
        for child in children {
            if let text = violation(in: child) { return text }
        }
        return nil
    }

    private static func violation(inPrimitive node: DERNode) -> String? {
        do {
            if node.hasTag(1) { _ = try node.bool() }
            if node.hasTag(2) { _ = try node.integerBytes() }
            if node.hasTag(3) { _ = try node.bitString() }
            if node.hasTag(5) { try node.null() }
            if node.hasTag(6) { _ = try node.oid() }
            return node.hasTag(16) || node.hasTag(17) ? "primitive \(node.tagName) at offset \(node.offset)" : nil
        } catch {
            return error.description
        }
    }

    private static func violation(inKnown item: CertificateExtension) -> String? {
        guard let node = try? DERNode(decoding: item.value) else { return nil }
        switch item.oid {
        case .basicConstraints:
            guard let first = try? node.sequence().first, first.hasTag(1) else { return nil }
            return first.content == [0] ? "default FALSE written out" : violation(inPrimitive: first)
        case .keyUsage:
            guard let bits = try? node.bitString() else { return nil }
            let isEnded = bits.bytes.last.map { $0 >> UInt8(bits.unusedBits) & 1 == 1 } ?? true
            return isEnded ? nil : "bit list with zeros at its end"
        default: return violation(in: node)
        }
    }

    private static func isSorted(_ encodings: [[UInt8]]) -> Bool {
        zip(encodings, encodings.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    }
}
