import Codec
import OpenID

/// What an issuer recommends for a document: how many copies, how often each is presented, when fresh ones are due, and how the keys are
/// kept.
struct Recommendation {
    private let reuse: ReusePolicy?
    private let copies: Int?
    private let attestation: KeyAttestation.Requirement?

    init(_ configuration: CredentialConfiguration, _ metadata: IssuerMetadata) {
        if case .use(let policy) = ReusePolicy.choose(configuration.reusePolicy, support: .supported).choice {
            reuse = policy
        } else {
            reuse = nil
        }
        copies = reuse?.batchSize ?? metadata.batchSize
        attestation = configuration.proofTypes?.values.compactMap(\.attestation).first
    }

    var json: JSONObject {
        var object = JSONObject()
        if let copies { object[reuse?.batchSize == nil ? "copiesAtMost" : "copies"] = .integer(Int64(copies)) }
        if let reuse {
            object["reuse"] = .string(reuse.method.rawValue)
            if let unused = reuse.triggerUnused { object["renewAtUnused"] = .integer(Int64(unused)) }
            if let left = reuse.triggerLifetimeLeft { object["renewAtSecondsLeft"] = .integer(left) }
        }
        if let attestation { object["keyAttestation"] = .object(attestation.json) }
        return object
    }

    /// One sentence; nil where it recommends nothing.
    var text: String? {
        var parts: [String] = []
        if let copies = reuse?.batchSize { parts.append("\(copies) \(copies == 1 ? "copy" : "copies")") }
        if let reuse {
            parts.append(Self.sentence(reuse.method))
            if let unused = reuse.triggerUnused { parts.append("fresh ones when \(unused) unused are left") }
            if let left = reuse.triggerLifetimeLeft { parts.append("fresh ones when \(left) seconds of validity are left") }
        }
        if attestation != nil { parts.append("attested keys") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func sentence(_ method: ReusePolicy.Method) -> String {
        switch method {
        case .onceOnly: "each presented once"
        case .limitedTime: "presented for a limited time"
        case .rotatingBatch: "presented in turn"
        case .perRelyingParty: "one for each relying party"
        }
    }
}
