package import Codec
package import Credentials
import Crypto
package import Ports

/// A JWT on its way to being signed, still changeable, so that faults can spoil each part.
package struct JWTDraft: Sendable {
    package var header: JSONObject
    package var claims: JSONObject
    /// Flips a bit of the signature.
    package var spoilsSignature = false
    /// Signs with a key that nobody knows.
    package var usesForeignKey = false

    package init(header: JSONObject, claims: JSONObject) {
        self.header = header
        self.claims = claims
    }

    /// The compact JWS.
    package func signed(by signer: JWSSigner, random: any RandomSource) async throws(JOSEError) -> String {
        let payload = Array(JSON.object(claims).encoded().utf8)
        var signer = signer
        if usesForeignKey {
            do { signer = try JWSSigner(PrivateKey.generate(signer.publicKey.curve, random: random)) } catch let error as JOSEError
            {
                throw error
            } catch { throw .keyUse("\(error)") }
        }
        let compact = try await JWS.sign(payload, header: header, by: signer).compact
        guard spoilsSignature, let dot = compact.lastIndex(of: "."),
            var bytes = try? Base64URL.decode(String(compact[compact.index(after: dot)...])), !bytes.isEmpty
        else { return compact }
        bytes[bytes.count - 1] ^= 1
        return "\(compact[...dot])\(Base64URL.encode(bytes))"
    }
}

/// A JWT that came, taken apart; its signature is not verified yet.
package struct UnverifiedJWT: Sendable {
    package let jws: JWS
    package let claims: JSONObject

    package init(_ compact: String) throws(JOSEError) {
        jws = try JWS(compact: compact)
        claims = try jws.claims()
    }

    package var header: JOSEHeader { jws.protected }

    /// A claim that is a time in whole seconds.
    package func time(_ name: String) -> Timestamp? {
        guard let number = claims[name]?.doubleValue, number.isFinite, abs(number) < 1e12 else { return nil }
        return Timestamp(secondsSince1970: Int64(number))
    }

    /// Whether `aud` is the audience, alone or in a list.
    package func isFor(_ audience: String) -> Bool {
        guard let value = claims["aud"] else { return false }
        return value.stringValue == audience || value.arrayValue?.contains(.string(audience)) == true
    }
}
