import Codec
import Credentials
import OpenID
import Proximity

/// `walletbench faults`
enum FaultsCommands {
    static let table: [Command] = [
        Command(
            name: "faults", summary: "list what can be made wrong on purpose",
            discussion: """
                Each fault is switched on with --fault NAME in the role that makes the mistake, and must trip the checks named here in the role \
                that sees it.
                """,
            examples: [
                Example("walletbench faults"), Example("walletbench faults counter-reused", "one of them"),
                Example("walletbench reader read --qr engagement.png --fault request-bitflip", "a reader that makes a mistake"),
            ],
            arguments: [Argument("NAME", "Only this one", isRequired: false)],
            run: run)
    ]

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        var faults = NamedFault.all
        if let name = invocation.arguments.first {
            let wanted = FaultName(name).name
            faults = faults.filter { FaultName($0.name).name == wanted }
            guard !faults.isEmpty else { throw unknown(wanted) }
        }
        invocation.console.answer(["faults": .array(faults.map { .object($0.json) })]) {
            faults.map(\.text).joined(separator: "\n")
        }
        return .done
    }

    private static func unknown(_ name: String) -> CommandError {
        let near = Suggestion.nearest(to: name, among: NamedFault.all.map(\.name)).map { "did you mean '\($0)'? " } ?? ""
        return .refused("no fault is called \(name)", hint: "\(near)walletbench faults lists all")
    }
}

/// One row of `faults`.
struct NamedFault: Sendable {
    let name: String
    let roles: [String]
    let summary: String
    let checks: [String]
    /// Other checks that may fail or warn along with them.
    let also: [String]

    /// All, by name.
    static let all = [
        content, signers, statuses, lists, registrations, readers, requests, sessions, openIDRequests, openIDResponses, issuance,
    ].joined().sorted { $0.name < $1.name }

    private static let content = ContentFault.all.map { fault in
        NamedFault(
            name: fault.name, roles: fault.senders.map(\.rawValue).sorted(), summary: fault.summary, checks: fault.trips,
            also: fault.also)
    }

    private static let signers = SignerFault.all.map { fault in
        let name = FaultName(fault.name).name
        return NamedFault(
            name: fault.name, roles: ["issuer"], summary: fault.summary,
            checks: CheckCatalogue.rows.filter { row in row.faults.contains { FaultName($0).name == name } }.map(\.id),
            also: fault.also)
    }

    private static let statuses = ListFault.all.map { fault in
        NamedFault(name: fault.name, roles: ["issuer"], summary: fault.summary, checks: fault.checks, also: fault.also)
    }

    private static let lists = TrustListFault.all.map { fault in
        NamedFault(name: fault.name, roles: ["trust"], summary: fault.summary, checks: fault.checks, also: fault.also)
    }

    private static let registrations = RegistrationFault.all.map { fault in
        NamedFault(
            name: fault.name, roles: fault.roles.map(\.rawValue), summary: fault.summary, checks: fault.checks, also: fault.also)
    }

    private static let readers = ReaderCertificateFault.all.map { fault in
        let name = FaultName(fault.name).name
        return NamedFault(
            name: fault.name, roles: ["reader"], summary: fault.summary,
            checks: CheckCatalogue.rows.filter { row in row.faults.contains { FaultName($0).name == name } }.map(\.id),
            also: fault == .unknownCritical ? ["H8.*"] : [])
    }

    private static let openIDRequests = VPRequestFault.all.map { fault in
        NamedFault(name: fault.name, roles: ["verifier"], summary: fault.summary, checks: fault.trips, also: fault.also)
    }

    private static let openIDResponses = VPResponseFault.all.map { fault in
        NamedFault(name: fault.name, roles: ["holder"], summary: fault.summary, checks: fault.trips, also: fault.also)
    }

    private static let requests = RequestFaults.Fault.allCases.map { fault in
        NamedFault(name: fault.rawValue, roles: ["reader"], summary: fault.summary, checks: fault.trips, also: fault.also)
    }

    private static let sessions = SessionFault.allCases.map { fault in
        NamedFault(
            name: fault.rawValue, roles: fault.roles.map { $0 == .mdoc ? "holder" : "reader" }.sorted(), summary: fault.summary,
            checks: CheckCatalogue.rows.filter { row in
                row.faults.contains { FaultName($0).name == fault.rawValue }
            }.map(\.id), also: fault.also)
    }

    private static let issuance = IssuanceFault.all.map { fault in
        NamedFault(name: fault.name, roles: [fault.side.rawValue], summary: fault.summary, checks: fault.trips, also: fault.also)
    }

    var json: JSONObject {
        [
            "name": .string(name), "roles": .array(roles.map { .string($0) }), "summary": .string(summary),
            "checks": .array(checks.map { .string($0) }), "also": .array(also.map { .string($0) }),
        ]
    }

    var text: String {
        let others = also.isEmpty ? "" : ", may also trip \(also.joined(separator: ", "))"
        return "\(name)\n    \(roles.joined(separator: ", ")): \(summary)\n    trips \(checks.joined(separator: ", "))\(others)"
    }
}
