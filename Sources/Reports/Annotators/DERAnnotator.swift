import Codec
package import Ports

/// Explains DER: certificates, CRLs and keys by their names, everything else element by element.
package enum DERAnnotator {
    /// The tree of a whole DER value.
    package static func annotate(_ der: [UInt8]) -> Annotation {
        if let node = try? DERNode(decoding: der) {
            if isCertificate(node) { return CertificateAnnotator.annotate(der: der) }
            if let list = CertificateAnnotator.annotateCRL(der: der) { return list }
            if let key = KeyAnnotator.annotate(node, der) { return key }
            return annotate(node, "DER", depth: 0)
        }
        do throws(DERError) {
            return annotate(try DERNode(decoding: der), "DER", depth: 0)
        } catch {
            return Annotation("DER", "damaged: \(error)", length: der.count)
        }
    }

    /// `SEQUENCE { SEQUENCE { [0] version … }, SEQUENCE, BIT STRING }`.
    private static func isCertificate(_ node: DERNode) -> Bool {
        guard let parts = try? node.sequence(), parts.count == 3, parts[2].hasTag(3), let fields = try? parts[0].sequence(),
            let first = fields.first
        else { return false }
        return first.hasTag(0, .contextSpecific)
    }

    static func annotate(_ node: DERNode, _ label: String, depth: Int) -> Annotation {
        guard node.isConstructed else { return line(node, label, value(node)) }
        do throws(DERError) {
            let children = try node.children()
            return line(
                node, label, "\(node.tagName), \(children.count) element\(children.count == 1 ? "" : "s")",
                children.enumerated().map { annotate($0.element, "[\($0.offset)]", depth: depth + 1) })
        } catch {
            return line(node, label, "\(node.tagName), damaged: \(error)")
        }
    }

    private static func line(_ node: DERNode, _ label: String, _ value: String, _ children: [Annotation] = []) -> Annotation {
        Annotation(label, value, offset: node.offset, length: node.length, children: children)
    }

    private static func value(_ node: DERNode) -> String {
        let text: String? =
            switch (node.tagClass, node.tagNumber) {
            case (.universal, 1): (try? node.bool()).map { "\($0)" }
            case (.universal, 2), (.universal, 10): (try? node.int()).map { "\($0)" }
            case (.universal, 5): ""
            case (.universal, 6): (try? node.oid())?.description
            case (.universal, 23), (.universal, 24): String(validating: node.content, as: UTF8.self)
            default: try? node.string()
            }
        let bytes = Hex.encode(node.content.prefix(64)) + (node.content.count > 64 ? "… (\(node.content.count) bytes)" : "")
        return text.map { $0.isEmpty ? node.tagName : "\(node.tagName) \($0)" } ?? "\(node.tagName) \(bytes)"
    }
}
