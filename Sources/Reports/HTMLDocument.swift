import Codec
import Credentials

/// One presented document in the page: portrait, who vouches for it, its claims by namespace.
struct HTMLDocument {
    private let document: PresentedDocument
    private let options: ReportOptions

    init(_ document: PresentedDocument, _ options: ReportOptions) {
        self.document = document
        self.options = options
    }

    var section: String {
        """
        <section class="document">
        <h2>\(Escaping.markup(Self.title(document.type)))</h2>
        <div class="card">
        \(portrait)
        <dl class="facts">
        \(facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }.joined(separator: "\n"))
        </dl>
        </div>
        \(document.claims.namespaces.map(table).joined(separator: "\n"))
        </section>
        """
    }

    private static func title(_ type: String) -> String { DocumentDefinition.of(type)?.displayName ?? type }

    private var facts: [(String, String)] {
        var facts = [
            (
                "Type",
                "<code>\(Escaping.markup(document.type))</code> <span class=\"meta\">\(Escaping.markup(document.format))</span>"
            )
        ]
        if let issuer = document.issuer {
            let hash = Escaping.markup(Hex.encode(issuer.sha256))
            facts.append(("Issuer", "\(Escaping.markup(issuer.subject))<br><span class=\"meta hash\">SHA-256 \(hash)</span>"))
        }
        facts.append(
            ("Trust", document.trusted.map { $0 ? "leads to a trusted root" : "leads to no trusted root" } ?? "not checked"))
        if let trust = document.trust {
            let anchor = trust.anchor.map { Escaping.markup($0.subject) } ?? "no root"
            facts.append(
                (
                    "Trust by",
                    "\(anchor)<br><span class=\"meta\">\(Escaping.markup(trust.source ?? "nobody")), policy \(trust.policy)</span>"
                ))
        }
        if let validity = document.validity {
            let dates = [("from", validity.validFrom), ("until", validity.validUntil), ("signed", validity.signed)]
            facts.append(
                (
                    "Valid",
                    dates.compactMap { name, date in date.map { "\(name) \(Escaping.markup($0))" } }.joined(separator: "<br>")
                ))
        }
        facts.append(("Holder binding", holderBinding))
        facts.append(("Status", Escaping.markup(document.status)))
        return facts
    }

    private var holderBinding: String {
        switch document.holderBinding {
        case .signature: "signature by the device key"
        case .mac: "MAC with the device key"
        case .keyBindingJWT: "key binding JWT"
        case .none: "none"
        }
    }

    private var portrait: String {
        guard !options.redacting, let claim = document.claims.first(where: { $0.element == "portrait" }) else { return "" }
        return picture(claim.value, label: "Portrait of the holder") ?? ""
    }

    private func table(_ namespace: String) -> String {
        """
        <div class="scroll">
        <table class="claims">
        <caption>\(namespace.isEmpty ? "Claims" : "<code>\(Escaping.markup(namespace))</code>")</caption>
        <thead><tr><th scope="col">Element</th><th scope="col">Value</th></tr></thead>
        <tbody>
        \(document.claims.filter { $0.namespace == namespace }.map(row).joined(separator: "\n"))
        </tbody>
        </table>
        </div>
        """
    }

    private func row(_ claim: PresentedClaim) -> String {
        var value = options.redacting ? "<span class=\"meta\">left out</span>" : shown(claim)
        if !claim.isVerified { value += " <span class=\"outcome fail\">✘ not verified</span>" }
        if claim.source == .device { value += " <span class=\"meta\">signed by the device</span>" }
        return """
            <tr><th scope="row">\(Escaping.markup(label(claim))) <code>\(Escaping.markup(claim.element))</code></th>\
            <td>\(value)</td></tr>
            """
    }

    private func label(_ claim: PresentedClaim) -> String {
        DocumentDefinition.of(document.type)?.element(claim.element, in: claim.namespace)?.displayName
            ?? ClaimText.label(claim.element)
    }

    private func shown(_ claim: PresentedClaim) -> String {
        if claim.element != "portrait", let picture = picture(claim.value, label: claim.element) { return picture }
        if (try? claim.value.bytes()) != nil { return Escaping.markup(ClaimText.line(claim.value)) }
        return markup(JSON(claim: claim.value))
    }

    private func markup(_ value: JSON) -> String {
        switch value {
        case .array(let items) where !items.isEmpty: "<ul>\(items.map { "<li>\(markup($0))</li>" }.joined())</ul>"
        case .object(let members):
            "<dl>\(members.map { "<div><dt>\(Escaping.markup($0.key))</dt><dd>\(markup($0.value))</dd></div>" }.joined())</dl>"
        default: Escaping.markup(ClaimText.line(value))
        }
    }

    /// What browsers can show; nil for anything else (JPEG 2000 too).
    private func picture(_ value: CBOR, label: String) -> String? {
        guard let bytes = try? value.bytes(), let type = ClaimPicture.mediaType(of: bytes), type != "image/jp2" else { return nil }
        return "<img src=\"data:\(type);base64,\(Base64.encode(bytes))\" alt=\"\(Escaping.markup(label))\">"
    }
}
