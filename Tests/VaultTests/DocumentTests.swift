import Crypto
import Ports
import Testing

@testable import Vault

@Suite struct DocumentTests {
    private let scratch: Scratch
    private let vault: Vault
    private let keys: VaultKeyStore

    init() throws {
        scratch = try Scratch()
        vault = try scratch.vault()
        keys = VaultKeyStore(vault: vault, random: SeededRandom(seed: 7), cost: Scratch.cost)
    }

    private func add(policy: StoredDocument.UsePolicy, copies: Int, withKeys: Bool = true) async throws -> StoredDocument {
        var new: [NewCopy] = []
        for index in 0..<copies {
            new.append(NewCopy(bytes: [UInt8(index)], keyID: withKeys ? try await keys.create(.init()).id.rawValue : nil))
        }
        return try await vault.add(
            StoredDocument(
                id: "", format: "mso_mdoc", type: "org.iso.18013.5.1.mDL", displayName: "Licence", issuer: "Utopia",
                policy: policy, added: Scratch.time),
            copies: new, random: SeededRandom(seed: 1))
    }

    @Test func survivesReopening() async throws {
        let added = try await add(policy: .rotate, copies: 2)
        let again = try scratch.vault()
        #expect(try await again.documents() == [added])
        #expect(try await again.document(String(added.id.prefix(3))) == added)
        #expect(try await again.bytes(of: added.copies[1], in: added) == [1])
        #expect(await refusal { try await again.document("zz") } == .notFound)
        #expect(await refusal { try await again.document("") } == .notFound)
    }

    @Test func showsTheOthersWhenOneRecordIsDamaged() async throws {
        let first = try await add(policy: .rotate, copies: 1)
        let second = try await vault.add(first, copies: [], random: SystemRandom())
        try SQLiteConnection(path: scratch.database, create: false)
            .execute("UPDATE records SET value = zeroblob(40) WHERE partition = 'documents' AND key = ?", .text(first.id))
        #expect(try await vault.documents() == [second])
        #expect(try await vault.damagedDocuments().count == 1)
        #expect(await refusal { try await vault.document(first.id) } == .damaged)
        #expect(await refusal { try await vault.takeCopy(of: first.id, at: Scratch.time) } == .damaged)
    }

    @Test func usesEachCopyOnceThenIsExhausted() async throws {
        let document = try await add(policy: .once, copies: 3)
        var taken: Set<[UInt8]> = []
        for left in [2, 1, 0] {
            let copy = try await vault.takeCopy(of: document.id, at: Scratch.time)
            taken.insert(copy.bytes)
            // Another connection sees the use at once: it was on disk before the bytes were handed out.
            #expect(try await scratch.vault().document(document.id).copiesLeft == left)
        }
        #expect(taken == [[0], [1], [2]])
        #expect(try await vault.document(document.id).isExhausted)
        #expect(await refusal { try await vault.takeCopy(of: document.id, at: Scratch.time) } == .exhausted)
    }

    @Test func rotatesOverTheLeastUsedCopies() async throws {
        let document = try await add(policy: .rotate, copies: 2)
        var taken: [[UInt8]] = []
        for _ in 0..<5 { taken.append(try await vault.takeCopy(of: document.id, at: Scratch.time).bytes) }
        #expect(taken == [[0], [1], [0], [1], [0]])
        let after = try await vault.document(document.id)
        #expect(after.copies.map(\.uses) == [3, 2])
        #expect(!after.isExhausted)
    }

    @Test func presentsNoCopyWithoutItsKey() async throws {
        let document = try await add(policy: .once, copies: 1, withKeys: false)
        #expect(document.copiesLeft == 0)
        #expect(!document.isExhausted)
        #expect(await refusal { try await vault.takeCopy(of: document.id, at: Scratch.time) } == .notFound)
    }

    @Test func addsCopiesToAnExhaustedDocument() async throws {
        let document = try await add(policy: .once, copies: 1)
        _ = try await vault.takeCopy(of: document.id, at: Scratch.time)
        let key = try await keys.create(.init())
        let refilled = try await vault.addCopies([NewCopy(bytes: [9], keyID: key.id.rawValue)], to: document.id)
        #expect(refilled.copies.map(\.id) == ["1", "2"])
        #expect(try await vault.takeCopy(of: document.id, at: Scratch.time).bytes == [9])
    }

    @Test func deletesCopiesAndKeysWithTheDocument() async throws {
        let document = try await add(policy: .once, copies: 2)
        #expect(try await keys.keys().count == 2)
        _ = try await vault.deleteDocument(document.id)
        #expect(try await vault.documents() == [])
        #expect(try await keys.keys() == [])
        #expect(await refusal { try await vault.bytes(of: document.copies[0], in: document) } == .damaged)
    }

    @Test func keepsAKeyThatAnotherDocumentHasToo() async throws {
        let document = try await add(policy: .rotate, copies: 1)
        let other = try await vault.add(
            document, copies: [NewCopy(bytes: [7], keyID: document.copies[0].keyID)], random: SystemRandom())
        _ = try await vault.deleteDocument(document.id)
        #expect(try await keys.keys().count == 1)
        #expect(try await vault.takeCopy(of: other.id, at: Scratch.time).bytes == [7])
        _ = try await vault.deleteDocument(other.id)
        #expect(try await keys.keys().isEmpty)
    }

    @Test func neverTakesOneCopyTwiceFromTwoConnections() async throws {
        let document = try await add(policy: .once, copies: 12)
        let other = try scratch.vault()
        let taken = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for index in 0..<12 {
                let vault = index % 2 == 0 ? vault : other
                group.addTask { try await vault.takeCopy(of: document.id, at: Scratch.time).bytes }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(taken.count == 12)
    }

    @Test func keepsKeyOptionsByType() async throws {
        #expect(try await vault.keyOptions(for: "a").curve == .p256)
        try await vault.setKeyOptions(KeyOptions(curve: .p384, batch: 5), for: "a")
        #expect(try await vault.keyOptions(for: "a").curve == .p384)
        #expect(try await vault.keyOptions(for: "a").batch == 5)
        #expect(try await vault.keyOptions(for: "b").batch == 1)
    }
}
