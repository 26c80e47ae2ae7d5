import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust add FILE`
enum TrustAdd {
    static let command = Command(
        name: "add", summary: "trust the root certificates in a file",
        discussion: """
            Every certificate of the files becomes an anchor of the home. One that breaks rules of an IACA is taken with a warning; one that is \
            no authority is refused, because nothing could be issued by it: --force takes it nevertheless. A VICAL, RICAL or \
            list of trusted entities is kept as a source: its authorities count as long as it verifies, for the documents it says. With \
            --trust NAME all goes into the preset of this name, which other commands use with --trust NAME in place of the home's anchors.
            """,
        examples: [
            Example("walletbench trust add iaca.pem", "an issuer of documents of any type"),
            Example("walletbench trust add reader-ca.pem --role readers", "an authority of readers"),
            Example("walletbench trust add https://lists.example/vical.cbor --trust test-event", "into a preset"),
        ],
        options: [
            .choice("role", TrustRole.allCases.map(\.rawValue), "What it is trusted for", default: TrustRole.documents.rawValue),
            .value("type", "DOCTYPE", "Trust it for documents of this type only", isRepeatable: true),
            .flag("force", "Take certificates that are no authorities"),
        ],
        arguments: [
            Argument(
                "FILE", "PEM, DER, VICAL, RICAL or list of trusted entities, or its URL; - reads stdin", kind: .file,
                isRepeatable: true)
        ]
    ) { invocation in
        let role = invocation.string("role").flatMap(TrustRole.init) ?? .documents
        let types = invocation.strings("type")
        // A line each in the anchor's file.
        if let type = types.first(where: { $0.contains(where: \.isNewline) }) {
            throw CommandError.usage("--type \(type): a document type is one line")
        }
        let store = invocation.context.trustStore
        var certificates: [Certificate] = []
        var lists: [JSONObject] = []
        for path in invocation.arguments {
            if let list = try await list(path, invocation) {
                lists.append(list)
                continue
            }
            for certificate in try CertificateFile.certificates(path) {
                try check(certificate, path, role, invocation)
                certificates.append(certificate)
            }
        }
        let entries = try certificates.map {
            try store.add(TrustAnchor($0, role: role, docTypes: types.isEmpty ? nil : Set(types)))
        }
        let now = invocation.context.clock.now()
        let kept = lists
        invocation.console.answer([
            "added": .array(entries.map { .object($0.json(at: now)) }), "lists": .array(kept.map { .object($0) }),
        ]) {
            let names = kept.map { list in
                let count = list["anchors"]?.intValue ?? 0
                return "\(list["name"]?.stringValue ?? "")  \(count) authorities, kept as \(list["id"]?.stringValue ?? "")"
            }
            return (entries.map { $0.text(at: now) } + names).joined(separator: "\n")
        }
        return .done
    }

    /// A trust list, from a file or its address: kept as it is, once it verifies by the roots with role `lists`.
    private static func list(_ path: String, _ invocation: Invocation) async throws -> JSONObject? {
        let context = invocation.context
        let isAddress = path.hasPrefix("https://") || path.hasPrefix("http://")
        guard isAddress || Files.exists(path) else { return nil }
        let bytes: [UInt8]
        if isAddress {
            let source = try StatusSetup.source(context)
            do throws(ResourceError) {
                bytes = try await source.fetch(path, accept: [], limit: 64 << 20).bytes
            } catch { throw CommandError.environment("\(error)", hint: "is the address right, and reachable from here?") }
        } else {
            bytes = try Files.read(path, limit: 64 << 20)
        }
        guard isAddress || TrustList.recognises(bytes) else { return nil }
        let roots = try context.trustStore.all().filter { $0.anchor.role == .lists }.map(\.anchor.certificate)
        let verifier = TrustListVerifier(roots: roots, edition: context.edition, skew: Int64(context.skew))
        let role = invocation.parsed.values["role"] == nil ? nil : invocation.string("role").flatMap(TrustRole.init)
        let list: TrustList
        do { list = try verifier.verify(bytes, for: role, at: context.clock.now()) } catch {
            throw CommandError.refused("\(path): \(error)")
        }
        if let failed = list.checks.checks.first(where: { $0.outcome == .fail }), !invocation.flag("force") {
            throw CommandError.refused(
                "\(path): \(list.name): \(failed.id) \(failed.reason ?? failed.name)",
                hint: roots.isEmpty
                    ? "trust its signer's root first: walletbench trust add ROOT --role lists" : "--force keeps it nevertheless")
        }
        // Fault cache-age: as if it had come from an address two days ago.
        let isStale = context.faults.contains { $0.name == TrustListFault.cacheAge.name }
        let name = try context.trustSources.keep(
            bytes, as: list, uri: isAddress ? path : isStale ? "https://lists.utopia.example/list" : nil, role: role,
            verifier: verifier, at: isStale ? context.clock.now().adding(days: -2) : context.clock.now())
        return [
            "id": .string(name), "name": .string(list.name), "anchors": .integer(Int64(list.entries.count)),
            "nextUpdate": list.nextUpdate.map { .string($0.rfc3339) } ?? .null,
        ]
    }

    private static func check(
        _ certificate: Certificate, _ path: String, _ role: TrustRole, _ invocation: Invocation
    ) throws(CommandError) {
        let isAuthority = certificate.version < 3 || certificate.basicConstraints?.isCA ?? false
        guard isAuthority || invocation.flag("force") else {
            throw .refused(
                "\(path): \"\(certificate.subject)\" is no certificate for role \(role.rawValue): it is no authority",
                hint: "add the root that issued it, or --force")
        }
        guard role == .documents else { return }
        for finding in CertificateProfile.iaca.lint(certificate, issuer: nil, edition: invocation.context.edition) {
            invocation.console.talk("warning: \(path): \(finding)")
        }
    }
}
