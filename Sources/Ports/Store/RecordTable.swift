/// Why a record could not be read or written.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The store needs its passphrase first.
    case locked
    /// The passphrase is wrong.
    case wrongPassphrase
    /// A record cannot be authenticated or read; what and where.
    case damaged(String)
    /// The file or disk refused; what and why.
    case unavailable(String)

    /// One line for people.
    public var description: String {
        switch self {
        case .locked: "the store is locked"
        case .wrongPassphrase: "the passphrase is wrong"
        case .damaged(let what): what
        case .unavailable(let what): what
        }
    }
}

/// Bytes by partition and key. Every implementation passes the same suite of tests.
public protocol RecordTable: Sendable {
    /// The record, nil if there is none or it has expired.
    func read(_ key: String, in partition: String) async throws(StoreError) -> [UInt8]?

    /// Changes a record in one step that no other caller or process can come between. The body gets the record, nil if there
    /// is none, and leaves what shall be stored, nil to delete. What it returns is returned after the change is kept.
    func update<R: Sendable>(
        _ key: String, in partition: String, expiring: Timestamp?, _ body: @Sendable (inout [UInt8]?) -> R
    ) async throws(StoreError) -> R

    /// The keys of a partition, sorted.
    func keys(in partition: String) async throws(StoreError) -> [String]
}

extension RecordTable {
    /// Changes a record that does not expire.
    public func update<R: Sendable>(
        _ key: String, in partition: String, _ body: @Sendable (inout [UInt8]?) -> R
    ) async throws(StoreError) -> R {
        try await update(key, in: partition, expiring: nil, body)
    }

    /// Stores a record, whatever was there.
    public func write(_ record: [UInt8], _ key: String, in partition: String, expiring: Timestamp? = nil) async throws(StoreError) {
        try await update(key, in: partition, expiring: expiring) { $0 = record }
    }

    /// Deletes a record; that there was one is the answer.
    @discardableResult
    public func delete(_ key: String, in partition: String) async throws(StoreError) -> Bool {
        try await update(key, in: partition, expiring: nil) { record in
            defer { record = nil }
            return record != nil
        }
    }
}
