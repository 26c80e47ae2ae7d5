import Codec
import Credentials
import Proximity
import Reports

/// What `holder present` shows: who asks and what, and how it ended.
struct PresentView {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// The request before consent.
    func show(_ proposal: Proposal, _ report: RequestReport, ordinal: Int, revealing: Bool) {
        let reader = report.reader
        console.out("")
        console.out(
            "request \(ordinal) from \(reader.map { "\($0.name) (\($0.isTrusted ? "trusted" : "not trusted"))" } ?? "an unnamed reader")"
                .replacingControlCharacters())
        if let registration = report.registration, let summary = registration.summary {
            console.out("  registered as \(summary)".replacingControlCharacters())
        }
        for entry in proposal.entries { show(entry, revealing) }
        for check in report.checks.checks where check.outcome.isViolation { console.out("  ! \(Self.line(check))") }
        console.event(
            .request, role: "holder",
            [
                "ordinal": .integer(Int64(ordinal)),
                "reader": reader.map { ["name": .string($0.name), "trusted": .bool($0.isTrusted)] } ?? .null,
                "registration": report.registration?.shown ?? .null,
                "documents": .array(proposal.entries.map { Self.json($0, revealing) }),
                "warnings": .array(report.checks.checks.filter { $0.outcome.isViolation }.map { .string(Self.line($0)) }),
            ])
    }

    /// The end.
    func show(_ report: PresentationReport, _ outcome: SessionOutcome, refusals: Int) {
        for check in report.checks where check.outcome.isViolation { console.out("\(check.outcome.word)  \(Self.line(check))") }
        console.out(
            "\(outcome.exchanges) of the reader's requests answered, \(refusals) refused; checks: \(report.verdict.rawValue)")
        var object = report.json().objectValue ?? JSONObject()
        object["answered"] = .integer(Int64(outcome.exchanges))
        object["refused"] = .integer(Int64(refusals))
        console.event(.report, role: "holder", object)
    }

    private static func line(_ check: Check) -> String {
        "\(check.id) \(check.name): \(check.reason ?? "")".replacingControlCharacters()
    }

    private func show(_ entry: Proposal.Entry, _ revealing: Bool) {
        console.out("  \(entry.request.docType)".replacingControlCharacters())
        if let refusal = entry.refusal { console.out("    \(refusal)".replacingControlCharacters()) }
        for option in entry.options {
            console.out(
                "    \(option.number). \(option.credential.name) (\(option.credential.id))"
                    .replacingControlCharacters())
            for element in option.elements { console.out("       \(text(of: element, revealing))".replacingControlCharacters()) }
            for miss in option.missing {
                console.out("       missing \(miss.reference.identifier): \(miss.reason.rawValue)".replacingControlCharacters())
            }
        }
    }

    private func text(of element: Proposal.Element, _ revealing: Bool) -> String {
        let asked = element.requested.filter { $0 != element.reference }.map(\.identifier)
        return element.reference.identifier
            + (asked.isEmpty ? "" : " (answers \(asked.joined(separator: ", ")))")
            + (element.intentToRetain ? ", the reader will keep it" : "")
            + (revealing ? ": \(element.value.map { JSON(claim: $0).encoded() } ?? "")" : "")
    }

    private static func json(_ entry: Proposal.Entry, _ revealing: Bool) -> JSON {
        [
            "docType": .string(entry.request.docType), "refusal": entry.refusal.map { .string($0) } ?? .null,
            "options": .array(entry.options.map { json($0, revealing) }),
        ]
    }

    private static func json(_ option: Proposal.Option, _ revealing: Bool) -> JSON {
        [
            "number": .integer(Int64(option.number)), "document": .string(option.credential.id),
            "elements": .array(option.elements.map { json($0, revealing) }),
            "missing": .array(
                option.missing.map {
                    [
                        "namespace": .string($0.reference.nameSpace), "element": .string($0.reference.identifier),
                        "reason": .string($0.reason.rawValue),
                    ]
                }),
        ]
    }

    private static func json(_ element: Proposal.Element, _ revealing: Bool) -> JSON {
        var object: JSONObject = [
            "namespace": .string(element.reference.nameSpace), "element": .string(element.reference.identifier),
            "intentToRetain": .bool(element.intentToRetain),
        ]
        if revealing { object["value"] = element.value.map { JSON(claim: $0) } ?? .null }
        return .object(object)
    }
}
