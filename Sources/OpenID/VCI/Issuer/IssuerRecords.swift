import Codec
import Crypto
import Ports

/// What an issuer remembers: offers, codes, tokens, transactions, and the nonces that came. Every secret is kept by its hash, and single use is one
/// atomic change of the table.
struct IssuerRecords: Sendable {
    /// What is kept; each a partition.
    enum Kind: String {
        case offer, pushed, pending, code, preAuthorized, token, refresh, revoked, seen, retries, deferred
    }

    let table: any RecordTable
    /// Decides what has expired.
    let clock: any Clock
    /// The clock by which the table drops what nobody can ask for any more.
    let tableClock: any Clock

    /// Keeps a record for so many seconds.
    func put(_ kind: Kind, _ key: String, _ record: JSONObject, lifetime: Int64) async throws(StoreError) {
        var record = record
        record["exp"] = .integer(clock.now().adding(seconds: lifetime).secondsSince1970)
        try await table.write(
            Array(JSON.object(record).encoded().utf8), Self.name(key), in: Self.partition(kind), expiring: limit(lifetime))
    }

    /// The record, unless it has expired.
    func get(_ kind: Kind, _ key: String) async throws(StoreError) -> JSONObject? {
        live(try await table.read(Self.name(key), in: Self.partition(kind)))
    }

    /// Changes a record in one step; nil deletes it. A record that had none before lives `lifetime` seconds.
    func change<R: Sendable>(
        _ kind: Kind, _ key: String, lifetime: Int64, _ body: @Sendable (inout JSONObject?) -> R
    ) async throws(StoreError) -> R {
        let now = clock.now()
        let end = now.adding(seconds: lifetime).secondsSince1970
        // The end of a record never changes, so that it can be read before.
        let left = try await get(kind, key)?["exp"]?.intValue.map { $0 - now.secondsSince1970 } ?? lifetime
        return try await table.update(Self.name(key), in: Self.partition(kind), expiring: limit(left)) { bytes in
            var record = Self.live(bytes, at: now)
            let known = record?["exp"]
            let result = body(&record)
            if record != nil { record?["exp"] = known ?? .integer(end) }
            bytes = record.map { Array(JSON.object($0).encoded().utf8) }
            return result
        }
    }

    /// The record, which is gone after.
    func take(_ kind: Kind, _ key: String) async throws(StoreError) -> JSONObject? {
        try await change(kind, key, lifetime: 0) { record in
            defer { record = nil }
            return record
        }
    }

    /// Remembers a name that must not come twice; whether it is new.
    func isFirst(_ name: String, lifetime: Int64) async throws(StoreError) -> Bool {
        let now = clock.now()
        let record: JSONObject = ["exp": .integer(now.adding(seconds: lifetime).secondsSince1970)]
        return try await table.update(Self.name(name), in: Self.partition(.seen), expiring: limit(lifetime)) { bytes in
            guard Self.live(bytes, at: now) == nil else { return false }
            bytes = Array(JSON.object(record).encoded().utf8)
            return true
        }
    }

    /// A key that is made once and kept.
    func key(_ name: String, or fresh: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await table.update(name, in: "issuer.keys") { bytes in
            let kept = bytes ?? fresh
            bytes = kept
            return kept
        }
    }

    private func limit(_ lifetime: Int64) -> Timestamp {
        max(clock.now(), tableClock.now()).adding(seconds: max(lifetime, 0)).adding(seconds: 60)
    }

    private func live(_ bytes: [UInt8]?) -> JSONObject? { Self.live(bytes, at: clock.now()) }

    private static func live(_ bytes: [UInt8]?, at now: Timestamp) -> JSONObject? {
        guard let bytes, let record = try? JSON.decode(bytes).objectValue, let end = record["exp"]?.intValue,
            now.secondsSince1970 < end
        else { return nil }
        return record
    }

    private static func partition(_ kind: Kind) -> String { "issuer.\(kind.rawValue)" }
    private static func name(_ key: String) -> String { Base64URL.encode(HashAlgorithm.sha256.digest(Array(key.utf8))) }
}
