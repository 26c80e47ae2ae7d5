import Codec
import Vault

/// `walletbench holder log …`, and the same of reader, verifier and issuer: the same commands over the records of one role.
struct LogCommands: Sendable {
    let role: TransactionRecord.Role
    /// Opens the vault with the records of the role, where there is one.
    let vault: @Sendable (Context) throws(CommandError) -> Vault?

    /// The holder's records live in the wallet, under its passphrase.
    static let holder = LogCommands(role: .holder) { (context) throws(CommandError) in try context.walletIfThere() }
    /// The verifier's records of what it asked over OpenID4VP live beside the reader's.
    static let verifier = LogCommands(role: .verifier) { (context) throws(CommandError) in try context.serviceVaultIfThere() }
    /// The issuer's records of what it handed out over OpenID4VCI live there, too.
    static let issuer = LogCommands(role: .issuer) { (context) throws(CommandError) in try context.serviceVaultIfThere() }
    /// The reader's records live in the service vault, which needs no passphrase.
    static let reader = LogCommands(role: .reader) { (context) throws(CommandError) in try context.serviceVaultIfThere() }

    var command: Command {
        let me = "walletbench \(role.rawValue) log"
        let id = Argument("ID", "The record, or the beginning or end of its id")
        return Command(
            name: "log", summary: "look at past transactions",
            discussion: """
                One record a transaction: who asked, what was asked, what left, the verdict, and the hashes of request and response. \
                `export` writes the messages, the report and the trace as an evidence bundle.
                """,
            examples: [Example(me), Example("\(me) export 1a2b3c -o evidence", "the evidence bundle")],
            options: [],
            subcommands: [
                Command(name: "list", summary: "list the records", examples: [Example("\(me) list")], run: list),
                Command(
                    name: "show", summary: "show one record", examples: [Example("\(me) show 1a2b3c")], arguments: [id], run: show),
                Command(
                    name: "export", summary: "write a record and all that backs it into a folder",
                    examples: [Example("\(me) export 1a2b3c -o evidence")],
                    options: [.value("out", short: "o", "DIR", "The folder; made if need be", kind: .directory)], arguments: [id],
                    run: export),
                Command(
                    name: "delete", summary: "delete a record and all that backs it", examples: [Example("\(me) delete 1a2b3c")],
                    arguments: [id], run: delete),
            ],
            run: list)
    }

    private func list(_ invocation: Invocation) async throws -> ExitCode {
        var records: [TransactionRecord] = []
        if let vault = try vault(invocation.context) {
            records = try await vaultCall { () async throws(VaultError) in try await vault.log(of: [role]) }
        }
        let all = records
        invocation.console.answer(["records": .array(all.map(\.json))]) {
            all.isEmpty ? "no transactions yet" : all.map { $0.line.replacingControlCharacters() }.joined(separator: "\n")
        }
        return .done
    }

    private func show(_ invocation: Invocation) async throws -> ExitCode {
        let (vault, record) = try await find(invocation)
        let evidence = try await vaultCall { () async throws(VaultError) in try await vault.evidence(of: record) }
        var object = record.json.objectValue ?? [:]
        object["evidence"] = .array(evidence.map { ["name": .string($0.name), "bytes": .integer(Int64($0.bytes.count))] })
        let shown = object
        invocation.console.answer(shown) { record.text(evidence) }
        return .done
    }

    private func export(_ invocation: Invocation) async throws -> ExitCode {
        let (vault, record) = try await find(invocation)
        let folder = invocation.string("out") ?? "evidence-\(record.id)"
        let evidence = try await vaultCall { () async throws(VaultError) in
            try PrivateFiles.makeNewDirectory(folder)
            return try await vault.evidence(of: record)
        }
        let summary = Evidence(name: "record.json", bytes: [UInt8]((record.json.encoded(pretty: true) + "\n").utf8))
        let files = [summary] + evidence
        for file in files { try Files.write(file.bytes, to: "\(folder)/\(file.fileName)", mode: 0o600) }
        invocation.console.answer([
            "id": .string(record.id), "out": .string(folder), "files": .array(files.map { .string($0.fileName) }),
        ]) { "\(files.count) files written to \(folder): \(files.map(\.fileName).joined(separator: ", "))" }
        return .done
    }

    private func delete(_ invocation: Invocation) async throws -> ExitCode {
        let (vault, record) = try await find(invocation)
        _ = try await vaultCall { () async throws(VaultError) in try await vault.deleteLogRecord(record.id) }
        invocation.console.answer(["deleted": .string(record.id)]) { "deleted \(record.id)" }
        return .done
    }

    private func find(_ invocation: Invocation) async throws(CommandError) -> (Vault, TransactionRecord) {
        guard let vault = try vault(invocation.context) else {
            throw .refused("no log record is called \(invocation.argument)", hint: "there are no transactions yet")
        }
        let record = try await vaultCall { () async throws(VaultError) in try await vault.logRecord(invocation.argument) }
        guard record.role == role else {
            throw .refused(
                "\(record.id) is a record of the \(record.role.rawValue)", hint: "see walletbench \(record.role.rawValue) log")
        }
        return (vault, record)
    }
}

extension Evidence {
    /// A name that stays inside the folder, whoever chose it.
    var fileName: String {
        let plain = name.map { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_" ? $0 : "_" }
        return plain.first == "." || plain.isEmpty ? "_" + String(plain) : String(plain)
    }
}

extension TransactionRecord {
    /// One line of a list.
    var line: String {
        let trust = peerTrusted.map { $0 ? ", trusted" : ", not trusted" } ?? ""
        return "\(id)  \(kind)  \(verdict)  with \(peer ?? "an unnamed peer")\(trust)  \(Self.elements(left).count) elements"
    }

    /// Everything, for people.
    func text(_ evidence: [Evidence]) -> String {
        var lines = [line, "  time      \(time)"]
        lines.append("  asked     \(Self.elements(asked).joined(separator: ", "))")
        lines.append(
            "  \((role == .holder) == (kind == "presentation") ? "left     " : "received ") \(Self.elements(left).joined(separator: ", "))"
        )
        if let registration, let name = registration["name"]?.stringValue {
            let verdict = registration["granted"]?.boolValue == false ? "not accepted" : "accepted"
            let purpose = registration["purpose"]?.stringValue.map { ": \($0)" } ?? ""
            lines.append("  registered as \(name)\(purpose) (\(verdict))")
        }
        if let requestHash { lines.append("  request   SHA-256 \(requestHash)") }
        if let responseHash { lines.append("  response  SHA-256 \(responseHash)") }
        if !documents.isEmpty { lines.append("  documents \(documents.joined(separator: ", "))") }
        lines += evidence.map { "  evidence  \($0.name), \($0.bytes.count) bytes" }
        return lines.map { $0.replacingControlCharacters() }.joined(separator: "\n")
    }

    /// The element names inside `{"docType": {"namespace": {…} or […]}}`.
    private static func elements(_ tree: JSON) -> [String] {
        (tree.objectValue ?? [:]).flatMap { _, nameSpaces in
            (nameSpaces.objectValue ?? [:]).flatMap { _, elements in
                elements.objectValue?.keys ?? (elements.arrayValue ?? []).compactMap(\.stringValue)
            }
        }
    }
}
