public import Codec
import Credentials
import Reports

/// A report in a page, made of its JSON: what a store keeps is enough to show it.
public struct ReportMarkup {
    private let report: JSON

    /// - Parameter report: as `--json` prints it.
    public init(_ report: JSON) { self.report = report }

    /// Verdict, what is wrong, documents, what is missing.
    public var summary: Markup {
        "\(verdict)\n\(violations)\n\(documents)\n\(lists)"
    }

    /// Every check by subject, violations first.
    public var checks: Markup {
        let subjects = rows.reduce(into: [String]()) { if !$0.contains($1.subject) { $0.append($1.subject) } }
        return "\(subjects.enumerated().map { place, subject in table(subject, rows.filter { $0.subject == subject }, place) })"
    }

    /// "1 failed, 40 passed".
    public var counts: String { Self.counts(rows) }

    // MARK: the verdict

    private var word: String { report["verdict"]?.stringValue ?? "undetermined" }

    private var verdict: Markup {
        let (mark, name, sentence) =
            switch word {
            case "pass": ("✔", "Passed", "Every check that the verdict needs was run and holds.")
            case "fail": ("✘", "Failed", "At least one check failed. What was presented must not be relied on.")
            default: ("?", "Undetermined", "Nothing failed, but a check that the verdict needs could not be run.")
            }
        return """
            <div class="verdict \(word)" id="verdict">
            <p class="kicker">Verdict</p>
            <h2 class="big"><span class="mark" aria-hidden="true">\(mark)</span> \(name)</h2>
            <p>\(sentence)</p>
            <p class="meta">Judged for <time datetime="\(report["at"]?.stringValue ?? "")">\(report["at"]?.stringValue ?? "")</time> · \(counts)</p>
            </div>
            """
    }

    private var violations: Markup {
        let wrong = rows.filter { $0.outcome == "fail" } + rows.filter { $0.outcome == "warn" }
        guard !wrong.isEmpty else { return .none }
        let items = wrong.map { row -> Markup in
            """
            <li class="\(row.outcome)"><strong>\(row.mark) \(row.reason.isEmpty ? row.name : row.reason)</strong><br>\
            <span class="meta">\(row.id) \(row.name) · \(row.subject)\(row.clause.isEmpty ? "" : " · \(row.clause)")</span></li>
            """
        }
        return "<section><h3>What is wrong</h3><ul class=\"findings\">\(items)</ul></section>"
    }

    private var lists: Markup {
        let lists = [("Requested and not returned", "missing"), ("Returned and not requested", "unrequested")]
        let sections = lists.compactMap { heading, name -> Markup? in
            let items = report[name]?.arrayValue?.compactMap(\.stringValue) ?? []
            guard !items.isEmpty else { return nil }
            return "<section><h3>\(heading)</h3><ul>\(items.map { "<li><code>\($0)</code></li>" as Markup })</ul></section>"
        }
        return "\(sections)"
    }

    // MARK: checks

    private struct Row {
        let id, name, outcome, reason, clause, subject: String

        var mark: Markup {
            let (sign, word) =
                switch outcome {
                case "pass": ("✔", "pass")
                case "warn": ("!", "warn")
                case "fail": ("✘", "fail")
                default: ("–", "not run")
                }
            return "<span class=\"outcome \(outcome)\"><span aria-hidden=\"true\">\(sign)</span> \(word)</span>"
        }
    }

    private var rows: [Row] {
        (report["checks"]?.arrayValue ?? []).map { check in
            func text(_ name: String) -> String { check[name]?.stringValue ?? "" }
            let known = ["pass", "warn", "fail"].contains(text("outcome"))
            return Row(
                id: text("id"), name: text("name"), outcome: known ? text("outcome") : "notRun", reason: text("reason"),
                clause: text("clause"), subject: text("subject"))
        }
    }

    private func table(_ subject: String, _ rows: [Row], _ place: Int) -> Markup {
        let sorted = ["fail", "warn", "pass", "notRun"].flatMap { outcome in rows.filter { $0.outcome == outcome } }
        let lines = sorted.map { row -> Markup in
            """
            <tr class="\(row.outcome)"><td>\(row.mark)</td><th scope="row"><code>\(row.id)</code> \(row.name)</th>\
            <td>\(row.clause.isEmpty ? "–" : row.clause)</td><td>\(row.reason)</td></tr>
            """
        }
        let isWrong = rows.contains { $0.outcome == "fail" || $0.outcome == "warn" }
        return """
            <details class="subject" id="checks-\(place)"\(isWrong ? " open" : "" as Markup)>
            <summary><strong>\(subject)</strong> <span class="meta">\(Self.counts(rows))</span></summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Checks of \(subject)">
            <table class="checks">
            <colgroup><col class="c1"><col class="c2"><col class="c3"><col></colgroup>
            <thead><tr><th scope="col">Outcome</th><th scope="col">Check</th><th scope="col">Clause</th><th scope="col">Reason</th></tr></thead>
            <tbody>
            \(lines)
            </tbody>
            </table>
            </div>
            </details>
            """
    }

    private static func counts(_ rows: [Row]) -> String {
        let words = [("fail", "failed"), ("warn", "warned"), ("pass", "passed"), ("notRun", "not run")]
        return words.compactMap { outcome, word in
            let count = rows.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(word)" : nil
        }.joined(separator: ", ")
    }

    // MARK: documents

    private var documents: Markup { "\((report["documents"]?.arrayValue ?? []).map { DocumentMarkup($0).section })" }
}

