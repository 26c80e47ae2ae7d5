package import Codec
package import Ports

/// Explains CBOR item by item: the names that a specification gives to its members, values in diagnostic notation, offsets.
package struct CBORAnnotator: Sendable {
    /// Explains an NFC handover message inside a transcript; the codec of those lies elsewhere.
    package typealias HandoverMessage = @Sendable (_ bytes: [UInt8], _ offset: Int) -> Annotation?

    private let handoverMessage: HandoverMessage

    package init(handoverMessage: @escaping HandoverMessage = { _, _ in nil }) { self.handoverMessage = handoverMessage }

    /// The whole tree. The first line names what the item is, or says that it is plain CBOR.
    package func annotate(_ item: CBOR) -> Annotation {
        var annotation = annotate(item, name(of: item), .any)
        if let offset = item.firstNonPreferredOffset {
            annotation.children.append(
                Annotation(
                    "note", "not in preferred encoding, first at offset 0x\(String(offset, radix: 16))", clause: "RFC 8949 4.1"))
        }
        return annotation
    }

    /// What the item is, in the words of its specification; "CBOR" if no structure is recognised.
    package func name(of item: CBOR) -> String { known(item) ?? "CBOR" }

    private func known(_ item: CBOR) -> String? {
        if let structure = Recogniser.structure(of: item) { return message(item, structure.name) }
        switch item.tagNumber {
        case 24: return (try? item.embedded()).flatMap(known).map { "\($0)Bytes" }
        case 17, 18: return (try? item.tagContent()).map { message($0, item.tagNumber == 18 ? "COSE_Sign1" : "COSE_Mac0") }
        case 61: return "CWT"
        default: return nil
        }
    }

    /// A COSE message goes by what it carries, if that is known.
    private func message(_ item: CBOR, _ name: String) -> String {
        guard name.hasPrefix("COSE_"), let payload = try? item[2].embeddedContent(), let inner = known(payload) else { return name }
        return "\(inner) in \(name)"
    }

    private func annotate(_ item: CBOR, _ label: String, _ shape: Shape) -> Annotation {
        switch shape {
        case .any: return recognised(item, label)
        case .value(let remark): return leaf(item, label, remark(item))
        case .choice(let choose): return annotate(item, label, choose(item))
        case .structure(let structure): return structured(item, label, structure)
        case .list(let element): return list(item, label, element)
        case .dictionary(let key, let value): return dictionary(item, label, key, value)
        case .embedded(let inner): return embedded(item, label, inner)
        case .wrapped(let inner): return wrapped(item, label, inner)
        case .certificates: return certificates(item, label)
        case .name: return leaf(item, label, (try? item.bytes()).flatMap(CertificateAnnotator.name))
        case .handoverMessage: return handover(item, label)
        case .secret: return line(item, label, "private, not shown, \(item.encodedRange.count) bytes with its head")
        }
    }

    // MARK: without a shape

    private func recognised(_ item: CBOR, _ label: String) -> Annotation {
        if let structure = Recogniser.structure(of: item) { return structured(item, label, structure) }
        switch item.kind {
        case .array: return list(item, label, .any)
        case .map: return dictionary(item, label, nil, .any)
        case .tag where item.tagNumber == 24: return embedded(item, label, .any)
        case .tag: return tagged(item, label)
        default: return leaf(item, label, nil)
        }
    }

    private static let tags: [UInt64: String] = [
        0: "date and time", 1: "seconds since 1970", 2: "bignum", 3: "negative bignum", 17: "COSE_Mac0", 18: "COSE_Sign1",
        61: "CWT",
        1004: "full-date",
    ]

    private func tagged(_ item: CBOR, _ label: String) -> Annotation {
        guard let number = item.tagNumber, let content = try? item.tagContent() else { return leaf(item, label, nil) }
        guard content.kind == .array || content.kind == .map || content.kind == .tag else {
            return leaf(item, label, Self.tags[number])
        }
        let inner: Structure? = number == 18 ? .coseSign1 : number == 17 ? .coseMac0 : nil
        var annotation = annotate(content, label, inner.map(Shape.structure) ?? .any)
        annotation.value = "tag \(number) around " + (annotation.value ?? "")
        annotation.offset = item.offset
        annotation.length = item.encodedRange.count
        return annotation
    }

    private func leaf(_ item: CBOR, _ label: String, _ remark: String?) -> Annotation {
        guard !((item.kind == .array || item.kind == .map) && item.count > 0) else { return recognised(item, label) }
        var value = CBORDiagnostic.format(item, options: .init(longestBytes: 64))
        let media = item.kind == .bytes ? (try? item.byteSlice()).flatMap(Meanings.media) : nil
        for remark in [remark, media].compactMap({ $0 }) { value += " — \(remark)" }
        return line(item, label, value)
    }

    private func line(_ item: CBOR, _ label: String, _ value: String?, clause: String? = nil, _ children: [Annotation] = [])
        -> Annotation
    {
        Annotation(label, value, clause: clause, offset: item.offset, length: item.encodedRange.count, children: children)
    }

    private func misfit(_ item: CBOR, _ label: String, _ wanted: String) -> Annotation {
        var annotation = recognised(item, label)
        annotation.value = (annotation.value ?? "") + " — expected \(wanted), found \(item.kind.cddlName)"
        return annotation
    }

    // MARK: by shape

    private func structured(_ item: CBOR, _ label: String, _ structure: Structure) -> Annotation {
        let structure = structure.name == "DeviceRetrievalMethod" ? Structure.retrievalMethod(of: item) : structure
        if item.kind == .tag, [17, 18, 61].contains(item.tagNumber) { return tagged(item, label) }
        let children: [Annotation]
        switch item.kind {
        case .map: children = members(item, structure)
        case .array: children = positions(item, structure)
        default: return misfit(item, label, structure.name)
        }
        let named = label.hasSuffix(structure.name) ? nil : structure.name
        let texts = [named, structure.summary(item), size(item)].compactMap { $0 }
        return line(item, label, texts.joined(separator: ", "), clause: structure.clause, children)
    }

    private func size(_ item: CBOR) -> String {
        let unit = item.kind == .map ? "member" : "element"
        return "\(item.count) \(unit)\(item.count == 1 ? "" : "s")" + (item.isIndefinite ? ", indefinite length" : "")
    }

    private func members(_ item: CBOR, _ structure: Structure) -> [Annotation] {
        pairs(item).map { key, value in
            guard let member = structure.member(key) else {
                return annotate(value, "\(CBORDiagnostic.format(key, options: .init(longestBytes: 32))) (unknown)", .any).starting(
                    at: key)
            }
            let label = key.kind == .text ? member.name : "\(member.name) (\(CBORDiagnostic.format(key)))"
            return annotate(value, label, member.shape).starting(at: key)
        }
    }

    private func pairs(_ item: CBOR) -> [(key: CBOR, value: CBOR)] { (try? item.map()).map { Array($0) } ?? [] }

    private func elements(_ item: CBOR) -> [CBOR] { (try? item.array()).map { Array($0) } ?? [] }

    private func positions(_ item: CBOR, _ structure: Structure) -> [Annotation] {
        elements(item).enumerated().map { position, element in
            guard let member = structure.member(at: position) else { return annotate(element, "[\(position)] (unknown)", .any) }
            return annotate(element, member.name, member.shape)
        }
    }

    private func list(_ item: CBOR, _ label: String, _ shape: Shape) -> Annotation {
        guard item.kind == .array else { return misfit(item, label, "array") }
        let children = elements(item).enumerated().map { annotate($0.element, "[\($0.offset)]", shape) }
        return line(item, label, size(item), children)
    }

    private func dictionary(_ item: CBOR, _ label: String, _ what: String?, _ shape: Shape) -> Annotation {
        guard item.kind == .map else { return misfit(item, label, "map") }
        let annotations = pairs(item).map { key, value in
            let name = key.kind == .text ? (try? key.text()) : nil
            let text = name ?? CBORDiagnostic.format(key, options: .init(longestBytes: 32))
            return annotate(value, what.map { "\($0) \(text)" } ?? text, shape).starting(at: key)
        }
        return line(item, label, size(item), annotations)
    }

    private func embedded(_ item: CBOR, _ label: String, _ shape: Shape) -> Annotation {
        guard item.tagNumber == 24 else { return misfit(item, label, "tag 24") }
        do throws(CBORError) {
            return enclosing(item, annotate(try item.embedded(), label, shape), "24(<<…>>) ")
        } catch {
            return leaf(item, label, "\(error)")
        }
    }

    private func wrapped(_ item: CBOR, _ label: String, _ shape: Shape) -> Annotation {
        guard item.kind == .bytes else { return misfit(item, label, "bstr") }
        guard let content = try? item.embeddedContent() else { return leaf(item, label, nil) }
        return enclosing(item, annotate(content, label, shape), "<<…>> ")
    }

    private func enclosing(_ item: CBOR, _ inner: Annotation, _ mark: String) -> Annotation {
        var annotation = inner
        annotation.value = mark + (inner.value ?? "")
        annotation.offset = item.offset
        annotation.length = item.encodedRange.count
        return annotation
    }

    private func certificates(_ item: CBOR, _ label: String) -> Annotation {
        if item.kind == .array { return list(item, label, .certificates) }
        guard let der = try? item.bytes() else { return misfit(item, label, "bstr") }
        var annotation = CertificateAnnotator.annotate(der: der, label: label)
        annotation.offset = item.offset
        annotation.length = item.encodedRange.count
        return annotation
    }

    private func handover(_ item: CBOR, _ label: String) -> Annotation {
        guard let content = try? item.byteSlice(),
            let inner = handoverMessage(Array(content), item.offset + item.encodedRange.count - content.count)
        else {
            return leaf(item, label, nil)
        }
        return line(item, label, inner.value, clause: inner.clause, inner.children)
    }
}

extension Annotation {
    /// The same, said to start where its key does.
    fileprivate func starting(at key: CBOR) -> Annotation {
        var annotation = self
        if let offset, let length {
            annotation.offset = key.offset
            annotation.length = offset + length - key.offset
        }
        return annotation
    }
}
