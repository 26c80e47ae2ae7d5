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

    /// A few rounds of what a fuzzer does, the same in every run: bytes changed, cut out, doubled, or exchanged with another input.
    @Test func everyEntryTakesSpoiltInputs() async throws {
        var random = Dice(state: 7)
        for entry in try await FuzzEntries().all {
            let corpus = try Fixture.names("fuzz/\(entry.name)").map { try Fixture.bytes("fuzz/\(entry.name)/\($0)") }
            for round in 0..<24 {
                var bytes = corpus[round % corpus.count]
                for _ in 0...random.below(4) { random.spoil(&bytes, with: corpus[random.below(corpus.count)]) }
                entry.take(Array(bytes.prefix(entry.longest)))
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

/// Repeatable chance.
private struct Dice {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return bound < 1 ? 0 : Int(state >> 33) % bound
    }

    mutating func spoil(_ bytes: inout [UInt8], with other: [UInt8]) {
        guard !bytes.isEmpty, !other.isEmpty else { return }
        let place = below(bytes.count)
        let length = min(1 + below(16), bytes.count - place)
        switch below(5) {
        case 0: bytes[place] ^= 1 << UInt8(below(8))
        case 1: bytes[place] = [0x00, 0x1B, 0x5F, 0x7F, 0x80, 0x9F, 0xBF, 0xFF][below(8)]
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: below(bytes.count))
        default:
            let start = below(other.count)
            bytes.replaceSubrange(place..<place + length, with: other[start..<min(start + 1 + below(64), other.count)])
        }
    }
}
