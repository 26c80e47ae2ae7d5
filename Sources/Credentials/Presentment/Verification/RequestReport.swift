import Codec
public import Ports

/// What a holder found out about a request.
public struct RequestReport: Sendable {
    /// Who signed (a part of) the request.
    public struct Reader: Sendable, Hashable {
        /// The certificate's common name, else its whole subject.
        public let name: String
        /// Whether the signature verifies and its certificate leads to a trusted reader root, and is not revoked.
        public let isTrusted: Bool
        /// The chain of the signature.
        let chain: SignerChain?

        init(name: String, isTrusted: Bool, chain: SignerChain? = nil) {
            self.name = name
            self.isTrusted = isTrusted
            self.chain = chain
        }

        public static func == (a: Reader, b: Reader) -> Bool { a.name == b.name && a.isTrusted == b.isTrusted }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(isTrusted)
        }
    }

    /// One who signed, as far as revocation needs it.
    struct Signer: Sendable {
        let subject: String
        let chain: SignerChain
        /// The signature verifies.
        let isSigned: Bool
        /// The signature verifies and the chain is trusted.
        let isGenuine: Bool
        let policy: ReaderPolicy
    }

    public internal(set) var checks: CheckList
    /// The request, if it can be read.
    public internal(set) var request: DeviceRequest?
    /// The status of the DeviceResponse with which the holder has to refuse: 10, 11 or 12; nil when the request can be served.
    public internal(set) var responseStatus: UInt64?
    /// Who signed each docRequest, in their order; nil where nobody did.
    public internal(set) var readers: [Reader?] = []
    /// What the reader is registered for; nil until that was looked at.
    public var registration: RegistrationReport?
    /// Every reader whose chain was verified, for what lists say of it.
    var signers: [Signer] = []
    /// Whether the policy forbids to answer: it requires a trusted reader, and some docRequest is not of one.
    public internal(set) var isRefusedByPolicy = false

    /// The reader of the whole request, if it is one and the same.
    public var reader: Reader? {
        guard let first = readers.first, readers.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

extension RequestReport {
    static let subject = "request"

    /// Judges the registration certificates of the request (H10, T50 to T68): bound to the reader's certificate only where its
    /// signature verified.
    public func registration(by verifier: RegistrationVerifier, at time: Timestamp) -> RegistrationReport? {
        guard let request else { return nil }
        let items = request.docRequests.map(\.itemsRequest.value)
        let certificates = items.map { items in
            (try? items.requestInfo?.optional(RegistrationCertificate.requestInfoKey)).flatMap { try? $0?.bytes() }
        }
        let subjects = items.enumerated().map { place, items in
            let paths = items.nameSpaces.flatMap { nameSpace, elements in
                elements.map { [JSON.string(nameSpace), .string($0.identifier)] }
            }
            return RegistrationSubject(id: String(place), format: "mso_mdoc", types: [items.docType], paths: paths)
        }
        return verifier.verify(certificates, access: accessCertificate, asking: subjects, at: time)
    }

    private var accessCertificate: AccessCertificate {
        if let unreadable = signers.compactMap(\.chain.unreadable).first { return .unreadable("\(unreadable.error)") }
        return signers.first { $0.isSigned }?.chain.signer.map(AccessCertificate.certificate) ?? .absent
    }

    /// Takes the rows of a registration, and refuses where its policy does.
    public mutating func record(_ registration: RegistrationReport) {
        checks.append(contentsOf: registration.checks)
        self.registration = registration
        if !registration.isGranted { isRefusedByPolicy = true }
    }

    /// H8.revoked of one reader; one that is revoked is no longer trusted.
    mutating func record(_ result: RevocationResult, rows: CheckList, of signer: Signer) {
        let isBinding = signer.policy == .require
        var rows = rows
        if !isBinding { rows.soften { _ in true } }
        switch result {
        case .good: rows.pass("H8.revoked", signer.subject)
        case .revoked(let time, _):
            rows.violate(
                "H8.revoked", signer.subject, as: isBinding ? .fail : .warn, "reader certificate revoked at \(time.rfc3339)")
            distrust(signer)
        case .undetermined(let why): rows.notRun("H8.revoked", signer.subject, .undetermined(why))
        case .notPresent: rows.notRun("H8.revoked", signer.subject, .notPresent)
        case .needs(let id): rows.notRun("H8.revoked", signer.subject, .needs(id))
        }
        checks.replace(rows.checks, of: signer.subject)
    }

    private mutating func distrust(_ signer: Signer) {
        for place in readers.indices where readers[place]?.chain === signer.chain {
            readers[place] = readers[place].map { Reader(name: $0.name, isTrusted: false, chain: $0.chain) }
        }
        if signer.policy == .require { isRefusedByPolicy = true }
    }

    /// The checks that the holder's documents and rules add once they were held against the request (H6, H9, H12.satisfiable).
    public mutating func record(_ proposal: Proposal, policy: ReleasePolicy, request: PresentationRequest) {
        for (position, entry) in proposal.entries.enumerated() {
            let subject = "docRequest \(position)"
            checks.judge("H6", subject, entry.isHeld, [entry.request.docType])
        }
        let forbidden = policy.violations(in: request)
        checks.judge("H9", Self.subject, violations: forbidden.map { [$0.identifier] })
        if proposal.useCases.isEmpty {
            checks.notRun("H12.satisfiable", Self.subject, .notPresent)
        } else {
            checks.judge("H12.satisfiable", Self.subject, violations: proposal.unsatisfiedUseCases.map { [String($0)] })
        }
    }

    /// The holder's own conduct when it answers (H13, H14).
    ///
    /// - Parameters:
    ///   - response: the DeviceResponse about to be sent.
    ///   - consented: what the person agreed to, by document type.
    /// - Returns: whether it may leave: nothing goes without consent, nothing larger than the reader takes.
    public mutating func recordAnswer(_ response: [UInt8], consented: [DocType: [ElementReference]]) -> Bool {
        checkSize(response.count)
        let leaving = (try? DeviceResponse(decoding: response))?.documents ?? []
        let strangers = leaving.flatMap { document in
            document.elementReferences.filter { !(consented[document.docType] ?? []).contains($0) }
        }
        checks.judge("H14", Self.subject, violations: strangers.map { ["\($0.nameSpace)/\($0.identifier)"] })
        return strangers.isEmpty && checks.check("H13", Self.subject)?.outcome != .fail
    }

    private mutating func checkSize(_ size: Int) {
        let infos = request?.docRequests.compactMap { request -> DocRequestInfo? in
            request.itemsRequest.value.requestInfo.flatMap { try? DocRequestInfo($0) }
        }
        guard let most = infos?.compactMap(\.maximumResponseSize).min() else {
            return checks.notRun("H13", Self.subject, .notPresent)
        }
        checks.judge("H13", Self.subject, UInt64(size) <= most, [String(size), String(most)])
    }
}

extension Document {
    /// Every element in the document, whoever signed it.
    fileprivate var elementReferences: [ElementReference] {
        let issued = issuerSigned.nameSpaces.flatMap { nameSpace, items in
            items.map { ElementReference(nameSpace: nameSpace, identifier: $0.value.elementIdentifier) }
        }
        let signed = (deviceSigned?.nameSpaces.value.nameSpaces ?? []).flatMap { nameSpace, elements in
            elements.map { ElementReference(nameSpace: nameSpace, identifier: $0.identifier) }
        }
        return issued + signed
    }
}
