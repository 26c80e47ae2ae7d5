import Codec
import Ports
import Reports

/// `walletbench selfcheck`: published vectors against this build.
enum Selfcheck {
    static let command = Command(
        name: "selfcheck", summary: "run published test vectors against this build",
        discussion: """
            Runs the vectors that are built in, and with --vectors every file of a folder: vectors in the layout of its SOURCE.md are \
            recognised by folder and name, any other file is read as what it is (CBOR, certificates, tokens, links, pictures) and must be \
            whole. Prints a line a file: cases, passed, failed, and not applicable with each reason; every failed case is named. Ends 1 when a \
            case fails, or when a file is of no known kind.
            """,
        examples: [
            Example("walletbench selfcheck", "the built-in vectors"),
            Example("walletbench selfcheck --vectors ./vectors --only cbor/", "the CBOR files of a folder"),
            Example("walletbench selfcheck --vectors ./ours --report report.html --report report.xml", "to hand on"),
        ],
        options: [
            .value("vectors", "DIR", "Run every vector file in this folder too", kind: .directory),
            .value("only", "TEXT", "Run only files whose path contains this"),
            .choice("format", ["table", "json", "html", "junit"], "What is printed", default: "table"),
            .file("report", "F", "Also write it: .html, .json, .xml (JUnit) or .txt", isRepeatable: true),
        ]
    ) { invocation in
        let reports = try invocation.strings("report").map { path throws(CommandError) in (path, try ReportFile.format(of: path)) }
        let table = VectorTable(results: try await run(try files(invocation), invocation.console))
        let time = invocation.context.clock.now()
        for (path, format) in reports { try Files.write(Array(table.text(format, at: time).utf8), to: path, mode: 0o600) }
        if let format = formats[invocation.string("format") ?? ""], !invocation.console.isJSON {
            invocation.console.out(table.text(format, at: time))
        } else {
            invocation.console.answer(table.json) { table.text(.text, at: time) }
        }
        return table.failed == 0 ? .done : .refused
    }

    /// What `--format` names beside the table.
    private static let formats: [String: ReportFormat] = ["json": .json, "html": .html, "junit": .junit]

    /// Every kind of vector that this build knows, asked in this order.
    static let suites: [any VectorSuite] = [
        CBORVectors(),
        MDocVectors(),
        EngagementVectors(),
        NFCEngagementVectors(),
        QRVectors(),
        CertificateVectors(),
        StatusListVectors(),
        AuthorityListVectors(),
        PathVectors(), LimboVectors(),
        COSEVectors(),
        WycheproofVectors(),
        JOSEVectors(),
        JSONWebVectors(),
        SDJWTVectors(),
        DCQLVectors(),
        ResponseQueryVectors(),
        EncryptedResponseVectors(),
        IssuanceVectors(),
        HandoverVectors(),
        SignedRequestVectors(),
        OpenID4VPExampleVectors(),
        InactiveVectors(),
        WholeFiles(),
    ]

    private static func files(_ invocation: Invocation) throws(CommandError) -> [VectorFile] {
        var files = suites.flatMap(\.builtIn).map { VectorFile(path: "built-in/\($0.path)", bytes: $0.bytes) }
        if let folder = invocation.string("vectors") { files += try VectorFile.all(in: folder) }
        guard !files.isEmpty else { throw CommandError("no vector file is built in or in the folder") }
        guard let part = invocation.string("only") else { return files }
        let chosen = files.filter { $0.path.contains(part) }
        guard !chosen.isEmpty else { throw .usage("--only \(part): no vector file has this in its path") }
        return chosen
    }

    private static func run(_ files: [VectorFile], _ console: Console) async throws -> [VectorResult] {
        var results: [VectorResult] = []
        for (position, file) in files.enumerated() {
            console.progress("\(position + 1)/\(files.count) \(file.path)")
            results.append(await run(file))
        }
        return results
    }

    /// Runs one file by the first suite that knows it.
    static func run(_ file: VectorFile) async -> VectorResult {
        let path = file.path.hasPrefix("built-in/") ? String(file.path.dropFirst(9)) : file.path
        guard let suite = suites.first(where: { $0.matches(path) }) else {
            return VectorResult(path: file.path, cases: [VectorCase("file", .failed("no known kind of vector file"))])
        }
        do {
            let cases = try await suite.run(VectorFile(path: path, bytes: file.bytes, folder: file.folder))
            guard !cases.isEmpty else { throw Mismatch("holds no case") }
            return VectorResult(path: file.path, cases: cases)
        } catch {
            return VectorResult(path: file.path, cases: [VectorCase("file", .failed("\(error)"))])
        }
    }
}
