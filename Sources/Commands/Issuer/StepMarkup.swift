import Codec
import Credentials
import OpenID
import Ports
import Reports
import Web

/// The messages of an issuance, raw and explained as `inspect` explains them.
struct StepMarkup: Sendable {
    let edition: Edition

    /// Bytes of a message that are shown raw.
    private static let shown = 16 << 10
    /// Values of a list that are explained one by one.
    private static let explained = 16
    /// Where each message is defined, by endpoint.
    private static let clauses = [
        "offer": "OpenID4VCI 1.0 4.1", "metadata": "OpenID4VCI 1.0 12.2", "server-metadata": "RFC 8414 3", "par": "RFC 9126 2",
        "authorize": "OpenID4VCI 1.0 5", "token": "OpenID4VCI 1.0 6", "nonce": "OpenID4VCI 1.0 7",
        "credential": "OpenID4VCI 1.0 8", "deferred_credential": "OpenID4VCI 1.0 9", "notification": "OpenID4VCI 1.0 11",
    ]

    /// Every step that has messages.
    func section(_ steps: [IssuanceLog.Step]) -> Markup {
        let items = steps.compactMap { step in step.messages.map { details(step, $0) } }
        guard !items.isEmpty else { return .none }
        return "<section class=\"messages\"><h2>Messages</h2>\(items)</section>"
    }

    private func details(_ step: IssuanceLog.Step, _ messages: StepMessages) -> Markup {
        let size = messages.request.body.count + messages.response.bytes.count
        return """
            <details id="step-\(step.sequence)"><summary>\(step.endpoint) \
            <span class="meta">\(messages.request.method), \(step.status), \(size) bytes · \(step.time.rfc3339)</span></summary>
            \(Markup(trusted: HTMLTree(request(step, messages)).markup))
            \(Markup(trusted: HTMLTree(answer(step, messages)).markup))
            \(raw("step-\(step.sequence)-request", "The request as it came", messages.request.wireText))
            \(raw("step-\(step.sequence)-answer", "The answer as it went", messages.response.wireText))
            </details>
            """
    }

    private func raw(_ id: String, _ title: String, _ bytes: [UInt8]) -> Markup {
        let text = String(decoding: bytes.prefix(Self.shown), as: UTF8.self) + (bytes.count > Self.shown ? "…" : "")
        return "<details id=\"\(id)\"><summary>\(title)</summary><code class=\"link\" tabindex=\"0\">\(text)</code></details>"
    }

    // MARK: Trees

    func request(_ step: IssuanceLog.Step, _ messages: StepMessages) -> Annotation {
        let request = messages.request
        var children: [Annotation] = []
        if let fields = try? request.url.fields(), !fields.pairs.isEmpty { children.append(form(fields, "query")) }
        children.append(headers(request.headers))
        if !request.body.isEmpty { children.append(body(request.body, request.headers.mediaType, messages.opened)) }
        return Annotation(
            "request", "\(request.method) \(request.url.path)", clause: Self.clauses[step.endpoint], children: children)
    }

    func answer(_ step: IssuanceLog.Step, _ messages: StepMessages) -> Annotation {
        let response = messages.response
        var children = [headers(response.headers)]
        if !response.bytes.isEmpty { children.append(body(response.bytes, response.headers.mediaType, messages.sealed)) }
        return Annotation("answer", "\(response.status)", clause: Self.clauses[step.endpoint], children: children)
    }

    /// Headers; tokens and attestations in them are explained.
    private func headers(_ headers: HTTPHeaders) -> Annotation {
        Annotation(
            "headers", "\(headers.pairs.count)",
            children: headers.pairs.map { Annotation($0.name, $0.value, children: explanation($0.value).map { [$0] } ?? []) })
    }

    private func body(_ bytes: [UInt8], _ type: String?, _ plain: [UInt8]?) -> Annotation {
        let text = String(decoding: bytes, as: UTF8.self)
        if type == "application/x-www-form-urlencoded", let fields = try? FormFields(text) { return form(fields, "form") }
        if let json = try? JSON.decode(bytes) { return value("body", json) }
        var annotation = explanation(text) ?? Annotation("body", "\(bytes.count) bytes of \(type ?? "no media type")")
        if let plain, let json = try? JSON.decode(plain) { annotation.children.append(value("decrypted", json)) }
        return annotation
    }

    private func form(_ fields: FormFields, _ label: String) -> Annotation {
        Annotation(
            label, "\(fields.pairs.count) fields",
            children: fields.pairs.map { name, text in value(name, (try? JSON.decode(text)).flatMap(Self.tree) ?? .string(text)) })
    }

    /// JSON that has members or elements; numbers in a form are texts.
    private static func tree(_ json: JSON) -> JSON? { json.objectValue != nil || json.arrayValue != nil ? json : nil }

    /// JSON as a tree; proofs, attestations and credentials in it are explained.
    private func value(_ label: String, _ json: JSON) -> Annotation {
        if let object = json.objectValue, object["kty"] == nil {
            return Annotation(
                label, "\(object.count) member\(object.count == 1 ? "" : "s")", children: object.map { value($0.key, $0.value) })
        }
        if let list = json.arrayValue {
            let items = list.prefix(Self.explained).enumerated().map { value("[\($0.offset)]", $0.element) }
            return Annotation(label, "\(list.count) element\(list.count == 1 ? "" : "s")", children: items)
        }
        guard let text = json.stringValue else { return JSONAnnotator.annotate(json, label: label) }
        return Annotation(label, text, children: explanation(text).map { [$0] } ?? [])
    }

    /// What a text is, where it is more than a text.
    private func explanation(_ text: String) -> Annotation? {
        guard text.utf8.count > 40, let content = Sniffer.content(ofText: text)?.content else { return nil }
        switch content {
        case .jws, .jwe, .sdJWT, .cbor:
            return try? Inspection(edition: edition).annotate(Input(origin: "message", encodings: [], content: content))
        default: return nil
        }
    }
}
