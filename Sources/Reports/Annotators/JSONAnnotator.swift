package import Codec
package import Ports

/// Explains JSON: what it is, and its members as a tree.
package enum JSONAnnotator {
    /// The tree of a value.
    package static func annotate(_ json: JSON, label: String? = nil) -> Annotation {
        annotate(json, label ?? name(of: json) ?? "JSON", depth: 0)
    }

    /// What an object is, by members that only it has.
    static func name(of json: JSON) -> String? {
        let names: [([String], String)] = [
            (["verdict", "checks"], "walletbench report"), (["sequence", "session", "layer"], "walletbench trace event"),
            (["kty", "crv"], "JSON Web Key"),
            (["keys"], "JSON Web Key Set"), (["dcql_query"], "OpenID4VP request"),
            (["credential_issuer", "credential_configuration_ids"], "OpenID4VCI credential offer"),
            (["credential_issuer", "credential_endpoint"], "OpenID4VCI issuer metadata"),
            (["issuer", "token_endpoint"], "OAuth server metadata"), (["vp_token"], "OpenID4VP response"),
            (["credentials"], "DCQL query"), (["protected", "payload", "signature"], "JWS in JSON serialisation"),
        ]
        return names.first { rule in rule.0.allSatisfy { json[$0] != nil } }?.1
    }

    private static func annotate(_ json: JSON, _ label: String, depth: Int) -> Annotation {
        switch json {
        case .object(let object):
            Annotation(
                label, "\(object.count) member\(object.count == 1 ? "" : "s")",
                children: object.map { member($0.key, $0.value, isKey: object["kty"] != nil, depth + 1) })
        case .array(let values):
            Annotation(
                label, "\(values.count) element\(values.count == 1 ? "" : "s")",
                children: values.enumerated().map { annotate($0.element, "[\($0.offset)]", depth: depth + 1) })
        default: Annotation(label, json.encoded())
        }
    }

    /// Claims that are dates get their date (RFC 7519 §4.1); the secret part of a JWK is not shown.
    private static func member(_ key: String, _ value: JSON, isKey: Bool, _ depth: Int) -> Annotation {
        if isKey && ["d", "k", "p", "q", "dp", "dq", "qi", "oth"].contains(key) { return Annotation(key, "private, not shown") }
        if ["exp", "nbf", "iat", "auth_time", "updated_at"].contains(key), let seconds = value.intValue,
            let seconds = Int(exactly: seconds)
        {
            return Annotation(key, "\(seconds) — \(Meanings.date(seconds))")
        }
        return annotate(value, key, depth: depth)
    }

    /// A trace file: one event a line; nil if a line is none.
    package static func annotateTrace(_ text: String) -> Annotation? {
        let lines = text.split(whereSeparator: \.isNewline)
        let events = lines.compactMap { line in (try? JSON.decode(String(line))).flatMap(TraceEvent.init(json:)) }
        guard !events.isEmpty, events.count == lines.count else { return nil }
        return Annotation(
            "walletbench trace", "\(events.count) event\(events.count == 1 ? "" : "s")", children: events.map(annotate))
    }

    private static func annotate(_ event: TraceEvent) -> Annotation {
        let size = event.isRedacted ? "redacted" : "\(event.bytes.count) bytes"
        let faults = event.faults.isEmpty ? [] : [Annotation("faults", event.faults.joined(separator: ", "))]
        let item = event.annotation ?? content(event.bytes)
        return Annotation(
            "\(event.sequence) \(event.role) \(event.direction.rawValue) \(event.name)",
            "\(event.time), session \(event.session), \(event.layer), \(size)",
            children: faults + [item].compactMap { $0 })
    }

    /// Messages are maps, arrays or tags; a lone number would be a byte of the link below.
    private static func content(_ bytes: [UInt8]) -> Annotation? {
        if let item = try? CBOR(decoding: bytes), [.map, .array, .tag].contains(item.kind) {
            return CBORAnnotator().annotate(item)
        }
        return bytes.isEmpty ? nil : Annotation("bytes", Hex.encode(bytes.prefix(64)) + (bytes.count > 64 ? "…" : ""))
    }
}
