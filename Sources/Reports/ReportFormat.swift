import Codec
public import Credentials

/// The forms in which a report is written to a file, chosen by the file's name.
public enum ReportFormat: String, Sendable, CaseIterable {
    case html, json
    case junit = "xml"
    case text = "txt"

    /// The format that `fileName` asks for; nil when its ending is none of `.html`, `.json`, `.xml`, `.txt`.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }

    /// The whole file.
    public func render(_ report: PresentationReport, _ options: ReportOptions = ReportOptions()) -> String {
        switch self {
        case .html: HTMLReport(report, options).page
        case .json: json(report, options).encoded(pretty: true) + "\n"
        case .junit: JUnitReport(report, options).document
        case .text: TableReport(report, ReportOptions(redacting: options.redacting, faults: options.faults)).text
        }
    }

    private func json(_ report: PresentationReport, _ options: ReportOptions) -> JSON {
        let json = report.json(redacting: options.redacting)
        guard !options.faults.isEmpty, var object = json.objectValue else { return json }
        object["faults"] = .array(options.faults.map(JSON.string))
        return .object(object)
    }
}
