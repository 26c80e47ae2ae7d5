import Codec
import Credentials
import Crypto
import Ports

/// The status with which `issuer mint` issues: none, or an entry in a list of the home.
struct MintStatus: Sendable {
    private let context: Context
    private let kind: IssuedStatuses.Kind
    private let bits: Int
    private let base: String
    private let fault: ListFault?
    private let isSDJWT: Bool
    /// Whether documents get a status at all.
    let isWanted: Bool

    static let options: [Option] = [
        .flag("status", "Issue with a status that `issuer revoke`, `suspend` and `restore` change"),
        .choice(
            "status-kind", ["list", "identifiers"], "With --status: a Token Status List, or an identifier list (mdoc only)",
            default: "list"),
        .choice("status-bits", ["1", "2", "4", "8"], "With --status: bits of one entry; 1 cannot be suspended", default: "1"),
        .value(
            "status-url", "URL", "With --status: where lists are served; a list's own name follows",
            default: "https://status.utopia.example/status"),
    ]

    init(_ invocation: Invocation, fault: ListFault?) throws(CommandError) {
        context = invocation.context
        self.fault = fault
        isSDJWT = invocation.string("format") != "mso_mdoc"
        var kind = invocation.string("status-kind").flatMap(IssuedStatuses.Kind.init) ?? .list
        var bits = invocation.integer("status-bits") ?? 1
        var isWanted = invocation.flag("status")
        switch fault?.kind {
        case .entry(_, let wanted)?: (kind, bits, isWanted) = (.list, wanted, true)
        case .reference(let wanted)?, .list(_, let wanted)?: (kind, isWanted) = (wanted, true)
        case .identifier?: (kind, isWanted) = (.identifiers, true)
        case .conduct?:
            throw .usage("--fault \(fault?.name ?? ""): a fault of who serves lists", hint: "issuer serve has it")
        case .unrevoke?:
            throw .usage("--fault status-unrevoke is a fault of `issuer restore`", hint: "revoke a document first, then restore it")
        case .revocationList?, nil: break
        }
        if kind == .identifiers, invocation.string("format") != "mso_mdoc" {
            throw .usage("--status-kind identifiers: SD-JWT VCs have status lists only")
        }
        if isWanted, invocation.string("signer") != nil {
            throw .usage(
                "--status needs the home's own signer", hint: "leave --signer out: the list's signer stands under the same root")
        }
        (self.kind, self.bits, self.isWanted) = (kind, bits, isWanted)
        base = invocation.string("status-url") ?? ""
    }

    /// What was entered for one document: one reference for each copy.
    struct Issued {
        let entry: IssuedStatuses.Entry
        let references: [StatusReference]
    }

    /// Enters a document of `copies` copies, and signs the list.
    func issue(type: String, copies: Int) async throws(CommandError) -> Issued? {
        guard isWanted else { return nil }
        var publisher = try StatusPublisher(context, fault: fault)
        publisher.form = isSDJWT ? .jwt : .cwt
        let wanted = publisher
        let (kind, bits, base, context) = (kind, bits, base, context)
        let status = initial
        do {
            return try await IssuedStatuses.changing(context.home) { statuses in
                let (entry, list) = try statuses.add(
                    type: type, copies: copies, kind: kind, bits: bits, base: base, status: status, at: context.clock.now(),
                    random: context.random)
                _ = try await wanted.publish(statuses) { $0.id == list.id }
                return Issued(entry: entry, references: references(entry, list))
            }
        } catch { throw error as? CommandError ?? .environment("\(error)") }
    }

    private var initial: UInt8 {
        switch fault?.kind {
        case .entry(let status, _)?: status
        case .identifier?: 1
        default: 0
        }
    }

    private func references(_ entry: IssuedStatuses.Entry, _ list: IssuedStatuses.List) -> [StatusReference] {
        guard fault?.name == "status-index-out" else { return entry.references(in: list) }
        return entry.indices.map { _ in StatusReference(.index(list.size + 5), uri: list.uri) }
    }

    /// The `status` of an MSO.
    func cbor(_ reference: StatusReference) -> CBOR {
        switch fault?.name {
        case "status-reference": .map([(.text("status_list"), .map([(.text("uri"), .text(reference.uri))]))])
        case "identifier-info": .map([(.text("identifier_list"), .map([(.text("uri"), .text(reference.uri))]))])
        default: reference.cbor
        }
    }

    /// The `status` of an SD-JWT VC.
    func json(_ reference: StatusReference) -> JSON? {
        fault?.name == "status-reference" ? ["status_list": ["uri": .string(reference.uri)]] : reference.json
    }

    /// Writes the CRL that a fault is about.
    func publishRevocations(of signer: Certificate) throws(CommandError) {
        guard case .revocationList(let fault)? = fault?.kind else { return }
        try StatusPublisher(context).publishRevocations(fault, signer: signer)
    }
}
