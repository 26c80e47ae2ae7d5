public import Codec
import Crypto
public import Ports

/// A registration certificate of a relying party or an issuer (WRPRC, ETSI TS 119 475 §5.2) as received: a JWT of type `rc-wrp+jwt` or
/// a CWT of type `rc-wrp+cwt`, its signature held against the key of its own first certificate. Whom to trust is not decided here.
///
///     { "name", "sub": "<identifier>" or {"legal_name", "id"}, "sub_ln", "country", "registry_uri", "purpose": [{"lang", "value"}],
///       "entitlements": [uri], "credentials": [{"format", "meta", "claim": [{"path"}]}],
///       "provides_attestations": […], "privacy_policy", "iat", "exp", "status": {"status_list": {"idx", "uri"}} }
public struct RegistrationCertificate: Sendable {
    /// A kind of credential that may be asked for, or is issued.
    public struct Credential: Sendable, Hashable {
        /// `mso_mdoc`, `dc+sd-jwt`.
        public let format: String
        /// docType, or vcts.
        public let types: Set<String>
        /// What may be asked of it; nil: everything. Null matches every element of an array.
        public let paths: [[JSON]]?

        /// Whether `path` lies in what is registered: it is one of the paths, or below one.
        func covers(_ path: [JSON]) -> Bool {
            guard let paths else { return true }
            return paths.contains { registered in
                registered.count <= path.count && zip(registered, path).allSatisfy { $0 == $1 || $0.isNull && $1.intValue != nil }
            }
        }
    }

    /// The member of requestInfo that carries it: a byte string.
    public static let requestInfoKey = "euWrprc"

    public let form: StatusForm
    /// `typ`, or COSE header 16, as it stands.
    public let type: String?
    /// The name by which people know it.
    public let name: String
    public let legalName: String?
    /// The semantic identifier: that of the access certificate has to be the same.
    public let identifier: String
    public let country: String?
    /// By language; the first is shown where none fits.
    public let purposes: [(language: String, text: String)]
    public let entitlements: [String]
    public let credentials: [Credential]
    public let provides: [Credential]
    public let privacyPolicy: String?
    public let registry: String?
    public let status: StatusClaim
    public let issuedAt: Timestamp?
    public let expiresAt: Timestamp?
    /// Leaf first.
    public let x5chain: [[UInt8]]
    /// Why the signature does not hold by the key of the first certificate; nil: it does.
    public let signatureFault: String?

    /// The sentence to show.
    public var purpose: String? { (purposes.first { $0.language.hasPrefix("en") } ?? purposes.first)?.text }

    /// `Utopia Cars (UT): to rent you a car`.
    public var summary: String { "\(name)\(country.map { " (\($0))" } ?? "")\(purpose.map { ": \($0)" } ?? "")" }

    /// What keeps bytes from being one.
    public struct Unreadable: Error, Sendable {
        /// T58: the payload; T59: no JWT or CWT at all.
        public let check: String
        public let reason: String
    }

    /// - Parameter bytes: the text of a JWT, or a COSE_Sign1.
    public init(_ bytes: [UInt8]) throws(Unreadable) {
        let claims: JSONObject
        switch StatusForm(of: bytes) {
        case .jwt:
            form = .jwt
            let jws: JWS
            do throws(JOSEError) { jws = try JWS(compact: String(decoding: bytes, as: UTF8.self).trimmingASCIISpace) } catch {
                throw Unreadable(check: "T59", reason: "not a JWT: \(error)")
            }
            do throws(JOSEError) { claims = try jws.claims() } catch { throw Unreadable(check: "T58", reason: "\(error)") }
            type = jws.protected.type
            x5chain = (try? jws.protected.x5c()) ?? []
            signatureFault = Self.fault(x5chain) { key in try jws.verify(with: key, understood: ["b64", "sigT", "iat"]) }
        case .cwt:
            form = .cwt
            let auth: COSESign1
            do { auth = try COSESign1(CBOR(decoding: bytes)) } catch {
                throw Unreadable(check: "T59", reason: "not a CWT: \(error)")
            }
            do { claims = try Self.claims(of: CBOR(decoding: auth.payload ?? [])) } catch {
                throw Unreadable(check: "T58", reason: "\(error)")
            }
            type = auth.protected[COSEHeaders.Label.type].flatMap { try? $0.text() }
            x5chain = (try? auth.x5chain?.certificates) ?? []
            signatureFault = Self.fault(x5chain) { key in try auth.verify(with: key) }
        }
        let reader = RegistrationReader(claims)
        name = try reader.text("name")
        identifier = try reader.identifier()
        legalName = claims["sub_ln"]?.stringValue ?? claims["sub"]?["legal_name"]?.stringValue
        country = claims["country"]?.stringValue
        purposes = reader.texts("purpose")
        entitlements = try reader.strings("entitlements")
        credentials = try reader.credentials("credentials")
        provides = try reader.credentials("provides_attestations") + reader.credentials("provided_attestations")
        privacyPolicy = claims["privacy_policy"]?.stringValue
        registry = claims["registry_uri"]?.stringValue
        status = StatusClaim(jwt: claims["status"])
        issuedAt = SDJWTVerification.numericDate(claims["iat"])
        expiresAt = SDJWTVerification.numericDate(claims["exp"])
    }

