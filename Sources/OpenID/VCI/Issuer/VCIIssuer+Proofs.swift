import Codec
import Credentials
import Crypto
import Ports

extension VCIIssuer {
    /// The keys that the proofs of a request prove, each once; nil where the configuration wants no proof (II24 to II28).
    func provenKeys(
        _ json: JSONObject, _ configuration: CredentialConfiguration, _ grant: Grant, _ exchange: inout Exchange
    ) async throws -> [PublicKey]? {
        guard let types = configuration.proofTypes else { return nil }
        guard let proofs = json["proofs"] else { throw Refusal("II24.missing", "no proofs, \(configuration.id) wants them") }
        exchange.checks.pass("II24.missing", exchange.subject)
        guard let members = proofs.objectValue, members.count == 1, let (name, value) = members.first(where: { _ in true }),
            let list = value.arrayValue, !list.isEmpty
        else { throw Refusal("II24.one", "proofs has not exactly one type with a list that is not empty") }
        exchange.checks.pass("II24.one", exchange.subject)
        guard let type = types[name], name == "jwt" || name == "attestation" else {
            throw Refusal("II24.type", "proof type \(name) is not offered")
        }
        exchange.checks.pass("II24.type", exchange.subject)
        let limit = max(1, Self.batchLimit(configuration, exchange.settings))
        try exchange.require("II24.count", list.count <= limit, "\(list.count) proofs, \(limit) allowed")
        let texts = list.compactMap(\.stringValue)
        guard texts.count == list.count else { throw Refusal("II24.one", "a proof is no string") }
        let proven: KeyProof.Verified
        do throws(ProofRejection) {
            proven =
                name == "jwt"
                ? try jwtProofs(texts, type, grant, exchange) : try attestationProof(texts, type, exchange)
        } catch { throw Refusal(error.check, error.detail) }
        notePasses(name, type, proven, &exchange)
        try await consume(proven.nonces, isAttestation: name == "attestation", &exchange)
        try exchange.require("II24.distinct", Set(proven.keys).count == proven.keys.count, "one key is proven twice")
        try exchange.require("II24.count", proven.keys.count <= limit, "\(proven.keys.count) keys, \(limit) allowed")
        return proven.keys
    }

    /// The reuse policy's size beats that of the metadata.
    private static func batchLimit(_ configuration: CredentialConfiguration, _ settings: IssuerSettings) -> Int {
        if case .use(let policy) = ReusePolicy.choose(configuration.reusePolicy, support: .supported).choice,
            let size = policy.batchSize
        {
            return size
        }
        return settings.batchSize
    }

    private func jwtProofs(
        _ texts: [String], _ type: CredentialConfiguration.ProofType, _ grant: Grant, _ exchange: Exchange
    ) throws(ProofRejection) -> KeyProof.Verified {
        let expected = KeyProof.Expectation(
            issuer: exchange.settings.identifier, clientID: grant.clientID, algorithms: type.algorithms,
            trust: AttestationTrust(anchors: keys.providers, isHAIP: exchange.settings.isHAIP), attestation: type.attestation,
            hasNonceEndpoint: exchange.settings.hasNonceEndpoint)
        var all = KeyProof.Verified(keys: [], nonces: [], attestation: nil)
        for text in texts {
            let one = try KeyProof.verify(text, expected, at: exchange.time)
            // Several proofs may carry one attestation over all their keys; each key counts once then.
            all.keys += one.attestation == nil || texts.count == 1 ? one.keys : [one.keys[0]]
            all.nonces += one.nonces
            all.attestation = one.attestation ?? all.attestation
        }
        return all
    }

    private func attestationProof(
        _ texts: [String], _ type: CredentialConfiguration.ProofType, _ exchange: Exchange
    ) throws(ProofRejection) -> KeyProof.Verified {
        guard texts.count == 1 else { throw ProofRejection("II28.one", "\(texts.count) attestations, exactly one is wanted") }
        let attestation = try KeyAttestation(
            texts[0], trust: AttestationTrust(anchors: keys.providers, isHAIP: exchange.settings.isHAIP),
            algorithms: type.algorithms,
            needsExpiry: false, at: exchange.time)
        if let requirement = type.attestation { try attestation.check(requirement) }
        var nonces: [String] = []
        if exchange.settings.hasNonceEndpoint {
            guard let nonce = attestation.nonce else { throw ProofRejection("II28.nonce", "no nonce in the attestation") }
            nonces = [nonce]
        }
        return KeyProof.Verified(keys: attestation.keys, nonces: nonces, attestation: attestation)
    }

    private func notePasses(
        _ name: String, _ type: CredentialConfiguration.ProofType, _ proven: KeyProof.Verified, _ exchange: inout Exchange
    ) {
        if name == "jwt" {
            exchange.pass(
                ["typ", "alg", "key", "private", "signature", "aud", "iat", "iss"].map { "II25.\($0)" } + ["II26.missing"])
        } else {
            exchange.pass(["II28.one", "II28.nonce"])
        }
        guard let attestation = proven.attestation else { return }
        exchange.pass(["II27.typ", "II27.exp", "II27.keys", "II27.level"])
        if name == "jwt" { exchange.checks.pass("II27.signer", exchange.subject) }
        if attestation.isTrusted == nil {
            exchange.checks.notRun("II27.signature", exchange.subject, .noAnchors)
        } else {
            exchange.checks.pass("II27.signature", exchange.subject)
        }
    }

    /// Takes the nonces of a request, all of them or none: each is good for one request.
    private func consume(_ nonces: [String], isAttestation: Bool, _ exchange: inout Exchange) async throws {
        let distinct = Set(nonces).sorted()
        guard distinct.count <= 4 else { throw Refusal("II26.wrong", "\(distinct.count) different nonces in one request") }
        let tickets = try await tickets()
        for nonce in distinct {
            let isOurs = tickets.isGood(nonce, .nonce, at: exchange.time)
            guard isOurs, try await records.isFirst("nonce/\(nonce)", lifetime: exchange.settings.nonceLifetime) else {
                throw Self.refusal(isAttestation)
            }
        }
        if !distinct.isEmpty { exchange.checks.pass(isAttestation ? "II28.nonce" : "II26.wrong", exchange.subject) }
    }

    /// Why a nonce is not taken. The table of checks: a missing nonce is invalid_proof, a wrong one invalid_nonce.
    private static func refusal(_ isAttestation: Bool) -> Refusal {
        let refusal = Refusal(isAttestation ? "II28.nonce" : "II26.wrong", "the nonce is unknown, expired or used")
        return isAttestation ? refusal.answering("invalid_nonce") : refusal
    }
}
