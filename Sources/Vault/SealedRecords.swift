internal import Crypto
internal import Ports

/// Reading and writing sealed records on an open connection, as of one moment.
struct SealedRecords {
    let connection: SQLiteConnection
    let sealer: Sealer
    let path: String
    /// Seconds since 1970. A record whose expiry is not later counts as gone.
    let now: Int64

    func read(_ key: String, in partition: String) throws(VaultError) -> [UInt8]? {
        guard let row = try row(key, in: partition), row.expires.map({ $0 > now }) ?? true else { return nil }
        do throws(CryptoError) {
            return try sealer.open(row.value, table: partition, key: key, version: row.version)
        } catch {
            throw VaultError.damaged("the record \(partition)/\(key) does not open; it was altered", path: path)
        }
    }

    func write(_ value: [UInt8], _ key: String, in partition: String, expires: Int64?) throws(VaultError) {
        let version = try row(key, in: partition)?.version ?? 0
        let (next, overflow) = version.addingReportingOverflow(1)
        guard !overflow else { throw VaultError.damaged("the record \(partition)/\(key) has no next version", path: path) }
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try sealer.seal(value, table: partition, key: key, version: next)
        } catch {
            throw VaultError(.system, "\(path): the value cannot be sealed", hint: "run walletbench doctor")
        }
        try run { () throws(SQLiteError) in
            try connection.execute(
                """
                INSERT INTO records (partition, key, version, expires, value) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET version = excluded.version, expires = excluded.expires, value = excluded.value
                """,
                .text(partition), .text(key), .integer(next), expires.map { .integer($0) } ?? .null, .blob(sealed))
        }
    }

    func delete(_ key: String, in partition: String) throws(VaultError) {
        try run { () throws(SQLiteError) in
            try connection.execute("DELETE FROM records WHERE partition = ? AND key = ?", .text(partition), .text(key))
        }
    }

    func keys(in partition: String) throws(VaultError) -> [String] {
        try run { () throws(SQLiteError) in
            try connection.all(
                "SELECT key FROM records WHERE partition = ? AND (expires IS NULL OR expires > ?) ORDER BY rowid",
                .text(partition), .integer(now)
            ) { $0.text(0) }
        }
    }

    /// Removes what has expired, so that it does not pile up.
    func purge() throws(VaultError) {
        try run { () throws(SQLiteError) in
            try connection.execute("DELETE FROM records WHERE expires IS NOT NULL AND expires <= ?", .integer(now))
        }
    }

    private func row(_ key: String, in partition: String) throws(VaultError) -> (version: Int64, expires: Int64?, value: [UInt8])? {
        try run { () throws(SQLiteError) in
            try connection.first(
                "SELECT version, expires, value FROM records WHERE partition = ? AND key = ?", .text(partition), .text(key)
            ) { ($0.integer(0), $0.isNull(1) ? nil : $0.integer(1), $0.blob(2)) }
        }
    }

    private func run<R>(_ body: () throws(SQLiteError) -> R) throws(VaultError) -> R {
        do throws(SQLiteError) { return try body() } catch { throw error.vaultError(path: path) }
    }
}
