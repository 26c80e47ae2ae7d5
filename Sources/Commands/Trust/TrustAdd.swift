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
            no authority is refused, because nothing could be issued by it: --force takes it nevertheless.
            """,
        examples: [
            Example("walletbench trust add iaca.pem", "an issuer of documents of any type"),
            Example("walletbench trust add reader-ca.pem --role readers", "an authority of readers"),
        ],
        options: [
            .choice("role", TrustRole.allCases.map(\.rawValue), "What it is trusted for", default: TrustRole.documents.rawValue),
            .value("type", "DOCTYPE", "Trust it for documents of this type only", isRepeatable: true),
            .flag("force", "Take certificates that are no authorities"),
        ],
        arguments: [Argument("FILE", "PEM or DER; - reads stdin", kind: .file, isRepeatable: true)]
    ) { invocation in
        let role = invocation.string("role").flatMap(TrustRole.init) ?? .documents
        let types = invocation.strings("type")
        // A line each in the anchor's file.
        if let type = types.first(where: { $0.contains(where: \.isNewline) }) {
            throw CommandError.usage("--type \(type): a document type is one line")
        }
        let store = TrustStore(of: invocation.context.home)
        var certificates: [Certificate] = []
        for path in invocation.arguments {
            for certificate in try CertificateFile.certificates(path) {
                try check(certificate, path, role, invocation)
                certificates.append(certificate)
            }
        }
        let entries = try certificates.map {
            try store.add(TrustAnchor($0, role: role, docTypes: types.isEmpty ? nil : Set(types)))
        }
        let now = invocation.context.clock.now()
        invocation.console.answer(["added": .array(entries.map { .object($0.json(at: now)) })]) {
            entries.map { $0.text(at: now) }.joined(separator: "\n")
        }
        return .done
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
