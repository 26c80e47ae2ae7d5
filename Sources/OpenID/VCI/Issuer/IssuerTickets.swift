import Codec
import Crypto
import Ports

/// What an issuer hands out without remembering it: nonces, challenges, notification ids. A ticket is base64url of 16 random bytes, the
/// second of its end (8 bytes) and 16 bytes of HMAC-SHA-256 over both, its kind and what it is about: only the issuer's own come back,
/// and none after its end. What must not come twice is noted when it comes.
struct IssuerTickets: Sendable {
    /// What a ticket is good for.
    enum Kind: String { case nonce, challenge, notification, dpopAuthorization, dpopResource }

    /// 32 bytes.
    private let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    func issue(_ kind: Kind, about subject: String = "", until end: Timestamp, random: any RandomSource) -> String {
        let body = random.bytes(16) + Self.bytes(of: end.secondsSince1970)
        return Base64URL.encode(body + mac(body, kind, subject))
    }

    func isGood(_ ticket: String, _ kind: Kind, about subject: String = "", at time: Timestamp) -> Bool {
        guard ticket.utf8.count == 54, let bytes = try? Base64URL.decode(ticket), bytes.count == 40 else { return false }
        let body = Array(bytes[..<24])
        guard ConstantTime.equal(Array(bytes[24...]), mac(body, kind, subject)) else { return false }
        let end = body[16...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return time.secondsSince1970 < Int64(bitPattern: end)
    }

    private func mac(_ body: [UInt8], _ kind: Kind, _ subject: String) -> [UInt8] {
        Array(HMAC.sha256(key: key, Array("\(kind.rawValue)/\(subject)/".utf8) + body).prefix(16))
    }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
    }
}
