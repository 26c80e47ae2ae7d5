import Codec
import Crypto
package import Ports

/// Explains JWS, JWE and SD-JWT as far as decoding goes; no signature is checked.
package enum JOSEAnnotator {
    /// A JWS in compact serialisation (RFC 7515 §7.1).
    package static func annotateJWS(_ text: String) -> Annotation {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return Annotation("JWS", "\(parts.count) parts where there should be 3") }
        let header = json(parts[0])
        let statement = json(parts[1]).flatMap { SignedStatements.annotate(text, $0) }
        return Annotation(
            "JWS", [header?["typ"]?.stringValue, "signature not checked"].compactMap { $0 }.joined(separator: ", "),
            clause: "RFC 7515 7.1",
            children: [statement].compactMap { $0 } + [self.header(header, parts[0]), payload(parts[1]), signature(parts[2])])
    }

    /// A JWE in compact serialisation (RFC 7516 §7.1): only its header can be read without the key.
    package static func annotateJWE(_ text: String) -> Annotation {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5 else { return Annotation("JWE", "\(parts.count) parts where there should be 5") }
        let names = ["encrypted key", "initialization vector", "ciphertext", "authentication tag"]
        let rest = zip(names, parts.dropFirst()).map { Annotation($0, bytes($1).map { "\($0.count) bytes" } ?? "not base64url") }
        return Annotation("JWE", "encrypted", clause: "RFC 7516 7.1", children: [header(json(parts[0]), parts[0])] + rest)
    }

    /// An SD-JWT or SD-JWT+KB (RFC 9901): each disclosure is placed at the digest that stands for it.
    package static func annotateSDJWT(_ text: String) -> Annotation {
        let parts = text.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        let tokens = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard tokens.count == 3, let last = parts.last else { return Annotation("SD-JWT", "its first part is no JWS") }
        let payload = json(tokens[1])
        var disclosures = Disclosures(Array(parts.dropFirst().dropLast()), algorithm: payload?["_sd_alg"]?.stringValue ?? "sha-256")
        var children = [header(json(tokens[0]), tokens[0]), disclosures.place(in: payload, or: tokens[1]), signature(tokens[2])]
        children.append(disclosures.annotation)
        if !last.isEmpty { children.append(keyBinding(last, signed: text.dropLast(last.count), disclosures)) }
        return Annotation(
            last.isEmpty ? "SD-JWT" : "SD-JWT+KB",
            [payload?["vct"]?.stringValue, "\(disclosures.count) disclosures", "signatures not checked"].compactMap { $0 }.joined(
                separator: ", "),
            clause: "RFC 9901 4", children: children)
    }

    private static func keyBinding(_ token: String, signed: Substring, _ disclosures: Disclosures) -> Annotation {
        var annotation = annotateJWS(token)
        annotation.label = "key binding JWT"
        annotation.clause = "RFC 9901 4.3"
        let published = token.split(separator: ".").dropFirst().first.flatMap { json(String($0)) }?["sd_hash"]?.stringValue
        if let published, let hash = disclosures.hash {
            let computed = Base64URL.encode(hash.digest(Array(signed.utf8)))
            annotation.children.append(
                Annotation("sd_hash", computed == published ? "fits what stands before" : "does not fit, computed is \(computed)"))
        }
        return annotation
    }

    private static func header(_ header: JSON?, _ part: String) -> Annotation {
        guard let header else { return Annotation("header", "no JSON in base64url: \(part.prefix(40))") }
        var annotation = JSONAnnotator.annotate(header, label: "header")
        let chain = header["x5c"]?.arrayValue?.compactMap(\.stringValue) ?? []
        for (position, text) in chain.enumerated() {
            guard let der = try? Base64.decode(text) else { continue }
            annotation.children.append(CertificateAnnotator.annotate(der: der, label: "x5c[\(position)]"))
        }
        return annotation
    }

    private static func payload(_ part: String) -> Annotation {
        if let payload = json(part) { return JSONAnnotator.annotate(payload, label: "payload") }
        guard let content = bytes(part) else { return Annotation("payload", "not base64url") }
        return Annotation(
            "payload",
            String(validating: content, as: UTF8.self).map { JSON.string($0).encoded() }
                ?? "h'\(Hex.encode(content.prefix(64)))', \(content.count) bytes")
    }

    private static func signature(_ part: String) -> Annotation {
        Annotation("signature", part.isEmpty ? "none" : bytes(part).map { "\($0.count) bytes" } ?? "not base64url")
    }

    static func bytes(_ part: String) -> [UInt8]? { try? Base64URL.decode(part) }
    static func json(_ part: String) -> JSON? { bytes(part).flatMap { try? JSON.decode($0) } }
}
