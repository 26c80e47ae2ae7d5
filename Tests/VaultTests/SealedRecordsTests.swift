import Codec
import Ports
import Testing

@testable import Vault

@Suite struct SealedRecordsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func keepsNoValueInClear() async throws {
        let secret = [UInt8]("Mustermann was here".utf8)
        do {
            let vault = try scratch.vault()
            try await vault.write(secret, "key", in: "part")
        }
        let file = try scratch.bytes(of: scratch.database)
        #expect(file.count > 4096)
        #expect(!contains(file, secret))
        #expect(!contains(file, [UInt8]("Mustermann".utf8)))
    }

    /// The sealed bytes of a record under another name, in another partition, under another version, or with one bit flipped.
    @Test(arguments: [
        "UPDATE records SET key = 'other' WHERE key = 'key'",
        "UPDATE records SET partition = 'table/elsewhere' WHERE key = 'key'",
        "UPDATE records SET version = version + 1",
        "UPDATE records SET value = zeroblob(length(value))",
        "UPDATE records SET value = substr(value, 1, 5)",
        "UPDATE records SET value = x'' WHERE key = 'key'",
    ])
    func refusesAValueThatWasMovedOrAltered(_ attack: String) async throws {
        let vault = try scratch.vault()
        try await vault.write([1, 2, 3], "key", in: "part")
        try SQLiteConnection(path: scratch.database, create: false).execute(attack)
        for (key, partition) in [("key", "part"), ("other", "part"), ("key", "elsewhere")] {
            do throws(StoreError) {
                #expect(try await vault.read(key, in: partition) == nil)
            } catch {
                guard case .damaged(let what) = error else { throw error }
                #expect(what.contains("table/\(partition)/\(key)"))
            }
        }
    }

    @Test func rollsBackAStepThatThrows() async throws {
        let vault = try scratch.vault()
        let reason = await refusal {
            try await vault.transact { records throws(VaultError) in
                try records.write([1], "a", in: "part")
                throw VaultError(.exists, "no", hint: "")
            }
        }
        #expect(reason == .exists)
        #expect(try await vault.look { records throws(VaultError) in try records.keys(in: "part") } == [])
    }

    @Test func forgetsWhatHasExpired() async throws {
        let vault = try scratch.vault()
        let soon = Scratch.time.adding(seconds: 60)
        try await vault.write([1], "key", in: "part", expiring: soon)
        #expect(try await vault.read("key", in: "part") == [1])
        let later = try scratch.vault(at: soon)
        #expect(try await later.read("key", in: "part") == nil)
        #expect(try await later.keys(in: "part") == [])
        // A write purges: the sealed bytes are gone from the table too.
        try await later.write([2], "other", in: "part")
        let rows = try SQLiteConnection(path: scratch.database, create: false)
            .first("SELECT count(*) FROM records") { $0.integer(0) }
        #expect(rows == 1)
    }

    private func contains(_ haystack: [UInt8], _ needle: [UInt8]) -> Bool {
        haystack.indices.contains { haystack[$0...].starts(with: needle) }
    }
}
