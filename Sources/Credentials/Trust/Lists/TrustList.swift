public import Crypto
public import Ports

/// A signed list of authorities after verification: who is on it, and everything that was found out about the list itself.
public struct TrustList: Sendable {
    /// The kinds that are known.
    public enum Kind: Sendable, Hashable {
        /// Issuers of documents (ISO/IEC 18013-5:2021 Annex C).
        case vical
        /// Issuers of reader certificates (WD2 Annex F).
        case rical
        /// ETSI TS 119 602, with the last part of its type: `EUPIDProvidersList`.
        case lote(String)

        /// `VICAL`, `RICAL`, `LoTE EUPIDProvidersList`.
        public var name: String {
            switch self {
            case .vical: "VICAL"
            case .rical: "RICAL"
            case .lote(let type): "LoTE \(type)"
            }
        }
    }

    /// Where another list is.
    public struct Pointer: Sendable, Hashable {
        public let uri: String
        /// Certificates by which that list may be signed; empty: those of this one's.
        public let signers: [Certificate]
        /// The type that it is said to have.
        public let type: String?
    }

    public let kind: Kind
    public let provider: String
    /// `vicalIssueID`, `LoTESequenceNumber`; nil where the list has none.
    public let sequence: UInt64?
    public let issuedAt: Timestamp?
    public let nextUpdate: Timestamp?
    /// Everybody on it, whether or not the list can be relied upon.
    public let entries: [TrustAnchor]
    public let pointers: [Pointer]
    /// T2 or T3, with the list's name as subject.
    public let checks: CheckList
    /// Whether nothing speaks against relying on it.
    public let isUsable: Bool
    /// Where the list says that it is published, and where it was found by a pointer.
    public internal(set) var locations: [String] = []

    /// `VICAL of Utopia, 3`: what reports name as the source of an anchor.
    public var name: String { Self.name(kind, provider, sequence) }

    static func name(_ kind: Kind, _ provider: String, _ sequence: UInt64?) -> String {
        "\(kind.name) of \(provider)\(sequence.map { ", \($0)" } ?? "")"
    }

    /// The anchors that the list vouches for; none where it cannot be relied upon.
    public var anchors: [TrustAnchor] { isUsable ? entries : [] }

    /// Whether this one may take the place of `known`: same kind and provider, and not older.
    public func mayReplace(_ known: TrustList) -> Bool {
        guard kind == known.kind, provider == known.provider else { return true }
        if let sequence, let earlier = known.sequence, sequence != earlier { return sequence > earlier }
        guard let issuedAt, let earlier = known.issuedAt else { return true }
        return issuedAt >= earlier
    }

    /// Whether bytes look like one of these lists.
    public static func recognises(_ bytes: [UInt8]) -> Bool {
        AuthorityList.recognises(bytes) || EntityList.recognises(bytes)
    }
}

/// Verifies lists by the authorities that are trusted for signing them.
public struct TrustListVerifier: Sendable {
    /// Roots of the signers of lists.
    public let roots: [Certificate]
    public let edition: Edition
    public let skew: Int64

    public init(roots: [Certificate], edition: Edition, skew: Int64 = 60) {
        self.roots = roots
        self.edition = edition
        self.skew = skew
    }

    /// - Parameter wanted: what the list is to be used for; nil: whatever it is for.
    /// - Throws: what keeps it from being any of the lists that are known.
    public func verify(_ bytes: [UInt8], for wanted: TrustRole? = nil, at time: Timestamp) throws(TrustListError) -> TrustList {
        if EntityList.recognises(bytes) { return try EntityList(bytes).verified(by: self, for: wanted, at: time) }
        return try AuthorityList(bytes).verified(by: self, at: time)
    }

    /// The chain of a signer; a certificate that is itself trusted for lists needs no other above it.
    func chain(_ x5chain: [[UInt8]], as profile: CertificateProfile, and others: [Certificate] = [], at time: Timestamp)
        -> SignerChain
    {
        SignerChain(x5chain, as: profile, anchors: roots + others, edition: edition, skew: skew, at: time)
    }

    func isPinned(_ x5chain: [[UInt8]], _ others: [Certificate] = []) -> Bool {
        x5chain.first.map { leaf in (roots + others).contains { $0.der == leaf } } ?? false
    }
}

/// Why bytes are no trust list.
public struct TrustListError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
