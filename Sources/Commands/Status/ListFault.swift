import Credentials

/// What `issuer mint` can make wrong with the status of a document, its list, or the CRL of its signer.
struct ListFault: Sendable, Hashable {
    let name: String
    /// What is wrong, for people.
    let summary: String
    /// Checks that may fail or warn along with those that the catalogue names.
    let also: [String]
    let kind: Kind

    enum Kind: Sendable, Hashable {
        /// The document's entry has this status, in a list of so many bits.
        case entry(UInt8, bits: Int)
        /// The reference in the document is wrong.
        case reference(IssuedStatuses.Kind)
        /// The list as signed is wrong.
        case list(StatusListMaker.Fault, IssuedStatuses.Kind)
        /// The entry of an identifier list.
        case identifier
        case revocationList(CRL)
        /// What `issuer restore` does against the rules.
        case unrevoke
        /// What `issuer serve` does in place of sending a list.
        case conduct(Conduct)
    }

    enum Conduct: String, Sendable, Hashable {
        case endless = "list-endless"
        case redirect = "list-redirect"
    }

    enum CRL: String, Sendable, Hashable {
        case revoked = "ds-revoked"
        case down = "crl-fetch"
        case issuer = "crl-issuer"
        case signature = "crl-signature"
        case current = "crl-current"
        case number = "crl-number"
        case profile = "crl-profile"
    }

    /// What every step that leaves the status open does to the rows that wait for it.
    private static let open = ["R28.status", "S15.status"]

    static let all: [ListFault] =
        [
            .init("revoked", "the document is revoked", also: [], .entry(1, bits: 1)),
            .init("suspended", "the document is suspended", also: ["R28.mdl-values", "S15.status"], .entry(2, bits: 2)),
            .init("status-bits-2", "the status list has 2 bits for each document", also: [], .entry(0, bits: 2)),
            .init(
                "status-reserved", "the document has the reserved status 0x0B", also: ["R28.mdl-values"] + open, .entry(11, bits: 4)
            ),
            .init("status-index-out", "the index is outside the list", also: open, .reference(.list)),
            .init("status-reference", "status_list has no idx", also: open, .reference(.list)),
            .init("identifier-info", "identifier_list has no id", also: open, .reference(.identifiers)),
            .init("identifier-revoked", "the document's identifier is in the identifier list", also: ["R28.status"], .identifier),
            .init("status-unrevoke", "a revoked document is valid again (issuer restore)", also: ["R31"], .unrevoke),
        ]
        + lists + revocationLists + [
            .init("list-endless", "the list does not end", also: open, .conduct(.endless)),
            .init("list-redirect", "the list's address sends to itself", also: open, .conduct(.redirect)),
        ]

    private static let lists: [ListFault] = StatusListMaker.Fault.allCases.map { fault in
        ListFault(
            fault.rawValue, fault.summary,
            also: open + (fault == .jwtForMdoc || fault == .cwt ? ["T10.form", "T10.type", "T11.typ", "S15.format"] : []),
            .list(fault, fault == .identifierClaim ? .identifiers : .list))
    }

    private static let revocationLists: [ListFault] = [
        .init("ds-revoked", "the document signer is revoked", also: [], .revocationList(.revoked)),
        .init("crl-fetch", "there is no CRL where the document signer says", also: [], .revocationList(.down)),
        .init(
            "crl-issuer", "the CRL is that of another authority", also: ["T40.signature", "T41.profile"], .revocationList(.issuer)),
        .init("crl-signature", "the signature of the CRL is broken", also: [], .revocationList(.signature)),
        .init("crl-current", "the CRL is out of date", also: [], .revocationList(.current)),
        .init("crl-number", "the number of the CRL is lower than before", also: [], .revocationList(.number)),
        .init("crl-profile", "the CRL has an extension too many", also: [], .revocationList(.profile)),
    ]

    private init(_ name: String, _ summary: String, also: [String], _ kind: Kind) {
        self.name = name
        self.summary = summary
        self.also = also
        self.kind = kind
    }

    static func named(_ name: String) -> ListFault? { all.first { $0.name == name } }

    /// The checks that it must trip.
    var checks: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }
}

extension StatusListMaker.Fault {
    fileprivate var summary: String {
        switch self {
        case .listDown: "the list is not where the document says"
        case .contentType: "the list is sent as application/octet-stream"
        case .jwtForMdoc: "the list of an mdoc is a JWT only"
        case .cwt: "the list of an SD-JWT VC is a CWT only"
        case .type: "typ of the list is another"
        case .shortType: "typ of the list has the short form"
        case .signature: "the signature of the list is broken"
        case .algorithm: "the list names a MAC as its algorithm"
        case .chain: "the list carries no certificate"
        case .signedByDocumentSigner: "the list is signed by the document signer"
        case .signerProfile: "the certificate of the list's signer breaks its profile"
        case .wrongSubject: "sub of the list is another URI"
        case .issuedLater: "the list was issued tomorrow"
        case .expired: "the list expired yesterday"
        case .noExpiry: "the list does not say when it expires"
        case .old: "the list is older than its ttl"
        case .bits: "the list has 3 bits for each document"
        case .zlib: "lst is not compressed"
        case .limit: "the list inflates to more than anybody reads"
        case .identifierClaim: "the identifier list lacks claim 65530"
        }
    }
}
