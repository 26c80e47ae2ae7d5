import Fuzzing
import Glibc
import TestSupport
import Testing

/// Every input of `fixtures/fuzz`: where each corpus starts, and what once broke something.
@Suite struct CorpusTests {
    @Test func everyEntryTakesItsCorpusAndItsPrefixes() async throws {
        for entry in try await FuzzEntries().all {
            let names = try Fixture.names("fuzz/\(entry.name)")
            #expect(!names.isEmpty, "\(entry.name) has no corpus")
            for name in names {
                let bytes = try Fixture.bytes("fuzz/\(entry.name)/\(name)")
                entry.take(bytes)
                for cut in 1...8 { entry.take(Array(bytes.prefix(bytes.count * cut / 9))) }
            }
        }
    }

    @Test func noCorpusIsWithoutAnEntry() async throws {
        let entries = try await FuzzEntries()
        for folder in try Fixture.names("fuzz") where folder != "SOURCE.md" {
            #expect(entries[folder] != nil, "fixtures/fuzz/\(folder) is fed to nothing")
        }
    }
}
