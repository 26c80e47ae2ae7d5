internal import Codec
package import Ports

extension Vault {
    private static let logPartition = "log"
    private static let evidencePartition = "evidence"

    /// Writes a record and its evidence in one step. Returns the record with its name.
    package func log(
        _ record: TransactionRecord, evidence: [Evidence] = [], random: any RandomSource
    ) throws(VaultError) -> TransactionRecord {
        try transact { records throws(VaultError) in
            var record = record
            record.id = try Self.freshName(for: record, in: records, random)
            try records.write([UInt8](record.json.encoded().utf8), record.id, in: Self.logPartition)
            for item in evidence {
                try records.write(item.bytes, "\(record.id)/\(item.name)", in: Self.evidencePartition)
            }
            return record
        }
    }

    /// The records of these roles, oldest first.
    package func log(of roles: Set<TransactionRecord.Role>) throws(VaultError) -> [TransactionRecord] {
        try look { records throws(VaultError) in
            var found: [TransactionRecord] = []
            for id in try records.keys(in: Self.logPartition) {
                if let record = try Self.record(id, in: records), roles.contains(record.role) { found.append(record) }
            }
            return found
        }
    }

    /// The record of this name, or the only one whose name begins or ends so.
    package func logRecord(_ id: String) throws(VaultError) -> TransactionRecord {
        try look { records throws(VaultError) in try Self.requiredRecord(id, in: records) }
    }

    /// What backs a record, by name.
    package func evidence(of record: TransactionRecord) throws(VaultError) -> [Evidence] {
        try look { records throws(VaultError) in
            var found: [Evidence] = []
            for key in try Self.evidenceKeys(of: record.id, in: records) {
                guard let bytes = try records.read(key, in: Self.evidencePartition) else { continue }
                found.append(Evidence(name: String(key.dropFirst(record.id.count + 1)), bytes: bytes))
            }
            return found
        }
    }

    /// Removes a record and what backs it.
    package func deleteLogRecord(_ id: String) throws(VaultError) -> TransactionRecord {
        try transact { records throws(VaultError) in
            let record = try Self.requiredRecord(id, in: records)
            for key in try Self.evidenceKeys(of: record.id, in: records) {
                try records.delete(key, in: Self.evidencePartition)
            }
            try records.delete(record.id, in: Self.logPartition)
            return record
        }
    }

    private static func evidenceKeys(of id: String, in records: borrowing VaultTransaction) throws(VaultError) -> [String] {
        try records.keys(in: evidencePartition).filter { $0.hasPrefix(id + "/") }
    }

    /// "20261130T120000-1a2b3c": sorts by time, tells two of the same second apart.
    private static func freshName(
        for record: TransactionRecord, in records: borrowing VaultTransaction, _ random: any RandomSource
    ) throws(VaultError) -> String {
        let time = record.time.rfc3339.filter { $0 != "-" && $0 != ":" && $0 != "Z" }
        while true {
            let name = "\(time)-\(Hex.encode(random.bytes(3)))"
            if try records.read(name, in: logPartition) == nil { return name }
        }
    }

    private static func requiredRecord(_ id: String, in records: borrowing VaultTransaction) throws(VaultError) -> TransactionRecord
    {
        if let record = try record(id, in: records) { return record }
        let close = id.isEmpty ? [] : try records.keys(in: logPartition).filter { $0.hasPrefix(id) || $0.hasSuffix(id) }
        if close.count == 1, let record = try record(close[0], in: records) { return record }
        throw VaultError(
            .notFound, close.isEmpty ? "no log record is called \(id)" : "\(id) may be any of \(close.joined(separator: ", "))",
            hint: "walletbench holder log and reader log list the records")
    }

    private static func record(_ id: String, in records: borrowing VaultTransaction) throws(VaultError) -> TransactionRecord? {
        guard let bytes = try records.read(id, in: logPartition) else { return nil }
        guard let json = try? JSON.decode(bytes), let record = TransactionRecord(json: json) else {
            throw VaultError(
                .damaged, "the log record \(id) cannot be read", hint: "remove it with holder log delete \(id)")
        }
        return record
    }
}
