import Codec
import Crypto
import Ports

/// An SD-JWT on its way to being signed: everything that ends up in it, still changeable, so that faults can spoil each part.
struct SDJWTMintDraft: Sendable {
    var payload: JSONObject
    var disclosures: [String]
    var header: JSONObject
    var signer: JWSSigner
    let hash: SDHash
    /// Those of `x5c`, leaf first.
    let certificates: [Certificate]
    let root: Certificate?
    let random: any RandomSource
    var spoilsSignature = false
    /// No signature at all: `alg` none.
    var isUnsigned = false
    /// Changes of the finished text.
    var textChange: (@Sendable (SDJWT) -> SDJWT)?

    /// The signed token.
    func signed() async throws(SDJWTError) -> SDJWT {
        let bytes = Array(JSON.object(payload).encoded().utf8)
        let compact: String
        do throws(JOSEError) {
            if isUnsigned {
                var members: JSONObject = ["alg": "none"]
                for (name, value) in header where name != "alg" { members[name] = value }
                compact = "\(JOSEHeader(members).encoded).\(Base64URL.encode(bytes))."
            } else {
                let jws = try await JWS.sign(bytes, header: header, by: signer)
                var signature = jws.signature
                if spoilsSignature, let last = signature.indices.last { signature[last] ^= 1 }
                compact = JWS(protected: jws.protected, payload: bytes, signature: signature).compact
            }
        } catch { throw .jwt("issuer JWT", error) }
        let token = SDJWT(issuerJWT: compact, disclosures: disclosures)
        return textChange?(token) ?? token
    }

    /// Adds a disclosure of the items given and the digest of it at the top level.
    mutating func disclose(_ items: [JSON]) {
        let text = Base64URL.encode(JSON.array(items).encoded().utf8)
        disclosures.append(text)
        addDigest(hash.text(of: text))
    }

    /// Adds a digest at the top level.
    mutating func addDigest(_ digest: String) {
        payload["_sd"] = .array((payload["_sd"]?.arrayValue ?? []) + [.string(digest)])
    }

    /// A fresh salt of 128 bits.
    var salt: JSON { .string(Base64URL.encode(random.bytes(16))) }

    /// Puts another chain in `x5c` and lets its leaf sign.
    mutating func sign(by identity: SigningIdentity, chain: [Certificate]) throws {
        signer = try JWSSigner(identity.key, nonce: random.isDeterministic ? .deterministic : .random)
        header["x5c"] = .array(chain.map { .string(Base64.encode($0.der)) })
        header["alg"] = nil
    }

    /// The time of issuance, for certificates that a fault makes.
    var time: Timestamp { Timestamp(secondsSince1970: payload["iat"]?.intValue ?? payload["nbf"]?.intValue ?? 0) }
}
