/// What a holder or an issuer makes wrong on purpose, by name: each fault is data and one small change, and the checks that it must
/// trip are those of the catalogue that name it.
public struct Tampering: Sendable {
    /// The faults in force, in the order given.
    public let faults: [ContentFault]

    /// Nothing wrong.
    public static let none = Tampering(faults: [])

    private init(faults: [ContentFault]) {
        self.faults = faults
    }

    /// - Throws: when there is no content fault of that name.
    public init(named names: [String]) throws(TamperingError) {
        var faults: [ContentFault] = []
        for name in names {
            guard let fault = ContentFault.named(name) else { throw .unknown(name) }
            faults.append(fault)
        }
        self.init(faults: faults)
    }

    /// For marking outputs.
    public var names: [String] { faults.map(\.name) }

    /// Whether a fault is in force.
    public func contains(_ name: String) -> Bool { faults.contains { $0.name == name } }

    func spoil(_ draft: inout MintDraft) throws(TamperingError) {
        for fault in faults {
            if case .mint(let change)? = fault.mintChange { try fault.applying { try change(&draft) } }
        }
    }

    func spoil(_ draft: inout DocumentDraft) throws(TamperingError) {
        for fault in faults {
            if case .document(let change)? = fault.documentChange { try fault.applying { try change(&draft) } }
        }
    }

    func spoil(_ draft: inout ResponseDraft) throws(TamperingError) {
        for fault in faults {
            if case .response(let change)? = fault.responseChange { try fault.applying { try change(&draft) } }
        }
    }

    func spoil(_ draft: inout SDJWTMintDraft) throws(TamperingError) {
        for fault in faults {
            for case .credential(let change) in fault.changes { try fault.applying { try change(&draft) } }
        }
    }

    func spoil(_ draft: inout TokenDraft) throws(TamperingError) {
        for fault in faults {
            for case .token(let change) in fault.changes { try fault.applying { try change(&draft) } }
        }
    }

    func spoil(_ draft: inout TokenSetDraft) throws(TamperingError) {
        for fault in faults {
            for case .tokens(let change) in fault.changes { try fault.applying { try change(&draft) } }
        }
    }
}

/// Something wrong with the content of a document or a response.
public struct ContentFault: Sendable, Identifiable {
    /// Who can bring it about.
    public enum Sender: String, Sendable, Hashable, CaseIterable { case issuer, holder }

    enum Change: Sendable {
        case mint(@Sendable (inout MintDraft) throws -> Void)
        case document(@Sendable (inout DocumentDraft) throws -> Void)
        case response(@Sendable (inout ResponseDraft) throws -> Void)
        /// An SD-JWT VC before it is signed.
        case credential(@Sendable (inout SDJWTMintDraft) throws -> Void)
        /// An SD-JWT VC before it is presented.
        case token(@Sendable (inout TokenDraft) throws -> Void)
        /// A `vp_token` before it is sent.
        case tokens(@Sendable (inout TokenSetDraft) throws -> Void)
        /// Nothing in the bytes: the holder behaves as the name says.
        case conduct
    }

    /// The name on the command line: "digest-wrong".
    public let name: String
    /// What it does, for people.
    public let summary: String
    /// Checks that may fail or warn along with those it must trip.
    public let also: [String]
    let changes: [Change]

    init(_ name: String, _ summary: String, also: [String] = [], _ changes: Change...) {
        self.name = name
        self.summary = summary
        self.also = also
        self.changes = changes
    }

    /// The name.
    public var id: String { name }

    /// The formats in which an issuer can bring it about: `mso_mdoc`, `dc+sd-jwt`.
    public var issuedFormats: Set<String> {
        Set(
            changes.compactMap { change in
                switch change {
                case .mint: "mso_mdoc"
                case .credential: SDJWTVC.mediaType
                default: nil
                }
            })
    }

    /// The ids of the checks that it must trip.
    public var trips: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }

    /// Who can bring it about.
    public var senders: Set<Sender> {
        Set(
            changes.map { change in
                switch change {
                case .mint, .credential: Sender.issuer
                default: Sender.holder
                }
            })
    }

    /// Every content fault.
    public static let all = issuerFaults + holderFaults + credentialFaults + tokenFaults

    /// The content fault of this name.
    public static func named(_ name: String) -> ContentFault? { all.first { $0.name == name } }

    fileprivate func applying(_ change: () throws -> Void) throws(TamperingError) {
        do { try change() } catch let error as TamperingError { throw error } catch {
            throw .needs("something else: \(error)", fault: name)
        }
    }

    fileprivate var mintChange: Change? { changes.first { if case .mint = $0 { true } else { false } } }
    fileprivate var documentChange: Change? { changes.first { if case .document = $0 { true } else { false } } }
    fileprivate var responseChange: Change? { changes.first { if case .response = $0 { true } else { false } } }
}

/// Why a fault cannot be brought about.
public enum TamperingError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknown(String)
    /// The document or session lacks what the fault needs; says what.
    case needs(String, fault: String)

    public var description: String {
        switch self {
        case .unknown(let name): "no content fault is called \(name)"
        case .needs(let what, let fault): "fault \(fault) needs \(what)"
        }
    }
}