    private static func fault(_ chain: [[UInt8]], _ verify: (PublicKey) throws -> Void) -> String? {
        guard let leaf = chain.first, let key = try? Certificate(der: leaf).publicKey() else {
            return "no usable certificate came along"
        }
        do { try verify(key) } catch { return "signature invalid: \(error)" }
        return nil
    }

    /// The claims of a CWT: members by name, and the registered numbers of RFC 8392 by theirs.
    private static func claims(of payload: CBOR) throws -> JSONObject {
        let numbers = [1: "iss", 2: "sub", 4: "exp", 5: "nbf", 6: "iat", 65535: "status"]
        var claims = JSONObject()
        for (key, value) in try payload.map() {
            if let name = try? key.text() {
                claims[name] = JSON(claim: value)
            } else if let number = try? key.int(), let name = numbers[number] {
                claims[name] = JSON(claim: value)
            }
        }
        return claims
    }
}

/// Reads the claims of a registration certificate; what is missing or mistyped is T58 with its path.
private struct RegistrationReader {
    private let claims: JSONObject

    init(_ claims: JSONObject) { self.claims = claims }

    func text(_ name: String) throws(RegistrationCertificate.Unreadable) -> String {
        guard let text = claims[name]?.stringValue, !text.isEmpty else { throw missing(name) }
        return text
    }

    func identifier() throws(RegistrationCertificate.Unreadable) -> String {
        guard let text = claims["sub"]?.stringValue ?? claims["sub"]?["id"]?.stringValue, !text.isEmpty else {
            throw missing("sub")
        }
        return text
    }

    func strings(_ name: String) throws(RegistrationCertificate.Unreadable) -> [String] {
        guard let value = claims[name] else { return [] }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count else { throw missing(name) }
        return texts
    }

    func texts(_ name: String) -> [(language: String, text: String)] {
        if let text = claims[name]?.stringValue { return [("", text)] }
        return (claims[name]?.arrayValue ?? []).compactMap { entry in
            guard let text = (entry["value"] ?? entry["content"])?.stringValue else { return nil }
            return (entry["lang"]?.stringValue ?? "", text)
        }
    }

    func credentials(_ name: String) throws(RegistrationCertificate.Unreadable) -> [RegistrationCertificate.Credential] {
        guard let value = claims[name] else { return [] }
        guard let entries = value.arrayValue else { throw missing(name) }
        var found: [RegistrationCertificate.Credential] = []
        for (place, entry) in entries.enumerated() {
            guard let format = entry["format"]?.stringValue else { throw missing("\(name)[\(place)].format") }
            let meta = entry["meta"]
            let types =
                (meta?["vct_values"]?.arrayValue ?? []).compactMap(\.stringValue)
                + [meta?["doctype_value"]?.stringValue].compactMap { $0 }
            var paths: [[JSON]]?
            if let claims = entry["claim"] ?? entry["claims"] {
                guard let list = claims.arrayValue else { throw missing("\(name)[\(place)].claim") }
                paths = []
                for (claim, item) in list.enumerated() {
                    guard let path = item["path"]?.arrayValue, !path.isEmpty else {
                        throw missing("\(name)[\(place)].claim[\(claim)].path")
                    }
                    paths?.append(path)
                }
            }
            found.append(.init(format: format, types: Set(types), paths: paths))
        }
        return found
    }

    private func missing(_ path: String) -> RegistrationCertificate.Unreadable {
        .init(check: "T58", reason: "payload unreadable at \(path)")
    }
}
