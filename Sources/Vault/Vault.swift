internal import Crypto
package import Ports

/// The encrypted store of one home: one connection to one SQLite database, every value sealed under the data key.
///
/// What a call that returned has written survives a killed process. Several processes, and several vaults in one process,
/// may use one file: a transaction sees and leaves a consistent whole. Names of partitions and keys, versions and expiry
/// times are stored in clear; values never are.
package actor Vault {
    /// The database file.
    package nonisolated let path: String
    private let connection: SQLiteConnection
    private let sealer: Sealer
    private let clock: any Clock

    /// Opens the vault, and makes it when `opening` says so.
    package init(_ opening: VaultOpening, clock: any Clock) throws(VaultError) {
        path = opening.path
        self.clock = clock
        (connection, sealer) = try opening.run()
    }

    /// Runs `body` as one atomic step over any number of records: all of it is durable when this returns, nothing of it has
    /// happened when it throws.
    package func transact<R: Sendable>(
        _ body: @Sendable (borrowing VaultTransaction) throws(VaultError) -> R
    ) throws(VaultError) -> R {
        let records = records
        let path = path
        return try connection.transaction(
            { () throws(VaultError) in try Self.run(body, over: records) }, failed: { $0.vaultError(path: path) })
    }

    /// Runs `body` over one consistent state, without waiting for writers. It must not write.
    package func look<R: Sendable>(
        _ body: @Sendable (borrowing VaultTransaction) throws(VaultError) -> R
    ) throws(VaultError) -> R {
        let records = records
        let path = path
        return try connection.transaction(
            writing: false, { () throws(VaultError) in try Self.run(body, over: records) },
            failed: { $0.vaultError(path: path) })
    }

    /// Not inlined: the optimiser of Swift 6.3.1 crashes over a non-copyable value made inside a closure that it inlines.
    @inline(never)
    private static func run<R: Sendable>(
        _ body: @Sendable (borrowing VaultTransaction) throws(VaultError) -> R, over records: SealedRecords
    ) throws(VaultError) -> R {
        try body(VaultTransaction(records))
    }

    private var records: SealedRecords {
        SealedRecords(connection: connection, sealer: sealer, path: path, now: clock.now().secondsSince1970)
    }
}

/// The records of a vault inside one atomic step. Cannot leave the step.
package struct VaultTransaction: ~Copyable {
    private let records: SealedRecords

    init(_ records: SealedRecords) { self.records = records }

    /// The value of a record, or nil when there is none or it has expired.
    package func read(_ key: String, in partition: String) throws(VaultError) -> [UInt8]? {
        try records.read(key, in: partition)
    }

    /// Makes or replaces a record. Without `expires` it stays until it is deleted.
    package func write(
        _ value: [UInt8], _ key: String, in partition: String, expires: Timestamp? = nil
    ) throws(VaultError) {
        try records.write(value, key, in: partition, expires: expires?.secondsSince1970)
    }

    /// Removes a record, if it is there.
    package func delete(_ key: String, in partition: String) throws(VaultError) {
        try records.delete(key, in: partition)
    }

    /// The names of the records that have not expired, in the order in which they were made.
    package func keys(in partition: String) throws(VaultError) -> [String] {
        try records.keys(in: partition)
    }

    /// Removes what has expired.
    package func purge() throws(VaultError) { try records.purge() }
}
