public import Codec
public import Crypto
public import Ports

/// Makes SD-JWTs.
public struct SDJWTIssuer: Sendable {
    /// Who signs.
    public var signer: JWSSigner
    /// The protected header besides `alg`: `typ`, `x5c`, `kid`.
    public var header: JSONObject
    /// The hash of the digests.
    public var hash: SDHash
    /// What is made wrong on purpose.
    public var tampering = Tampering.none
    /// The root of the signer's chain, for the fault that puts it into `x5c`.
    public var root: Certificate?
    private let certificates: [Certificate]
    private let random: any RandomSource

    /// - Parameter certificates: for `x5c`, leaf first, without the anchor.
    public init(
        signer: JWSSigner, type: String = SDJWTVC.mediaType, certificates: [Certificate] = [], hash: SDHash = .sha256,
        random: any RandomSource
    ) {
        self.signer = signer
        self.hash = hash
        self.random = random
        self.certificates = certificates
        header = ["typ": .string(type)]
        if !certificates.isEmpty { header.append("x5c", .array(certificates.map { .string(Base64.encode($0.der)) })) }
    }

    /// An SD-JWT without key binding. The digests of a level are sorted, so that their order tells nothing.
    ///
    /// - Throws: `.claims` for claims with reserved names, `.frame` for a frame that does not fit them.
    public func issue(_ claims: JSONObject, frame: DisclosureFrame) async throws(SDJWTError) -> SDJWT {
        var concealer = Concealer(hash: hash, random: random)
        var payload = try concealer.object(claims, frame, at: [])
        payload.append("_sd_alg", .string(hash.rawValue))
        var draft = SDJWTMintDraft(
            payload: payload, disclosures: concealer.disclosures.map(\.encoded), header: header, signer: signer, hash: hash,
            certificates: certificates, root: root, random: random)
        do { try tampering.spoil(&draft) } catch { throw .fault(error) }
        return try await draft.signed()
    }

    /// An SD-JWT VC: `vct` is there, and what must never be disclosed selectively stands open.
    public func issueVC(_ claims: JSONObject, frame: DisclosureFrame) async throws(SDJWTError) -> SDJWT {
        guard let type = claims["vct"]?.stringValue, !type.isEmpty else { throw .claims("vct is missing") }
        for name in SDJWTVC.neverDisclosable where frame.disclosable.contains(name) || frame.children[name] != nil {
            throw .frame("\(name) and what is inside must not be selectively disclosable")
        }
        return try await issue(claims, frame: frame)
    }
}

/// What SD-JWT VC adds to SD-JWT.
public enum SDJWTVC {
    /// The media type of issuer-signed JWTs.
    public static let mediaType = "dc+sd-jwt"
    /// The media type of earlier drafts.
    public static let formerMediaType = "vc+sd-jwt"
    /// Claims that must not be in a disclosure, nor anything below them.
    public static let neverDisclosable: Set<String> = [
        "iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status",
    ]
}

/// Replaces claims by digests.
private struct Concealer {
    let hash: SDHash
    let random: any RandomSource
    private(set) var disclosures: [Disclosure] = []

    init(hash: SDHash, random: any RandomSource) {
        self.hash = hash
        self.random = random
    }

    mutating func object(_ object: JSONObject, _ frame: DisclosureFrame, at path: [String]) throws(SDJWTError) -> JSONObject {
        for name in ["_sd", "...", "_sd_alg"] where object[name] != nil {
            throw .claims("\(name) at \(described(path)) is reserved")
        }
        for name in frame.disclosable.union(frame.children.keys).sorted() where object[name] == nil {
            throw .frame("\(described(path + [name])) is not there")
        }
        var open = JSONObject()
        var digests: [String] = []
        for (name, value) in object {
            let value = try conceal(value, frame.children[name] ?? .open, at: path + [name])
            guard frame.disclosable.contains(name) else {
                open.append(name, value)
                continue
            }
            digests.append(add(name, value))
        }
        digests += decoys(frame.decoys)
        guard !digests.isEmpty else { return open }
        var result: JSONObject = ["_sd": .array(digests.sorted().map { .string($0) })]
        for (name, value) in open { result.append(name, value) }
        return result
    }

    private mutating func conceal(_ value: JSON, _ frame: DisclosureFrame, at path: [String]) throws(SDJWTError) -> JSON {
        guard path.count < 48 else { throw .claims("\(described(path)) lies too deep") }
        switch value {
        case .object(let members): return .object(try object(members, frame, at: path))
        case .array(let elements): return .array(try array(elements, frame, at: path))
        default:
            guard frame == .open else { throw .frame("\(described(path)) has nothing inside") }
            return value
        }
    }

    private mutating func array(_ elements: [JSON], _ frame: DisclosureFrame, at path: [String]) throws(SDJWTError) -> [JSON] {
        for place in frame.disclosable.union(frame.children.keys).sorted() {
            guard let index = Int(place), elements.indices.contains(index) else {
                throw .frame("\(described(path + [place])) is not there")
            }
        }
        var result: [JSON] = []
        for (index, element) in elements.enumerated() {
            let place = String(index)
            let value = try conceal(element, frame.children[place] ?? .open, at: path + [place])
            result.append(frame.disclosable.contains(place) ? ["...": .string(add(nil, value))] : value)
        }
        return result + decoys(frame.decoys).map { ["...": .string($0)] }
    }

    private mutating func add(_ name: String?, _ value: JSON) -> String {
        let disclosure = Disclosure(salt: random.bytes(16), name: name, value: value)
        disclosures.append(disclosure)
        return disclosure.digest(hash)
    }

    private func decoys(_ count: Int) -> [String] {
        (0..<count).map { _ in Base64URL.encode(hash.digest(random.bytes(hash.length))) }
    }

    private func described(_ path: [String]) -> String { path.isEmpty ? "the top level" : path.joined(separator: "/") }
}
