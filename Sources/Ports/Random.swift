import Glibc

/// Where random bytes come from.
public protocol RandomSource: Sendable {
    /// Fresh random bytes.
    func bytes(_ count: Int) -> [UInt8]
    /// Whether the bytes can be foreseen. Everything made with such a source must be marked as a test's.
    var isDeterministic: Bool { get }
}

/// The kernel's generator.
public struct SystemRandom: RandomSource {
    /// The kernel's generator.
    public init() {}

    /// Bytes of the kernel's generator; it does not fail once the machine is up.
    public func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // The most that one call gives.
                let length = min(256, count - filled)
                let done = getentropy(buffer.baseAddress.map { $0 + filled }, length)
                precondition(done == 0, "the kernel's generator does not fail once the machine is up")
                filled += length
            }
        }
    }

    /// Never.
    public var isDeterministic: Bool { false }
}

/// A repeatable sequence for tests and `--seed`: SplitMix64. Not for secrets of anyone.
public final class SeededRandom: RandomSource {
    private let state: Locked<UInt64>

    /// The sequence of a seed.
    public init(seed: UInt64) { state = Locked(seed) }

    /// The next bytes of the sequence; every call starts a new 64-bit word, so the split into calls matters.
    public func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 7)
            while bytes.count < count {
                withUnsafeBytes(of: Self.next(&state).littleEndian) { bytes.append(contentsOf: $0) }
            }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    /// Always.
    public var isDeterministic: Bool { true }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
