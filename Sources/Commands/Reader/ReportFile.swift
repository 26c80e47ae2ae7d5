import Credentials
import Reports

/// The file of `--report`; its name is checked before anything is verified.
struct ReportFile {
    private let path: String
    private let format: ReportFormat

    init(_ path: String) throws(CommandError) {
        self.path = path
        format = try Self.format(of: path)
    }

    static func format(of path: String) throws(CommandError) -> ReportFormat {
        if let format = ReportFormat(fileName: path) { return format }
        throw .usage("--report \(path): the form is not known", hint: "name a file that ends in .html, .json, .xml or .txt")
    }

    /// - Parameter faults: those of the run, which the file names.
    func write(_ report: PresentationReport, redacting: Bool, faults: [String] = []) throws(CommandError) {
        let options = ReportOptions(redacting: redacting, faults: faults)
        try Files.write(Array(format.render(report, options).utf8), to: path, mode: 0o600)
    }
}

extension Verdict {
    /// How a verifying command ends: 0, 1 or 4.
    var exitCode: ExitCode {
        switch self {
        case .pass: .done
        case .fail: .refused
        case .undetermined: .undetermined
        }
    }
}
