public import Codec
import Crypto

/// The metadata of a type together with that of every type it extends (SD-JWT VC "Extending Type Metadata").
public struct ResolvedTypeMetadata: Sendable {
    /// The documents, the type's own first.
    public let chain: [TypeMetadata]
    /// The claims after inheritance.
    public let claims: [TypeMetadata.Claim]

    /// Types deeper than this are refused as if circular.
    static let depthLimit = 16

    /// The type and those that it extends.
    public var types: [String] { chain.map(\.type) }

    /// How to show the type: its own, else that of the nearest type that has any.
    public var display: JSON? { chain.lazy.compactMap(\.display).first }

    /// Retrieves a type's document and those that it extends.
    ///
    /// - Parameter integrity: `vct#integrity` of the credential.
    public init(_ type: String, integrity: String?, from source: any TypeMetadataSource) throws(TypeMetadataError) {
        var chain: [TypeMetadata] = []
        var next: (type: String, integrity: String?)? = (type, integrity)
        while let wanted = next {
            let seen = chain.map(\.type)
            guard !seen.contains(wanted.type), seen.count < Self.depthLimit else { throw .circular(seen + [wanted.type]) }
            guard let bytes = source.document(for: wanted.type) else { throw .unavailable(wanted.type) }
            if let integrity = wanted.integrity, !SubresourceIntegrity.matches(integrity, bytes) { throw .integrity(wanted.type) }
            let document = try TypeMetadata(bytes)
            guard document.type == wanted.type else { throw .otherType(document.type, wanted: wanted.type) }
            chain.append(document)
            next = document.extends.map { ($0, document.extendsIntegrity) }
        }
        self.chain = chain
        var claims: [TypeMetadata.Claim] = []
        for document in chain.reversed() { claims = try Self.inheriting(claims, document.claims) }
        self.claims = claims
    }

    private static func inheriting(
        _ parents: [TypeMetadata.Claim], _ own: [TypeMetadata.Claim]
    ) throws(TypeMetadataError) -> [TypeMetadata.Claim] {
        var claims = parents
        for claim in own {
            guard let place = claims.firstIndex(where: { $0.path == claim.path }) else {
                claims.append(claim)
                continue
            }
            let parent = claims[place]
            if claim.statesDisclosure, parent.disclosure != .allowed, claim.disclosure != parent.disclosure {
                throw .override("\(claim.path): sd \(parent.disclosure.rawValue) must not become \(claim.disclosure.rawValue)")
            }
            if claim.statesMandatory, parent.isMandatory, !claim.isMandatory {
                throw .override("\(claim.path): a mandatory claim must not become optional")
            }
            claims[place] = TypeMetadata.Claim(
                path: claim.path, isMandatory: claim.isMandatory || parent.isMandatory,
                disclosure: claim.statesDisclosure ? claim.disclosure : parent.disclosure, display: claim.display ?? parent.display,
                statesMandatory: claim.statesMandatory || parent.statesMandatory,
                statesDisclosure: claim.statesDisclosure || parent.statesDisclosure)
        }
        return claims
    }

    /// What a credential does wrong by this metadata (SD-JWT VC "Claim Metadata"); one sentence each.
    ///
    /// - Parameter isComplete: all disclosures are there, as with the holder. A verifier must not take the absence of a claim that
    ///   may be undisclosed for a fault of the issuer.
    public func violations(in credential: ClaimNode, isComplete: Bool) -> [String] {
        claims.compactMap { claim in
            do {
                let selected = try claim.path.selection(in: credential)
                if selected.isEmpty, claim.isMandatory, isComplete || claim.disclosure == .never,
                    !Self.mayHide(credential, claim.path, isComplete: isComplete)
                {
                    return "\(claim.path) is mandatory and not there"
                }
                if claim.isMandatory, isComplete, try !claim.path.isInEveryElement(of: credential) {
                    return "\(claim.path) is mandatory and not in every element"
                }
                for node in selected {
                    if claim.disclosure == .always, !node.isSelectivelyDisclosable {
                        return "\(claim.path) must be selectively disclosable"
                    }
                    if claim.disclosure == .never, node.isSelectivelyDisclosable {
                        return "\(claim.path) must not be selectively disclosable"
                    }
                }
                return nil
            } catch { return "\(claim.path): \(error)" }
        }
    }

    /// Whether something on the way is undisclosed, so that the claim may be inside.
    private static func mayHide(_ credential: ClaimNode, _ path: ClaimPath, isComplete: Bool) -> Bool {
        guard path.components.count > 1 else { return false }
        if isComplete {
            // With every disclosure at hand, only what is a digest still can hide something: a decoy among the elements of an array.
            return (1..<path.components.count).contains { length in
                let selected = try? ClaimPath(Array(path.components.prefix(length))).selection(in: credential)
                return selected?.contains { $0.isHidden } ?? false
            }
        }
        let above = ClaimPath(Array(path.components.dropLast()))
        guard let selected = try? above.selection(in: credential) else { return false }
        return selected.isEmpty || selected.contains { $0.isHidden }
    }
}

/// The integrity metadata of W3C SRI: `sha256-<base64> sha384-<base64>`.
public enum SubresourceIntegrity {
    /// Whether the octets have one of the digests of the strongest algorithm that is listed and known.
    public static func matches(_ metadata: String, _ octets: [UInt8]) -> Bool {
        let expressions: [(HashAlgorithm, [UInt8])] = metadata.split(whereSeparator: \.isWhitespace).compactMap { expression in
            let parts = expression.split(separator: "?", maxSplits: 1)[0].split(separator: "-", maxSplits: 1)
            guard parts.count == 2, let hash = hashes[String(parts[0])], let digest = decoded(String(parts[1])) else { return nil }
            return (hash, digest)
        }
        guard let strongest = expressions.map(\.0).max(by: { $0.length < $1.length }) else { return false }
        let digest = strongest.digest(octets)
        return expressions.contains { $0.0 == strongest && $0.1 == digest }
    }

    private static let hashes: [String: HashAlgorithm] = ["sha256": .sha256, "sha384": .sha384, "sha512": .sha512]

    /// SRI allows both alphabets.
    private static func decoded(_ text: String) -> [UInt8]? {
        if let bytes = try? Base64.decode(text) { return bytes }
        return try? Base64URL.decode(String(text.reversed().drop { $0 == "=" }.reversed()))
    }
}
