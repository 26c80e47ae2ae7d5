import Crypto
import Ports
import Testing
import Vault

/// What every `RecordTable` promises, asked of the one in memory and the one on disk.
@Suite struct RecordTableTests {
    enum Kind: CaseIterable { case memory, vault }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func table(_ kind: Kind) throws -> any RecordTable {
        switch kind {
        case .memory: MemoryTable(clock: FixedClock(Scratch.time))
        case .vault: try scratch.vault()
        }
    }

    @Test(arguments: Kind.allCases) func keepsReplacesAndDeletes(_ kind: Kind) async throws {
        let table = try table(kind)
        #expect(try await table.read("b", in: "p") == nil)
        try await table.write([1], "b", in: "p")
        try await table.write([2], "a", in: "p")
        try await table.write([], "b", in: "q")
        try await table.write([3], "b", in: "p")
        #expect(try await table.read("b", in: "p") == [3])
        #expect(try await table.read("b", in: "q") == [])
        #expect(try await table.keys(in: "p") == ["a", "b"])
        #expect(try await table.delete("b", in: "p"))
        #expect(try await table.delete("b", in: "p") == false)
        #expect(try await table.keys(in: "p") == ["a"])
    }

    @Test(arguments: Kind.allCases) func expires(_ kind: Kind) async throws {
        let table = try table(kind)
        try await table.write([1], "now", in: "p", expiring: Scratch.time)
        try await table.write([1], "later", in: "p", expiring: Scratch.time.adding(seconds: 1))
        #expect(try await table.read("now", in: "p") == nil)
        #expect(try await table.read("later", in: "p") == [1])
        #expect(try await table.keys(in: "p") == ["later"])
    }

    @Test(arguments: Kind.allCases) func updatesInOneStep(_ kind: Kind) async throws {
        let table = try table(kind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 { try await increment("n", in: table) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await table.read("n", in: "p") == [80])
    }

    @Test func doesNotReachKeysAndDocuments() async throws {
        let vault = try scratch.vault()
        let key = try await VaultKeyStore(vault: vault, random: SystemRandom()).create(.init())
        for partition in ["keys", "documents", "copies", "log"] {
            #expect(try await vault.keys(in: partition) == [])
            #expect(try await vault.read(key.id.rawValue, in: partition) == nil)
        }
    }
}

/// Adds one to the number that the record's only byte is.
func increment(_ key: String, in table: any RecordTable) async throws(StoreError) {
    try await table.update(key, in: "p") { $0 = [($0?.first ?? 0) &+ 1] }
}
