import Crypto
import Glibc
import Ports

/// Remembers the chains that were found good, until one of their certificates is no longer valid, trust changes, or others need
/// the room.
public final class SignerCache: Sendable {
    /// What a result depends on besides the chain and the time.
    struct Terms: Sendable, Equatable {
        let trust: [UInt8]
        let profile: CertificateProfile
        let docType: String?
        let edition: Edition
        let skew: Int64
    }

    private struct Entry: Sendable {
        let x5chain: [[UInt8]]
        let terms: Terms
        let chain: SignerChain
    }

    private let capacity: Int
    /// Last used first.
    private let entries = Locked<[Entry]>([])

    /// - Parameter capacity: how many signers are remembered; the least recently used goes first.
    public init(capacity: Int = 64) {
        self.capacity = max(1, capacity)
    }

    /// How many chains are remembered.
    var count: Int { entries.withLock { $0.count } }

    func chain(_ x5chain: [[UInt8]], _ terms: Terms, at time: Timestamp) -> SignerChain? {
        entries.withLock { entries in
            guard let place = entries.firstIndex(where: { Self.areEqual($0.x5chain, x5chain) && $0.terms == terms }) else {
                return nil
            }
            guard entries[place].chain.holds(at: time) else {
                entries.remove(at: place)
                return nil
            }
            if place > 0 { entries.insert(entries.remove(at: place), at: 0) }
            return entries[0].chain
        }
    }

    func remember(_ chain: SignerChain, for x5chain: [[UInt8]], _ terms: Terms) {
        entries.withLock { entries in
            entries.removeAll { Self.areEqual($0.x5chain, x5chain) && $0.terms == terms }
            entries.insert(Entry(x5chain: x5chain, terms: terms, chain: chain), at: 0)
            if entries.count > capacity { entries.removeLast() }
        }
    }

    // memcmp: this is on the path of every verification.
    private static func areEqual(_ a: [[UInt8]], _ b: [[UInt8]]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).allSatisfy { first, second in
            first.count == second.count
                && first.withUnsafeBytes { x in
                    second.withUnsafeBytes { y in
                        guard let x = x.baseAddress, let y = y.baseAddress else { return true }
                        return memcmp(x, y, first.count) == 0
                    }
                }
        }
    }
}
