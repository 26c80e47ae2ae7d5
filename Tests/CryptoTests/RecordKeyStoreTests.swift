import Crypto
import Ports
import Testing

/// Keys that live as long as one exchange.
struct RecordKeyStoreTests {
    private static let time = Timestamp(secondsSince1970: 1_796_040_000)

    private func store(_ table: MemoryTable, at time: Timestamp = Self.time) -> RecordKeyStore {
        RecordKeyStore(
            records: table, partition: "keys", lifetime: 60, clock: FixedClock(time), random: SeededRandom(seed: 4))
    }

    @Test func aKeyAgreesAfterARestartToo() async throws {
        let table = MemoryTable(clock: FixedClock(Self.time))
        let info = try await store(table).create(KeyOptions())
        let peer = try PrivateKey.generate(.p256, random: SeededRandom(seed: 9))
        let secret = try await store(table).agree(with: peer.publicKey, using: info.id, unlock: .automatic)
        #expect(try peer.agree(with: info.publicKey) == secret)
        #expect(try await store(table).keys().map(\.id) == [info.id])
    }

    @Test func aKeyIsGoneWhenItsTimeIsOver() async throws {
        let clock = HandSetClock(Self.time)
        let table = MemoryTable(clock: clock)
        let store = RecordKeyStore(records: table, partition: "keys", lifetime: 60, clock: clock, random: SeededRandom(seed: 4))
        let info = try await store.create(KeyOptions())
        clock.time.withLock { $0 = Self.time.adding(seconds: 61) }
        await #expect(throws: KeyStoreError.unknownKey(info.id)) { try await store.info(info.id) }
        #expect(try await store.keys().isEmpty)
    }

    @Test func aDeletedKeyIsUnknown() async throws {
        let store = store(MemoryTable(clock: FixedClock(Self.time)))
        let info = try await store.create(KeyOptions(curve: .p384))
        try await store.delete(info.id)
        await #expect(throws: KeyStoreError.unknownKey(info.id)) { try await store.sign([1], with: info.id, unlock: .automatic) }
        await #expect(throws: KeyStoreError.unknownKey(info.id)) { try await store.delete(info.id) }
    }

    @Test func aKeyServesOnePurposeAndOnlyWhenAsked() async throws {
        let store = store(MemoryTable(clock: FixedClock(Self.time)))
        let strict = try await store.create(KeyOptions())
        let signature = try await store.sign([1], with: strict.id, unlock: .automatic)
        #expect(strict.publicKey.verify(signature: signature, message: [1]))
        await #expect(throws: KeyStoreError.purposeConflict(strict.id, used: .sign)) {
            try await store.agree(with: strict.publicKey, using: strict.id, unlock: .automatic)
        }
        let free = try await store.create(KeyOptions(singlePurpose: false))
        _ = try await store.sign([1], with: free.id, unlock: .automatic)
        _ = try await store.agree(with: free.publicKey, using: free.id, unlock: .automatic)
        await #expect(throws: KeyStoreError.refused(free.id)) { try await store.sign([1], with: free.id, unlock: .deny) }
    }

    @Test func passphrasesAndOtherAreasAreRefused() async throws {
        let store = store(MemoryTable(clock: FixedClock(Self.time)))
        await #expect(throws: KeyStoreError.storage("keys of one exchange are under no passphrase")) {
            try await store.create(KeyOptions(unlock: .passphrase("sesame")))
        }
        await #expect(throws: KeyStoreError.unknownArea("element")) { try await store.create(KeyOptions(area: "element")) }
    }
}

/// A clock that a test sets.
private final class HandSetClock: Ports.Clock {
    let time: Locked<Timestamp>

    init(_ time: Timestamp) { self.time = Locked(time) }

    func now() -> Timestamp { time.withLock { $0 } }
}
