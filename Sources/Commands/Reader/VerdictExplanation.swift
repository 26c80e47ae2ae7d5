import Codec
import Credentials
import Ports
import Reports

/// What `--explain` adds: the transcript's parts, and for each check that did not pass where its rule stands and what trips it.
struct VerdictExplanation {
    private let report: PresentationReport
    private let transcript: SessionTranscript?
    private let options: ReportOptions

    init(_ report: PresentationReport, _ transcript: SessionTranscript?, _ options: ReportOptions) {
        self.report = report
        self.transcript = transcript
        self.options = options
    }

    var text: String {
        let rows = report.checks.filter { $0.outcome.isViolation }.flatMap(lines)
        return (["Transcript"] + transcriptLines + ["", "What did not pass"] + (rows.isEmpty ? ["  nothing"] : rows))
            .joined(separator: "\n")
    }

    private var transcriptLines: [String] {
        guard let transcript else { return ["  none was given: device authentication was not checked"] }
        func size(_ bytes: [UInt8]?) -> String { bytes.map { "\($0.count) bytes" } ?? "null" }
        return [
            "  SHA-256 \(Hex.encode(transcript.hash)) over tag 24 of \(transcript.encoded.count) bytes",
            "  DeviceEngagement \(size(transcript.deviceEngagementBytes)), EReaderKey \(size(transcript.eReaderKeyBytes))",
            "  handover \(transcript.handover.isNull ? "null: QR code" : "array of \(transcript.handover.count): NFC or another channel")",
        ]
    }

    private func lines(_ check: Check) -> [String] {
        let row = check.definition
        let clauses = [Edition.first, .second].compactMap { row.clause(in: $0) }
        let place = clauses.isEmpty ? "a rule of this program" : Array(Set(clauses)).sorted().joined(separator: "; ")
        let faults = row.faults.isEmpty ? "" : ". Faults that trip it: \(row.faults.joined(separator: ", "))"
        let reason = (check.reason(redacting: options.redacting) ?? check.name).replacingControlCharacters()
        return ["  \(check.id) \(check.name): \(reason)", "      \(place)\(faults)"]
    }
}
