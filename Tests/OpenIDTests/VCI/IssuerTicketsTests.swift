import Codec
import Ports
import Testing

@testable import OpenID

/// Nonces and the like, which the issuer does not remember.
struct IssuerTicketsTests {
    private let tickets = IssuerTickets(key: Array(repeating: 7, count: 32))
    private let random = SeededRandom(seed: 3)
    private static let end = Timestamp(secondsSince1970: 1_750_000_000)

    @Test func aTicketIsGoodForItsKindItsSubjectAndItsTime() {
        let ticket = tickets.issue(.notification, about: "family", until: Self.end, random: random)
        let before = Self.end.adding(seconds: -1)
        #expect(tickets.isGood(ticket, .notification, about: "family", at: before))
        #expect(!tickets.isGood(ticket, .notification, about: "family", at: Self.end))
        #expect(!tickets.isGood(ticket, .notification, about: "another", at: before))
        #expect(!tickets.isGood(ticket, .nonce, about: "family", at: before))
        #expect(!IssuerTickets(key: Array(repeating: 8, count: 32)).isGood(ticket, .notification, about: "family", at: before))
        #expect(ticket != tickets.issue(.notification, about: "family", until: Self.end, random: random))
    }

    @Test func anyChangedBitIsRefused() throws {
        let bytes = try Base64URL.decode(tickets.issue(.nonce, until: Self.end, random: random))
        for place in 0..<bytes.count * 8 {
            var changed = bytes
            changed[place / 8] ^= 1 << UInt8(place % 8)
            #expect(!tickets.isGood(Base64URL.encode(changed), .nonce, at: Self.end.adding(seconds: -1)), "bit \(place)")
        }
        for text in ["", "ey", String(repeating: "A", count: 54), String(repeating: "=", count: 54)] {
            #expect(!tickets.isGood(text, .nonce, at: Self.end.adding(seconds: -1)))
        }
    }
}
