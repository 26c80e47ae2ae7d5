import Codec
import OpenID
import Ports
import Reports

/// The messages of a transaction, raw and explained as `inspect` explains them.
struct MessageMarkup {
    let annotate: @Sendable (String) -> Annotation?
    /// What encrypted responses say, by their text, as far as it is known.
    var payloads: [String: JSONObject] = [:]

    /// The encrypted responses among messages.
    static func encrypted(_ messages: [TransactionLedger.Message]) -> [String] {
        messages.filter { $0.name == "response" }.compactMap { message in
            let text = String(decoding: message.bytes, as: UTF8.self)
            if let json = try? JSON.decode(text) { return (json["data"] ?? json)["response"]?.stringValue }
            return (try? FormFields(text))?["response"]
        }
    }

    /// The link first, then what came and went.
    func section(_ transaction: VPTransaction, _ messages: [TransactionLedger.Message]) -> Markup {
        var items: [Markup] = []
        if !transaction.link.isEmpty {
            items.append(
                details(
                    "link", "link", "\(transaction.link.utf8.count) bytes", time: transaction.created, Array(transaction.link.utf8),
                    annotate(transaction.link)))
        }
        for (place, message) in messages.enumerated() {
            let text = String(decoding: message.bytes, as: UTF8.self)
            let annotation = message.name == "response" ? response(text) : annotate(text)
            let size =
                message.size > message.bytes.count
                ? "\(message.size) bytes, the first \(message.bytes.count) kept" : "\(message.size) bytes"
            items.append(details("message-\(place)", message.name, size, time: message.time, message.bytes, annotation))
        }
        guard !items.isEmpty else { return .none }
        return "<section class=\"messages\"><h2>Messages</h2>\(items)</section>"
    }

    private func details(
        _ id: String, _ name: String, _ size: String, time: Timestamp, _ bytes: [UInt8], _ annotation: Annotation?
    ) -> Markup {
        let raw = String(decoding: bytes.prefix(16 << 10), as: UTF8.self) + (bytes.count > 16 << 10 ? "…" : "")
        return """
            <details id="\(id)"><summary>\(name) <span class="meta">\(size) · \(time.rfc3339)</span></summary>
            \(annotation.map { Markup(trusted: HTMLTree($0).markup) })
            <details id="\(id)-raw"><summary>As sent</summary><code class="link" tabindex="0">\(raw)</code></details>
            </details>
            """
    }

    /// A form, or what the Digital Credentials API gave.
    private func response(_ text: String) -> Annotation {
        if let json = try? JSON.decode(text) {
            let fields = (json["data"] ?? json).objectValue ?? [:]
            return Annotation("response", "Digital Credentials API", children: fields.map { field($0.key, $0.value) })
        }
        guard let fields = try? FormFields(text) else { return Annotation("response", "no form") }
        return Annotation(
            "response", "\(fields.pairs.count) fields", clause: "OpenID4VP 1.0 8.2",
            children: fields.pairs.map { field($0.name, (try? JSON.decode($0.value)) ?? .string($0.value)) })
    }

    private func field(_ name: String, _ value: JSON) -> Annotation {
        if name == "vp_token" { return token(value) }
        guard name == "response", let text = value.stringValue else {
            return Annotation(name, value.stringValue ?? value.encoded())
        }
        var annotation = annotate(text) ?? Annotation(name, "not recognised")
        annotation.label = "response: \(annotation.label)"
        if let payload = payloads[text] {
            let members = payload.map {
                $0.key == "vp_token" ? token($0.value) : Annotation($0.key, $0.value.stringValue ?? $0.value.encoded())
            }
            annotation.children.append(Annotation("decrypted", "\(payload.count) members", children: members))
        }
        return annotation
    }

    private func token(_ token: JSON) -> Annotation {
        let entries = (token.objectValue ?? [:]).map { id, presentations -> Annotation in
            let list = presentations.arrayValue ?? [presentations]
            let items = list.prefix(16).enumerated().map { place, presentation -> Annotation in
                let text = presentation.stringValue ?? presentation.encoded()
                var item = annotate(text) ?? Annotation("presentation", "not recognised")
                item.label = "[\(place)] \(item.label)"
                return item
            }
            return Annotation(id, "\(list.count) presentation\(list.count == 1 ? "" : "s")", children: items)
        }
        return Annotation("vp_token", "\(entries.count) entries", clause: "OpenID4VP 1.0 8.1", children: entries)
    }
}