/// One presented document: portrait, who vouches for it, its claims.
private struct DocumentMarkup {
    let document: JSON

    init(_ document: JSON) { self.document = document }

    private func text(_ name: String) -> String { document[name]?.stringValue ?? "" }
    private var isMdoc: Bool { text("format") == "mso_mdoc" }

    var section: Markup {
        let name = DocumentDefinition.of(text("type"))?.displayName ?? text("type")
        return """
            <section class="document">
            <h3>\(name)</h3>
            <div class="card">
            \(portrait.map { "<img src=\"\($0)\" alt=\"Portrait of the holder\">" as Markup })
            <dl class="facts">
            \(facts.map { "<dt>\($0)</dt><dd>\($1)</dd>" as Markup })
            </dl>
            </div>
            \(claims("claims", "Claims"))
            \(claims("unverifiedClaims", "Claims that nothing vouches for"))
            </section>
            """
    }

    private var facts: [(String, Markup)] {
        var facts: [(String, Markup)] = [("Type", "<code>\(text("type"))</code> <span class=\"meta\">\(text("format"))</span>")]
        if let issuer = document["issuer"], let subject = issuer["subject"]?.stringValue {
            facts.append(
                ("Issuer", "\(subject)<br><span class=\"meta hash\">SHA-256 \(issuer["sha256"]?.stringValue ?? "")</span>"))
        }
        let trust =
            document["trusted"]?.boolValue.map { $0 ? "leads to a trusted root" : "leads to no trusted root" } ?? "not checked"
        let source = document["trust"]?["source"]?.stringValue.map { source in
            "<br><span class=\"meta\">\(document["trust"]?["anchor"]?["subject"]?.stringValue ?? "no root") by \(source), policy \(document["trust"]?["policy"]?.stringValue ?? "")</span>"
                as Markup
        }
        facts.append(("Trust", "\(trust)\(source.map { [$0] } ?? [])"))
        let dates = [("from", "validFrom"), ("until", "validUntil"), ("signed", "signed")].compactMap { word, name in
            document["validity"]?[name]?.stringValue.map { "\(word) \($0)<br>" as Markup }
        }
        if !dates.isEmpty { facts.append(("Valid", "\(dates)")) }
        let binding =
            switch text("holderBinding") {
            case "signature": "signature by the device key"
            case "mac": "MAC with the device key"
            case "kb-jwt": "key binding JWT"
            default: "none"
            }
        facts.append(("Holder binding", "\(binding)"))
        facts.append(("Status", "\(text("status"))"))
        return facts
    }

    /// `portrait` of an mdoc, `picture` of an SD-JWT VC.
    private var portrait: String? {
        if isMdoc {
            let namespaces = document["claims"]?.objectValue ?? [:]
            return namespaces.lazy.compactMap { Self.picture($0.value["portrait"]) }.first
        }
        return Self.picture(document["claims"]?["picture"]) ?? Self.picture(document["claims"]?["portrait"])
    }

    private func claims(_ member: String, _ heading: String) -> Markup {
        guard let claims = document[member]?.objectValue, !claims.isEmpty else { return .none }
        guard isMdoc else { return table("\(heading)", claims, namespace: nil) }
        return "\(claims.map { table("<code>\($0.key)</code>", $0.value.objectValue ?? [:], namespace: $0.key) })"
    }

    private func table(_ caption: Markup, _ members: JSONObject, namespace: String?) -> Markup {
        let rows = members.map { name, value -> Markup in
            "<tr><th scope=\"row\">\(label(name, namespace)) <code>\(name)</code></th><td>\(shown(value))</td></tr>"
        }
        return """
            <div class="scroll">
            <table class="claims">
            <caption>\(caption)</caption>
            <thead><tr><th scope="col">Element</th><th scope="col">Value</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table>
            </div>
            """
    }

    private func label(_ name: String, _ namespace: String?) -> String {
        let known = namespace.flatMap { DocumentDefinition.of(text("type"))?.element(name, in: $0)?.displayName }
        return known ?? ClaimText.label(name)
    }

    private func shown(_ value: JSON) -> Markup {
        if let picture = Self.picture(value) { return "<img src=\"\(picture)\" alt=\"picture\">" }
        switch value {
        case .array(let items) where !items.isEmpty:
            return "<ul>\(items.map { "<li>\(shown($0))</li>" as Markup })</ul>"
        case .object(let members):
            if let bytes = members["bytes"]?.stringValue, members.count == 1 { return "<code>\(bytes.prefix(120))</code>" }
            return "<dl>\(members.map { "<div><dt>\($0.key)</dt><dd>\(shown($0.value))</dd></div>" as Markup })</dl>"
        default: return "\(ClaimText.line(value))"
        }
    }

    /// A `data:` URL of a picture that browsers show; made anew from its bytes, so that nothing of the peer's text is in it.
    private static func picture(_ value: JSON?) -> String? {
        let bytes: [UInt8]?
        if let text = value?["bytes"]?.stringValue {
            bytes = try? Base64URL.decode(text)
        } else if let text = value?.stringValue, text.hasPrefix("data:image/"), let comma = text.firstIndex(of: ",") {
            bytes = try? Base64.decode(String(text[text.index(after: comma)...]))
        } else {
            bytes = nil
        }
        guard let bytes, let type = ClaimPicture.mediaType(of: bytes), type != "image/jp2" else { return nil }
        return "data:\(type);base64,\(Base64.encode(bytes))"
    }
}
