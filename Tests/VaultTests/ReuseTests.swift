import Crypto
import Ports
import Testing

@testable import Vault

/// Which copy is presented under each reuse policy (ETSI TS 119 472-3, methods A to D).
@Suite struct ReuseTests {
    private let scratch: Scratch
    private let vault: Vault
    private static let time = Timestamp(secondsSince1970: 1_750_000_000)

    init() throws {
        scratch = try Scratch()
        vault = try scratch.vault()
    }

    private func add(
        _ policy: StoredDocument.UsePolicy, copies: Int, ends: [Int64?] = [], renewal: StoredDocument.Renewal = .init()
    ) async throws -> StoredDocument {
        let new = (0..<copies).map { place in
            NewCopy(
                bytes: [UInt8(place + 1)], keyID: "key \(place)",
                validUntil: ends.indices.contains(place) ? ends[place].map { Self.time.adding(seconds: $0) } : nil)
        }
        let document = StoredDocument(
            id: "", format: "mso_mdoc", type: "org.example", displayName: "Card", issuer: nil, policy: policy, renewal: renewal,
            added: Self.time)
        return try await vault.add(document, copies: new, random: SeededRandom(seed: 1))
    }

    /// The bytes of the copies that go to these parties, one after the other; nil: none is left.
    private func taken(_ document: StoredDocument, _ parties: [String?], after seconds: Int64 = 0) async throws -> [UInt8?] {
        var taken: [UInt8?] = []
        for party in parties {
            do throws(VaultError) {
                taken.append(
                    try await vault.takeCopy(of: document.id, for: .party(party), at: Self.time.adding(seconds: seconds)).bytes[0])
            } catch {
                #expect(error.reason == .exhausted)
                taken.append(nil)
            }
        }
        return taken
    }

    @Test(arguments: [
        (StoredDocument.UsePolicy.once, [1, 2, 3, nil, nil] as [UInt8?]), (.limitedTime, [3, 3, 3, 3, 3]),
        (.rotate, [1, 2, 3, 1, 2]),
        (.perRelyingParty, [1, 2, 1, 3, 2]),
    ])
    func eachPolicyHasItsOwnOrder(_ policy: StoredDocument.UsePolicy, _ expected: [UInt8?]) async throws {
        let document = try await add(policy, copies: 3)
        #expect(try await taken(document, ["shop", "bank", "shop", nil, "bank"]) == expected)
    }

    @Test func aStrangerNeverGetsTheCopyOfARelyingParty() async throws {
        let document = try await add(.perRelyingParty, copies: 2)
        #expect(try await taken(document, ["shop", nil, nil, "shop", "bank"]) == [1, 2, nil, 1, nil])
        let left = try await vault.document(document.id)
        #expect(left.isExhausted)
        #expect(left.copies.map(\.party) == ["shop", nil])
        #expect(left.copyToPresent(at: Self.time) != nil, "the shop may still ask")
    }

    @Test func expiredCopiesAreLeftAsideWhileOthersAreGood() async throws {
        let document = try await add(.rotate, copies: 3, ends: [10, 100, nil])
        #expect(try await taken(document, [nil, nil, nil], after: 50) == [2, 3, 2])
        let once = try await add(.once, copies: 2, ends: [10, 20])
        #expect(try await taken(once, [nil, nil], after: 50) == [1, 2], "what is expired anyway may be shown for a test")
    }

    @Test func freshCopiesOfALimitedTimeTakeOver() async throws {
        let document = try await add(.limitedTime, copies: 1, ends: [100])
        #expect(try await taken(document, ["shop"]) == [1])
        _ = try await vault.addCopies(
            [NewCopy(bytes: [9], keyID: "fresh", validUntil: Self.time.adding(seconds: 1000))], to: document.id)
        #expect(try await taken(document, ["shop", "bank"]) == [9, 9])
    }

    @Test(arguments: [
        (StoredDocument.Renewal(), 0, 0, nil as String?), (.init(unused: 1), 0, 0, nil),
        (.init(unused: 1), 2, 0, "1 unused copy left"),
        (.init(unused: 0), 2, 0, nil), (.init(unused: 0), 3, 0, "0 unused copies left"), (.init(lifetimeLeft: 60), 0, 30, nil),
        (.init(lifetimeLeft: 60), 0, 40, "the last copy expires at 2025-06-15T15:08:20Z"),
        (.init(lifetimeLeft: 60), 0, 101, "the last copy expired at 2025-06-15T15:08:20Z"),
    ])
    func freshCopiesAreDueAsTheIssuerSaid(
        _ renewal: StoredDocument.Renewal, _ uses: Int, _ seconds: Int64, _ reason: String?
    ) async throws {
        let document = try await add(.once, copies: 3, ends: [50, 100, 100], renewal: renewal)
        _ = try await taken(document, Array(repeating: nil, count: uses))
        #expect(try await vault.document(document.id).renewalReason(at: Self.time.adding(seconds: seconds)) == reason)
    }
}
