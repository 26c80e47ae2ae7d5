import Crypto
import Ports
import Testing

@Suite struct MemoryKeyStoreTests {
    private let store = MemoryKeyStore(random: CountingRandom(start: 0))

    @Test func aStoredKeySignsAndIsKnownByItsPublicPart() async throws {
        let info = try await store.create(KeyOptions(curve: .p384))
        #expect(info.curve == .p384 && info.area == "software" && !info.needsPassphrase && info.purpose == nil)
        let signature = try await store.sign([1, 2, 3], with: info.id, unlock: .automatic)
        #expect(info.publicKey.verify(signature: signature, message: [1, 2, 3]))
        #expect(try await store.info(info.id).publicKey == info.publicKey)
        #expect(try await store.keys().map(\.id) == [info.id])
    }

    @Test func anImportedKeyAgreesAsItWouldOutside() async throws {
        let key = try PrivateKey.generate(.p256, random: CountingRandom(start: 40))
        let peer = try PrivateKey.generate(.p256, random: CountingRandom(start: 80))
        let info = try await store.importKey(key, options: KeyOptions())
        #expect(info.publicKey == key.publicKey)
        #expect(try await store.agree(with: peer.publicKey, using: info.id, unlock: .automatic) == peer.agree(with: key.publicKey))
    }

    @Test func aKeyServesOnePurposeOnlyWhenAsked() async throws {
        let key = try PrivateKey.generate(.p256, random: CountingRandom(start: 40))
        let strict = try await store.importKey(key, options: KeyOptions())
        _ = try await store.sign([1], with: strict.id, unlock: .automatic)
        await #expect(throws: KeyStoreError.purposeConflict(strict.id, used: .sign)) {
            try await store.agree(with: key.publicKey, using: strict.id, unlock: .automatic)
        }
        #expect(try await store.info(strict.id).purpose == .sign)
    }

    @Test func aKeyWithoutThatRuleServesBoth() async throws {
        let info = try await store.create(KeyOptions(singlePurpose: false))
        _ = try await store.sign([1], with: info.id, unlock: .automatic)
        _ = try await store.agree(with: info.publicKey, using: info.id, unlock: .automatic)
    }

    @Test func lockedKeysNeedTheirPassphrase() async throws {
        let info = try await store.create(KeyOptions(unlock: .passphrase("open sesame")))
        #expect(info.needsPassphrase)
        await #expect(throws: KeyStoreError.locked(info.id)) { try await store.sign([1], with: info.id, unlock: .automatic) }
        await #expect(throws: KeyStoreError.wrongPassphrase(info.id)) {
            try await store.sign([1], with: info.id, unlock: .passphrase("open sesam"))
        }
        await #expect(throws: KeyStoreError.refused(info.id)) { try await store.sign([1], with: info.id, unlock: .deny) }
        #expect(try await store.sign([1], with: info.id, unlock: .passphrase("open sesame")).count == 64)
    }

    @Test func denyIsHeededEvenForOpenKeys() async throws {
        let info = try await store.create(KeyOptions())
        await #expect(throws: KeyStoreError.refused(info.id)) { try await store.sign([1], with: info.id, unlock: .deny) }
        #expect(try await store.info(info.id).purpose == nil)
    }

    @Test func areasAreCheckedByNameAndCurve() async throws {
        let store = MemoryKeyStore(areas: [KeyArea(name: "token", curves: [.p256])], random: CountingRandom(start: 0))
        await #expect(throws: KeyStoreError.unknownArea("software")) { try await store.create(KeyOptions()) }
        await #expect(throws: KeyStoreError.curveNotInArea(.p384, area: "token")) {
            try await store.create(KeyOptions(curve: .p384, area: "token"))
        }
        #expect(try await store.create(KeyOptions(area: "token")).area == "token")
    }

    @Test func deletedKeysAreGone() async throws {
        let info = try await store.create(KeyOptions())
        try await store.delete(info.id)
        await #expect(throws: KeyStoreError.unknownKey(info.id)) { try await store.sign([1], with: info.id, unlock: .automatic) }
        await #expect(throws: KeyStoreError.unknownKey(info.id)) { try await store.delete(info.id) }
        #expect(try await store.keys().isEmpty)
    }

    @Test func aDeterministicSourceRepeatsSignatures() async throws {
        let info = try await store.create(KeyOptions())
        let first = try await store.sign([1], with: info.id, unlock: .automatic)
        #expect(try await store.sign([1], with: info.id, unlock: .automatic) == first)
    }
}
