/// A place where bytes of strangers come in. Whatever the bytes, nothing crashes or hangs, and what is promised holds.
package struct FuzzEntry: Sendable {
    /// Its folder in `fixtures/fuzz` too.
    package let name: String
    /// The longest input worth trying.
    package let longest: Int
    /// Takes an input; stops the program when a promise is broken.
    package let take: @Sendable ([UInt8]) -> Void

    init(_ name: String, longest: Int = 4096, _ take: @escaping @Sendable ([UInt8]) -> Void) {
        (self.name, self.longest, self.take) = (name, longest, take)
    }
}

/// Every entry; `scripts/fuzz` gives each of them mutated inputs, the tests give each its corpus.
package struct FuzzEntries: Sendable {
    package let all: [FuzzEntry]
    /// What the roles know in all entries; the same in every run.
    package let stage: FuzzStage

    package init() async throws {
        let stage = try await FuzzStage()
        self.stage = stage
        all =
            CodecEntries.all + CredentialEntries(stage).all + OpenIDEntries(stage).all + ProximityEntries(stage).all
            + InputEntries.all
    }

    package subscript(_ name: String) -> FuzzEntry? { all.first { $0.name == name } }
}

/// Stops the program when a promise is broken: that is how a fuzzer notices.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    precondition(condition, promise())
}

/// An input that says what to do, step by step: a byte that chooses, two bytes of length, and that many bytes.
struct Script: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> (choice: UInt8, bytes: [UInt8])? {
        guard rest.count >= 3 else { return nil }
        let head = Array(rest.prefix(3))
        let bytes = Array(rest.dropFirst(3).prefix(Int(head[1]) << 8 | Int(head[2])))
        rest = rest.dropFirst(3 + bytes.count)
        return (head[0], bytes)
    }

    /// The input that reads back as these steps, each of less than 64 KiB.
    static func encode(_ steps: [(choice: UInt8, bytes: [UInt8])]) -> [UInt8] {
        steps.flatMap {
            [$0.choice, UInt8(truncatingIfNeeded: $0.bytes.count >> 8), UInt8(truncatingIfNeeded: $0.bytes.count)] + $0.bytes
        }
    }
}
