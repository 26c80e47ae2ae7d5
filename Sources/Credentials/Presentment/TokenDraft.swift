import Codec
import Crypto
import Ports

/// An SD-JWT VC on its way to being presented, still changeable, so that faults can spoil each part.
struct TokenDraft: Sendable {
    /// How the key binding states what it binds.
    enum BoundHash: Sendable { case right, wrong, withoutLastTilde }

    let credential: HeldSDJWT
    /// What was agreed to.
    let elements: [Proposal.Element]
    var issuerJWT: String
    var disclosures: [String]
    /// Disclosures that a fault added: they go without consent.
    var orderedByFault: Set<String> = []
    /// nil: no key binding.
    var binding: KeyBindingClaims?
    var header: JSONObject = ["typ": .string(SDJWT.keyBindingMediaType)]
    var boundHash = BoundHash.right
    var spoilsSignature = false
    /// Changes of the key binding's claims, made before it is signed.
    var payloadChanges: [@Sendable (inout JSONObject) -> Void] = []
    /// Changes of the finished text.
    var textChanges: [@Sendable (String) -> String] = []
    /// Whether another key signs than the one in `cnf`.
    var signsWithStrangeKey = false
    let random: any RandomSource

    /// The presentation, signed by the holder's key.
    func text(keyStore: any KeyStore, unlock: KeyUnlock) async throws(PresentationError) -> String {
        let token = SDJWT(issuerJWT: issuerJWT, disclosures: disclosures)
        let text = try await token.bindable + keyBinding(of: token, keyStore, unlock)
        return textChanges.reduce(text) { $1($0) }
    }

    private func keyBinding(of token: SDJWT, _ keyStore: any KeyStore, _ unlock: KeyUnlock) async throws(PresentationError)
        -> String
    {
        guard let binding else { return "" }
        let signer = try await signer(keyStore, unlock)
        do throws(SDJWTError) {
            var payload = try token.keyBindingPayload(binding)
            if boundHash != .right { payload["sd_hash"] = .string(wrongHash(token)) }
            for change in payloadChanges { change(&payload) }
            var signed = try await token.keyBinding(payload, header: header, by: signer)
            if spoilsSignature { signed = signed.withFlippedSignature }
            return signed
        } catch { throw .sdJWT(error) }
    }

    private func wrongHash(_ token: SDJWT) -> String {
        let hash = credential.processed.hash ?? .sha256
        return boundHash == .wrong ? hash.text(of: "another presentation") : hash.text(of: token.bindable.dropLast())
    }

    private func signer(_ keyStore: any KeyStore, _ unlock: KeyUnlock) async throws(PresentationError) -> JWSSigner {
        if signsWithStrangeKey {
            do {
                return try JWSSigner(
                    PrivateKey.generate(.p256, random: random), nonce: random.isDeterministic ? .deterministic : .random)
            } catch { throw .fault(.needs("a fresh key: \(error)", fault: "kb-signature-wrong")) }
        }
        guard let keyID = credential.keyID else { throw .noHolderKey(credential.id) }
        let info: KeyInfo
        do { info = try await keyStore.info(keyID) } catch { throw .key(error) }
        do { return try JWSSigner(info, in: keyStore, unlock: unlock) } catch { throw .cannotSign(info.curve) }
    }
}

extension String {
    /// A compact JWS with one bit of its signature flipped.
    fileprivate var withFlippedSignature: String {
        guard let dot = lastIndex(of: "."), var signature = try? Base64URL.decode(String(self[index(after: dot)...])),
            let last = signature.indices.last
        else { return self }
        signature[last] ^= 1
        return self[...dot] + Base64URL.encode(signature)
    }
}
