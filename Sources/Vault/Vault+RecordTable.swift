package import Ports

// The protocols' stores share the file with keys and documents, and must not reach them: their partitions have a name space
// of their own.
extension Vault: RecordTable {
    /// The record, nil if there is none or it has expired.
    package func read(_ key: String, in partition: String) async throws(StoreError) -> [UInt8]? {
        try stored { () throws(VaultError) in
            try look { records throws(VaultError) in try records.read(key, in: Self.table(partition)) }
        }
    }

    /// Changes a record under the database's write lock; durable when this returns.
    package func update<R: Sendable>(
        _ key: String, in partition: String, expiring: Timestamp?, _ body: @Sendable (inout [UInt8]?) -> R
    ) async throws(StoreError) -> R {
        try stored { () throws(VaultError) in
            try transact { records throws(VaultError) in
                let table = Self.table(partition)
                try records.purge()
                var value = try records.read(key, in: table)
                let result = body(&value)
                if let value {
                    try records.write(value, key, in: table, expires: expiring)
                } else {
                    try records.delete(key, in: table)
                }
                return result
            }
        }
    }

    /// The keys of a partition, sorted, expired ones left out.
    package func keys(in partition: String) async throws(StoreError) -> [String] {
        try stored { () throws(VaultError) in
            try look { records throws(VaultError) in try records.keys(in: Self.table(partition)) }
        }.sorted()
    }

    private static func table(_ partition: String) -> String { "table/\(partition)" }

    private func stored<R>(_ body: () throws(VaultError) -> R) throws(StoreError) -> R {
        do throws(VaultError) {
            return try body()
        } catch {
            throw switch error.reason {
            case .locked: .locked
            case .wrongPassphrase: .wrongPassphrase
            case .damaged: .damaged(error.description)
            default: .unavailable(error.description)
            }
        }
    }
}
