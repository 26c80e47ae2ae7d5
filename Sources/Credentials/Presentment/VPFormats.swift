public import Codec
public import Crypto

/// `vp_formats_supported` (OpenID4VP 1.0 §11.1, §B.2.2, §B.3.4): formats with the algorithms that their recipient can verify.
///
///     { "mso_mdoc": {"issuerauth_alg_values"?: [int], "deviceauth_alg_values"?: [int]},
///       "dc+sd-jwt": {"sd-jwt_alg_values"?: [tstr], "kb-jwt_alg_values"?: [tstr]} }
public struct VPFormats: Sendable, Hashable {
    /// As received.
    public let json: JSON

    /// - Throws: says which member is mistyped.
    public init(_ json: JSON) throws(Malformed) {
        guard let formats = json.objectValue else { throw Malformed(description: "a JSON \(json.typeName), an object expected") }
        for (format, value) in formats {
            guard let members = value.objectValue else { throw Malformed(description: "\(format) is no object") }
            for name in Self.lists where members[name] != nil {
                guard let list = members[name]?.arrayValue, !list.isEmpty else {
                    throw Malformed(description: "\(format).\(name) is no list with values")
                }
            }
        }
        self.json = json
    }

    /// Why JSON is no `vp_formats_supported`.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    private init(checked json: JSON) { self.json = json }

    private static let lists = ["issuerauth_alg_values", "deviceauth_alg_values", "sd-jwt_alg_values", "kb-jwt_alg_values"]

    /// What this program can verify.
    public static let own = VPFormats(
        checked: [
            "dc+sd-jwt": ["sd-jwt_alg_values": jose, "kb-jwt_alg_values": jose],
            "mso_mdoc": ["issuerauth_alg_values": cose, "deviceauth_alg_values": cose],
        ])

    private static let jose: JSON = ["ES256", "ES384", "ES512", "EdDSA", "Ed25519", "Ed448"]
    private static let cose: JSON = [-7, -35, -36, -8, -9, -51, -52, -19, -53]

    /// The formats by name.
    public var names: [String] { json.objectValue?.keys ?? [] }

    /// Why the recipient cannot verify what would be presented of a credential; nil when it can.
    public func obstacle(to credential: HeldCredential, holderCurve: Curve?) -> String? {
        guard names.contains(credential.format) else { return "format" }
        switch credential.form {
        case .mdoc(let document):
            let auth = document.issuerSigned.issuerAuth
            let signer = (try? auth.x5chain?.certificates.first).flatMap { try? Certificate(der: $0).publicKey().curve }
            return mdocObstacle("issuerauth_alg_values", algorithm: auth.protected.algorithm, signer)
                ?? holderCurve.flatMap {
                    mdocObstacle("deviceauth_alg_values", algorithm: COSEAlgorithm.iso(for: $0)?.rawValue, $0)
                }
        case .sdJWT(let held):
            let header = try? held.token.jws().protected
            let signer = (try? header?.x5c()?.first).flatMap { try? Certificate(der: $0).publicKey().curve }
            return tokenObstacle("sd-jwt_alg_values", algorithm: header?["alg"]?.stringValue, signer)
                ?? holderCurve.flatMap {
                    tokenObstacle("kb-jwt_alg_values", algorithm: JWSAlgorithm(for: $0)?.rawValue, $0)
                }
        }
    }

    /// nil when the algorithm is among those listed, or nothing is listed.
    func mdocObstacle(_ list: String, algorithm: Int?, _ curve: Curve?) -> String? {
        guard let values = json["mso_mdoc"]?[list]?.arrayValue else { return nil }
        let isListed = values.compactMap(\.intValue).contains { value in
            if let algorithm, value == Int64(algorithm) { return true }
            guard let known = COSEAlgorithm(rawValue: Int(clamping: value)), known.isFullySpecified, let curve, let algorithm,
                let used = COSEAlgorithm(rawValue: algorithm)
            else { return false }
            return known.allows(curve) && used.hash == known.hash && !used.isMAC
        }
        return isListed ? nil : Self.words(algorithm.map(String.init), curve, list, values)
    }

    /// The same for the MAC of a device key, which has numbers of its own for each curve (§B.2.2).
    func macObstacle(_ curve: Curve?) -> String? {
        guard let values = json["mso_mdoc"]?["deviceauth_alg_values"]?.arrayValue else { return nil }
        let accepted = [Int64(COSEAlgorithm.hmac256.rawValue), curve.flatMap { Self.macValues[$0] }].compactMap(\.self)
        let isListed = values.compactMap(\.intValue).contains(where: accepted.contains)
        return isListed ? nil : Self.words("HMAC 256/256", curve, "deviceauth_alg_values", values)
    }

    func tokenObstacle(_ list: String, algorithm: String?, _ curve: Curve?) -> String? {
        let member = json[SDJWTVC.mediaType] ?? json[SDJWTVC.formerMediaType]
        guard let values = member?[list]?.arrayValue else { return nil }
        let isListed = values.compactMap(\.stringValue).contains { value in
            // EdDSA is the older name of two fully specified algorithms (RFC 9864).
            value == algorithm || algorithm == "EdDSA" && value == curve?.rawValue
                || value == "EdDSA" && algorithm == curve?.rawValue
        }
        return isListed ? nil : Self.words(algorithm, curve, list, values)
    }

    private static func words(_ algorithm: String?, _ curve: Curve?, _ list: String, _ values: [JSON]) -> String {
        "alg \(algorithm ?? "missing") with curve \(curve?.rawValue ?? "unknown") not in \(list) "
            + values.map { $0.encoded() }.joined(separator: ", ")
    }

    private static let macValues: [Curve: Int64] = [
        .p256: -65537, .p384: -65538, .p521: -65539, .x25519: -65540, .x448: -65541, .brainpoolP256r1: -65542,
        .brainpoolP320r1: -65543, .brainpoolP384r1: -65544, .brainpoolP512r1: -65545,
    ]
}
