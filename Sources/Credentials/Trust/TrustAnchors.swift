public import Crypto

/// What an anchor is trusted for.
public enum TrustRole: String, Sendable, Hashable, CaseIterable {
    /// Issuers of documents: IACA roots.
    case documents
    /// Readers and verifiers.
    case readers
    /// Signers of VICALs and other trust lists.
    case lists
    /// Servers.
    case servers
    /// Signers of registration certificates (ETSI TS 119 475).
    case registrars
    /// Wallet providers: signers of wallet and key attestations.
    case wallets
}

/// A root certificate and what it is trusted for.
public struct TrustAnchor: Sendable, Hashable {
    public let certificate: Certificate
    public let role: TrustRole
    /// Document types that it may issue; nil: any.
    public let docTypes: Set<String>?
    /// Who says so: `home`, `command line`, or the list's name. Makes no difference to trust.
    public let source: String

    public init(_ certificate: Certificate, role: TrustRole, docTypes: Set<String>? = nil, source: String = "home") {
        self.source = source
        self.certificate = certificate
        self.role = role
        self.docTypes = docTypes
    }

    /// Whether it is trusted for documents of this type; nil: for some type.
    func covers(_ docType: String?) -> Bool {
        guard let docTypes, let docType else { return true }
        return docTypes.contains(docType)
    }
}

/// The anchors in use. A value: changing trust means another value, which differs in its fingerprint.
public struct TrustAnchors: Sendable, Hashable {
    public let anchors: [TrustAnchor]
    /// 32 bytes that differ between any two sets of anchors: tells remembered results that trust has changed.
    let fingerprint: [UInt8]

    public init(_ anchors: [TrustAnchor] = []) {
        self.anchors = anchors
        fingerprint = HashAlgorithm.sha256.digest(parts: anchors.flatMap(\.identity))
    }

    /// Trust in nobody.
    public static let none = TrustAnchors()

    public var isEmpty: Bool { anchors.isEmpty }

    public func adding(_ anchor: TrustAnchor) -> TrustAnchors { TrustAnchors(anchors + [anchor]) }

    /// Those that are trusted in `role` for other types than `docType` only.
    func restricted(_ role: TrustRole, _ docType: String?) -> [Certificate] {
        guard docType != nil else { return [] }
        return anchors.filter { $0.role == role && !$0.covers(docType) }.map(\.certificate)
    }

    /// Who vouches for `certificate` in `role`.
    public func source(of certificate: Certificate, for role: TrustRole, docType: String? = nil) -> String? {
        anchors.first { $0.role == role && $0.covers(docType) && $0.certificate == certificate }?.source
    }

    /// The certificates trusted in `role`, for documents of `docType` where one is given.
    public func certificates(for role: TrustRole, docType: String? = nil) -> [Certificate] {
        anchors.filter { $0.role == role && $0.covers(docType) }.map(\.certificate)
    }
}

extension TrustAnchor {
    /// Everything that makes two anchors differ, each part of fixed length.
    fileprivate var identity: [[UInt8]] {
        let types = docTypes.map { $0.sorted().joined(separator: "\n") } ?? "*"
        return [certificate.sha256, HashAlgorithm.sha256.digest([UInt8]("\(role.rawValue)\n\(types)".utf8))]
    }
}
