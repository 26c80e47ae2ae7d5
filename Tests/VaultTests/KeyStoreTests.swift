import Crypto
import Ports
import Testing
import Vault

/// What every `KeyStore` promises, asked of the one in memory and the one on disk.
@Suite struct KeyStoreTests {
    enum Kind: CaseIterable { case memory, vault }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func store(_ kind: Kind, seed: UInt64 = 3) throws -> any KeyStore {
        switch kind {
        case .memory: MemoryKeyStore(areas: [.software, VaultKeyStore.element], random: SeededRandom(seed: seed))
        case .vault: VaultKeyStore(vault: try scratch.vault(), random: SeededRandom(seed: seed), cost: Scratch.cost)
        }
    }

    @Test(arguments: Kind.allCases) func signsOnEveryCurveThatCan(_ kind: Kind) async throws {
        let store = try store(kind)
        for curve in Curve.allCases where curve.canSign {
            let key = try await store.create(KeyOptions(curve: curve))
            let signature = try await store.sign([1, 2, 3], with: key.id, unlock: .automatic)
            #expect(key.publicKey.verify(signature: signature, message: [1, 2, 3]))
            #expect(!key.publicKey.verify(signature: signature, message: [1, 2, 4]))
        }
    }

    @Test(arguments: Kind.allCases) func agreesOnEveryCurveThatCan(_ kind: Kind) async throws {
        let store = try store(kind)
        for curve in Curve.allCases where curve.canAgree {
            let peer = try PrivateKey.generate(curve, random: SeededRandom(seed: 9))
            let key = try await store.create(KeyOptions(curve: curve))
            let secret = try await store.agree(with: peer.publicKey, using: key.id, unlock: .automatic)
            #expect(try peer.agree(with: key.publicKey) == secret)
        }
    }

    @Test(arguments: Kind.allCases) func letsAKeyServeOnePurposeOnly(_ kind: Kind) async throws {
        let store = try store(kind)
        let key = try await store.create(KeyOptions())
        let peer = try PrivateKey.generate(.p256, random: SeededRandom(seed: 9))
        _ = try await store.sign([1], with: key.id, unlock: .automatic)
        await #expect(throws: KeyStoreError.purposeConflict(key.id, used: .sign)) {
            try await store.agree(with: peer.publicKey, using: key.id, unlock: .automatic)
        }
        _ = try await store.sign([1], with: key.id, unlock: .automatic)
        #expect(try await store.info(key.id).purpose == .sign)
    }

    @Test(arguments: Kind.allCases) func heedsTheUnlocking(_ kind: Kind) async throws {
        let store = try store(kind)
        let open = try await store.create(KeyOptions())
        await #expect(throws: KeyStoreError.refused(open.id)) { try await store.sign([1], with: open.id, unlock: .deny) }
        let locked = try await store.create(KeyOptions(unlock: .passphrase("sesame")))
        #expect(locked.needsPassphrase)
        await #expect(throws: KeyStoreError.refused(locked.id)) { try await store.sign([1], with: locked.id, unlock: .deny) }
        await #expect(throws: KeyStoreError.locked(locked.id)) { try await store.sign([1], with: locked.id, unlock: .automatic) }
        await #expect(throws: KeyStoreError.wrongPassphrase(locked.id)) {
            try await store.sign([1], with: locked.id, unlock: .passphrase("barley"))
        }
        let signature = try await store.sign([1], with: locked.id, unlock: .passphrase("sesame"))
        #expect(locked.publicKey.verify(signature: signature, message: [1]))
    }

    @Test(arguments: Kind.allCases) func keepsToTheCurvesOfAnArea(_ kind: Kind) async throws {
        let store = try store(kind)
        #expect(try await store.create(KeyOptions(area: "element")).area == "element")
        await #expect(throws: KeyStoreError.curveNotInArea(.p384, area: "element")) {
            try await store.create(KeyOptions(curve: .p384, area: "element"))
        }
        await #expect(throws: KeyStoreError.unknownArea("attic")) { try await store.create(KeyOptions(area: "attic")) }
    }

    @Test(arguments: Kind.allCases) func listsInOrderAndDeletes(_ kind: Kind) async throws {
        let store = try store(kind)
        let batch = try await store.createBatch(KeyOptions(batch: 4))
        #expect(try await store.keys() == batch)
        try await store.delete(batch[1].id)
        #expect(try await store.keys() == [batch[0], batch[2], batch[3]])
        await #expect(throws: KeyStoreError.unknownKey(batch[1].id)) { try await store.delete(batch[1].id) }
        await #expect(throws: KeyStoreError.unknownKey(batch[1].id)) {
            try await store.sign([1], with: batch[1].id, unlock: .automatic)
        }
    }

    @Test(arguments: Kind.allCases) func takesOverAKey(_ kind: Kind) async throws {
        let store = try store(kind)
        let key = try PrivateKey.generate(.p384, random: SeededRandom(seed: 4))
        let taken = try await store.importKey(key, options: KeyOptions())
        #expect(taken.publicKey == key.publicKey)
        let signature = try await store.sign([5], with: taken.id, unlock: .automatic)
        #expect(key.publicKey.verify(signature: signature, message: [5]))
    }

    @Test func survivesReopening() async throws {
        let made = try await store(.vault).create(KeyOptions(unlock: .passphrase("sesame")))
        let again = try store(.vault, seed: 99)
        #expect(try await again.keys() == [made])
        let signature = try await again.sign([1], with: made.id, unlock: .passphrase("sesame"))
        #expect(made.publicKey.verify(signature: signature, message: [1]))
        #expect(try await again.info(made.id).purpose == .sign)
    }

    @Test func neverReplacesAKeyOfTheSameName() async throws {
        let first = try await store(.vault).create(KeyOptions())
        await #expect(throws: KeyStoreError.self) { try await store(.vault).create(KeyOptions()) }
        #expect(try await store(.vault).keys() == [first])
    }
}
