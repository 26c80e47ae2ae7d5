import Codec
import Ports
import Proximity
import QR
import Credentials
import Reports

/// Explains one input.
struct Inspection {
    let edition: Edition

    /// - Throws: exit code 1 with what is wrong, for content that is damaged.
    func annotate(_ input: Input) throws(CommandError) -> Annotation {
        switch input.content {
        case .cbor(let bytes): try annotate(cbor: bytes, input.origin)
        case .der(let bytes): DERAnnotator.annotate(bytes)
        case .pem(let blocks): annotate(pem: blocks)
        case .json(let text): try annotate(json: text, input.origin)
        case .jws(let text): JOSEAnnotator.annotateJWS(text)
        case .jwe(let text): JOSEAnnotator.annotateJWE(text)
        case .sdJWT(let text): JOSEAnnotator.annotateSDJWT(text)
        case .uri(.mdoc, let text): try annotate(engagement: text)
        case .uri(.http, let text), .uri(.https, let text):
            throw .refused("\(text): a web address stands where a file is explained", hint: "inspect it by itself")
        case .uri(let scheme, let text): annotate(link: text, scheme)
        case .picture(let bytes): try annotate(picture: bytes, input.origin)
        }
    }

    private var annotator: CBORAnnotator { CBORAnnotator { bytes, offset in NFCAnnotator.annotate(bytes, at: offset) } }

    // MARK: CBOR and what looks like it

    private func annotate(cbor bytes: [UInt8], _ origin: String) throws(CommandError) -> Annotation {
        if let message = NFCAnnotator.annotate(bytes, at: 0) {
            return message.with(findings: NFCHandover.review(bytes, edition: edition).checks)
        }
        let item: CBOR
        do throws(CommandError) {
            item = try Self.decode(bytes, origin)
        } catch {
            guard let message = NFCAnnotator.annotateOther(bytes) else { throw error }
            return message
        }
        let annotation = annotator.annotate(item)
        guard annotation.label == "DeviceEngagement" else { return annotation }
        return annotation.with(findings: EngagementReview(bytes: bytes, edition: edition).checks)
    }

    static func decode(_ bytes: [UInt8], _ origin: String) throws(CommandError) -> CBOR {
        do {
            return try CBOR(decoding: bytes)
        } catch {
            throw .refused("\(origin): begins like CBOR, but \(error)", hint: "is it complete, and nothing but one item?")
        }
    }

    // MARK: engagement text

    static func engagementBytes(_ text: String) throws(CommandError) -> [UInt8] {
        do {
            return try EngagementText.decode(text)
        } catch {
            switch error {
            case .scheme(let found): throw .refused("no engagement: it begins with \(found), and not with mdoc:")
            case .base64url(let what): throw .refused("no engagement: \(what)", hint: "after mdoc: comes base64url without padding")
            }
        }
    }

    private func annotate(engagement text: String) throws(CommandError) -> Annotation {
        let item = try Self.decode(try Self.engagementBytes(text), "the engagement")
        return annotator.annotate(item).with(findings: EngagementReview(text: text, edition: edition).checks)
    }

    // MARK: text

    private func annotate(pem blocks: [(label: String, bytes: [UInt8])]) -> Annotation {
        let children = blocks.map { block in
            var annotation = DERAnnotator.annotate(block.bytes)
            annotation.label = blocks.count == 1 ? annotation.label : "\(block.label): \(annotation.label)"
            return annotation
        }
        return children.count == 1 ? children[0] : Annotation("PEM", "\(blocks.count) blocks", children: children)
    }

    private func annotate(json text: String, _ origin: String) throws(CommandError) -> Annotation {
        do {
            return JSONAnnotator.annotate(try JSON.decode(text))
        } catch {
            if let trace = JSONAnnotator.annotateTrace(text) { return trace }
            throw .refused("\(origin): begins like JSON, but \(error)")
        }
    }

    /// The parameters of a link; objects and tokens in them are explained too.
    private func annotate(link text: String, _ scheme: URIScheme) -> Annotation {
        let query = text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let parameters = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]).percentDecoded, parts.count > 1 ? String(parts[1]).percentDecoded : "")
        }
        let children = parameters.map { name, value in
            let inner = Sniffer.content(ofText: value).flatMap {
                try? annotate(Input(origin: name, encodings: [], content: $0.content))
            }
            return Annotation(name, value, children: value.utf8.count > 8 ? [inner].compactMap { $0 } : [])
        }
        return Annotation("\(scheme.rawValue) link", "\(children.count) parameters", children: children)
    }

    // MARK: pictures

    private func annotate(picture bytes: [UInt8], _ origin: String) throws(CommandError) -> Annotation {
        let picture: Picture
        do {
            picture = try Picture(bytes)
        } catch {
            throw CommandError("\(origin): \(error)", hint: error.hint)
        }
        let size = "\(picture.format), \(picture.frame.width) × \(picture.frame.height) pixels"
        let codes = QRReader.read(picture.frame)
        guard !codes.isEmpty else { throw .refused("\(origin): a picture (\(size)) without a QR code that can be read") }
        let children = codes.map { code in
            let inner = Sniffer.content(ofText: code.text).flatMap {
                try? annotate(Input(origin: "the code", encodings: [], content: $0.content))
            }
            return Annotation(
                "QR code", code.text,
                children: inner.map { [$0] } ?? QRText.explanation(code.text, edition: edition).map { Annotation($0) })
        }
        return Annotation("picture", size, children: children)
    }
}

extension Annotation {
    /// Adds the checks that did not pass.
    func with(findings list: CheckList) -> Annotation {
        let findings = list.checks.filter { $0.outcome.isViolation }
        var annotation = self
        annotation.children += findings.map { Annotation("\($0.outcome.word) \($0.id) \($0.name)", $0.reason, clause: $0.clause) }
        return annotation
    }
}

extension String {
    /// `%XX` turned into bytes and `+` into a space (application/x-www-form-urlencoded); what is no UTF-8 then is repaired.
    fileprivate var percentDecoded: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
