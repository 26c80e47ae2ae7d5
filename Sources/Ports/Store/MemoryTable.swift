/// Records in memory: for tests and for homes that are thrown away.
public final class MemoryTable: RecordTable {
    private struct Record {
        var bytes: [UInt8]
        var expires: Timestamp?
    }

    private let partitions = Locked<[String: [String: Record]]>([:])
    private let clock: any Clock

    /// An empty table whose records expire by this clock.
    public init(clock: any Clock = SystemClock()) { self.clock = clock }

    /// The record, nil if there is none or it has expired.
    public func read(_ key: String, in partition: String) async throws(StoreError) -> [UInt8]? {
        let now = clock.now()
        return partitions.withLock { Self.live($0[partition]?[key], at: now)?.bytes }
    }

    /// Changes a record under the table's lock.
    public func update<R: Sendable>(
        _ key: String, in partition: String, expiring: Timestamp?, _ body: @Sendable (inout [UInt8]?) -> R
    ) async throws(StoreError) -> R {
        let now = clock.now()
        return partitions.withLock { partitions in
            var bytes = Self.live(partitions[partition]?[key], at: now)?.bytes
            let result = body(&bytes)
            partitions[partition, default: [:]][key] = bytes.map { Record(bytes: $0, expires: expiring) }
            return result
        }
    }

    /// The keys of a partition, sorted, expired ones left out.
    public func keys(in partition: String) async throws(StoreError) -> [String] {
        let now = clock.now()
        return partitions.withLock { partitions in
            (partitions[partition] ?? [:]).filter { Self.live($0.value, at: now) != nil }.keys.sorted()
        }
    }

    private static func live(_ record: Record?, at now: Timestamp) -> Record? {
        guard let record, record.expires.map({ now < $0 }) ?? true else { return nil }
        return record
    }
}
