import Codec
import Credentials
import Crypto
import Ports

/// The checks of a key binding JWT, each tried on a presentation that is wrong in one way.
struct KeyBindingTrial {
    private let random = SeededRandom(seed: 3)
    private let time = Timestamp(secondsSince1970: 1_796_040_000)
    private let binding = KeyBindingExpectation(audience: "x509_san_dns:verifier.example", nonce: "n-0S6_WzA2Mj")

    private static let checks = [
        "kb-missing": "S16.present", "kb-typ": "S16.typ", "kb-nonce": "S16.nonce", "kb-aud": "S16.aud",
        "kb-iat-future-or-old": "S16.past", "kb-sd_hash": "S16.sd-hash", "kb-other-key": "S16.signature", "alg-none": "S3.alg",
    ]

    func run(_ id: String) async throws {
        guard let check = Self.checks[id] else { throw Mismatch("no trial \(id)") }
        let holder = try PrivateKey.generate(.p256, random: random)
        let issuer = try PrivateKey.generate(.p256, random: random)
        let claims: JSONObject = ["vct": "urn:example", "cnf": ["jwk": .object(holder.publicKey.jwk)], "a": 1, "b": 2]
        let issued = try await SDJWTIssuer(signer: JWSSigner(issuer), random: random)
            .issueVC(claims, frame: DisclosureFrame(disclosable: ["a", "b"]))
        var terms = KeyBindingClaims(audience: binding.audience, nonce: binding.nonce, issuedAt: time)
        let good = try await issued.bound(to: terms, by: JWSSigner(holder))
        try expect(failures(good.compact, issuer), equals: [], "the presentation before it is spoilt")
        switch id {
        case "kb-nonce": terms.nonce = "other"
        case "kb-aud": terms.audience = "verifier.example"
        case "kb-iat-future-or-old": terms.issuedAt = time.adding(seconds: -3600)
        default: break
        }
        let bad = try await spoilt(id, issued, good, terms, holder)
        try expect(failures(bad, issuer).contains(check), "\(check) did not fail")
        if id == "kb-iat-future-or-old" {
            terms.issuedAt = time.adding(seconds: 3600)
            let future = try await issued.bound(to: terms, by: JWSSigner(holder))
            try expect(failures(future.compact, issuer), equals: ["S16.future"], "what failed")
        }
    }

    private func spoilt(
        _ id: String, _ issued: SDJWT, _ good: SDJWT, _ terms: KeyBindingClaims, _ holder: PrivateKey
    ) async throws -> String {
        switch id {
        case "kb-missing": return issued.compact
        case "kb-typ":
            let jws = try await JWS.sign(JWS(compact: good.keyBinding ?? "").payload, header: ["typ": "JWT"], by: JWSSigner(holder))
            return issued.bindable + jws.compact
        case "kb-sd_hash":
            return ([issued.issuerJWT] + issued.disclosures.dropLast()).map { "\($0)~" }.joined() + (good.keyBinding ?? "")
        case "kb-other-key": return try await issued.bound(to: terms, by: JWSSigner(.generate(.p256, random: random))).compact
        case "alg-none":
            let payload = issued.issuerJWT.split(separator: ".")[1]
            let header = JOSEHeader(["alg": "none", "typ": .string(SDJWTVC.mediaType)]).encoded
            return "\(header).\(payload)." + good.compact.dropFirst(issued.issuerJWT.count)
        default: return try await issued.bound(to: terms, by: JWSSigner(holder)).compact
        }
    }

    private func failures(_ text: String, _ issuer: PrivateKey) -> [String] {
        let verifier = SDJWTVerifier(signers: SignerVerifier(anchors: .none, edition: .first), issuerKeys: [issuer.publicKey])
        return verifier.verify(text, expecting: .presentation(types: ["urn:example"], binding: binding), at: time)
            .checks.filter { $0.outcome == .fail }.map(\.id)
    }
}
