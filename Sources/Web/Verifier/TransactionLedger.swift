import Codec
import OpenID
import Ports

/// Which transactions there are, in the order they were made, and the messages of each as they came and went. Kept in the record store,
/// so that a page shows them after a restart too.
final class TransactionLedger: Sendable {
    /// One message.
    struct Message: Sendable {
        let name: String
        let time: Timestamp
        let bytes: [UInt8]
        let size: Int

        /// Bytes beyond 256 KiB are not kept.
        init(_ name: String, _ bytes: [UInt8], at time: Timestamp) {
            (self.name, self.time, self.size) = (name, time, bytes.count)
            self.bytes = Array(bytes.prefix(256 << 10))
        }

        fileprivate init?(_ json: JSON) {
            guard let name = json["name"]?.stringValue,
                let time = json["time"]?.stringValue.flatMap({ try? Timestamp(rfc3339: $0) }),
                let bytes = json["bytes"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            (self.name, self.time, self.bytes) = (name, time, bytes)
            size = json["size"]?.intValue.map { Int(clamping: $0) } ?? bytes.count
        }

        fileprivate var json: JSON {
            [
                "name": .string(name), "time": .string(time.rfc3339), "bytes": .string(Base64URL.encode(bytes)),
                "size": .integer(Int64(size)),
            ]
        }
    }

    private static let partition = "openid4vp-page"
    /// Messages of one transaction.
    private static let mostMessages = 8

    private let store: any RecordTable
    private let limit: Int
    private let order = Locked<[String]>([])

    init(store: any RecordTable, limit: Int) { (self.store, self.limit) = (store, limit) }

    func learn(_ ids: [String]) { order.withLock { $0 = ids } }

    /// The last ones, newest first.
    func newest(_ count: Int) -> [String] { order.withLock { $0.suffix(count).reversed() } }

    /// Notes a new transaction; the oldest ones beyond the limit go, whatever became of them.
    func add(_ id: String, persona: String, until: Timestamp, forgetting forget: (String) async -> Void) async {
        let gone = order.withLock { order in
            order.append(id)
            let gone = Array(order.prefix(max(0, order.count - limit)))
            order.removeFirst(gone.count)
            return gone
        }
        let record = JSON.object(["persona": .string(persona), "messages": []]).encoded()
        try? await store.write(Array(record.utf8), id, in: Self.partition, expiring: until)
        for id in gone {
            await forget(id)
            _ = try? await store.delete(id, in: Self.partition)
        }
    }

    func persona(of id: String) async -> String? { await record(id)?["persona"]?.stringValue }

    func messages(of id: String) async -> [Message] {
        (await record(id)?["messages"]?.arrayValue ?? []).compactMap(Message.init)
    }

    /// Keeps a message of a transaction that waits; later ones change nothing any more and are not worth the room.
    func keep(_ message: Message, of transaction: VPTransaction, until: Timestamp) async {
        guard transaction.status == .waiting else { return }
        let entry = message.json
        try? await store.update(transaction.id, in: Self.partition, expiring: until) { bytes in
            guard let json = bytes.flatMap({ try? JSON.decode($0) }), var object = json.objectValue else { return }
            let kept = object["messages"]?.arrayValue ?? []
            object["messages"] = .array(kept.suffix(Self.mostMessages - 1) + [entry])
            bytes = Array(JSON.object(object).encoded().utf8)
        }
    }

    private func record(_ id: String) async -> JSON? {
        guard id.utf8.count <= 64, let bytes = try? await store.read(id, in: Self.partition) else { return nil }
        return try? JSON.decode(bytes)
    }
}
