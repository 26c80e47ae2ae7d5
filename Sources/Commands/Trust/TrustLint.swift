import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust lint FILE`
enum TrustLint {
    static let command = Command(
        name: "lint", summary: "hold certificates and CRLs against the profiles of ISO/IEC 18013-5",
        discussion: """
            Checks every certificate and CRL of the files, rule by rule, with the clause of each rule. Without --profile the profile is guessed \
            by extended key usage and basic constraints. Rules about the issuer look for it in the files, in those of --issuer, in the folder of \
            the file, and among the anchors of the home. Ends 1 when a rule of level fail is broken.
            """,
        examples: [
            Example("walletbench trust lint ds.pem", "every rule of the profile that it seems to be of"),
            Example("walletbench trust lint chain.pem --profile ds --json", "with rules that hold and rules not looked at"),
        ],
        options: [
            .choice(
                "profile", CertificateProfile.allCases.map(\.rawValue) + ["crl"],
                "The profile of the certificates, instead of a guess; crl: there are only CRLs"),
            .file("issuer", "CERT", "Certificates to look for issuers in", isRepeatable: true),
            .flag("all", "List the rules that hold, too"),
        ],
        arguments: [Argument("FILE", "PEM (any number of blocks) or DER; - reads stdin", kind: .file, isRepeatable: true)]
    ) { invocation in
        var reports: [LintReport] = []
        for path in invocation.arguments { reports += try lint(path, invocation) }
        let isPass = reports.allSatisfy(\.isPass)
        invocation.console.answer([
            "verdict": isPass ? "pass" : "fail", "edition": .integer(Int64(invocation.context.edition.rawValue)),
            "findings": .array(reports.flatMap(\.result.findings).map { .object($0.json) }),
            "items": .array(reports.map { .object($0.json) }),
        ]) {
            reports.map { $0.text(listsAll: invocation.flag("all"), console: invocation.console) }.joined(separator: "\n")
        }
        return isPass ? .done : .refused
    }

    private static func lint(_ path: String, _ invocation: Invocation) throws(CommandError) -> [LintReport] {
        let items = try CertificateFile.items(path)
        if invocation.string("profile") == "crl", !certificates(items).isEmpty {
            throw .usage("--profile crl: \(path) holds a certificate", hint: "leave --profile out, or name a certificate profile")
        }
        let candidates = try certificates(items) + issuers(invocation) + neighbours(of: path) + anchors(invocation)
        return items.enumerated().map { place, item in
            let name = items.count > 1 ? "\(path) [\(place)]" : path
            switch item {
            case .certificate(let certificate): return report(certificate, name, candidates, invocation)
            case .list(let list): return report(list, name, candidates, invocation)
            case .unreadable(let error): return unreadable(error, name, invocation)
            }
        }
    }

    private static func report(
        _ certificate: Certificate, _ name: String, _ candidates: [Certificate], _ invocation: Invocation
    ) -> LintReport {
        let given = invocation.string("profile").flatMap(CertificateProfile.init)
        let profile = given ?? CertificateProfile(guessedFor: certificate)
        let context = LintContext(of: certificate, among: candidates, edition: invocation.context.edition)
        return LintReport(
            name: name, subject: certificate.subject.description, sha256: certificate.sha256, profile: profile.rawValue,
            isGuessed: given == nil, issuer: context.issuer,
            isSigned: context.issuer.flatMap { issuer in
                // Nobody knows how to check a signature by a key of an unknown kind.
                (try? issuer.publicKey()) == nil ? nil : certificate.isSigned(by: issuer)
            }, result: profile.lint(certificate, in: context))
    }

    private static func report(
        _ list: CertificateRevocationList, _ name: String, _ candidates: [Certificate], _ invocation: Invocation
    ) -> LintReport {
        let authorities = candidates.filter { $0.basicConstraints?.isCA ?? false }
        let wanted = list.authorityKeyIdentifier?.keyIdentifier
        let issuer =
            authorities.first { list.isSigned(by: $0) } ?? authorities.first { $0.subject == list.issuer }
            ?? authorities.first { wanted != nil && $0.subjectKeyIdentifier == wanted }
        return LintReport(
            name: name, subject: "CRL of \(list.issuer)", sha256: HashAlgorithm.sha256.digest(list.der), profile: "crl",
            isGuessed: false, issuer: issuer, isSigned: issuer.map { list.isSigned(by: $0) },
            result: RevocationListProfile.lint(
                list, issuer: issuer, at: invocation.context.clock.now(), edition: invocation.context.edition))
    }

    private static func unreadable(_ error: CertificateError, _ name: String, _ invocation: Invocation) -> LintReport {
        let profile = invocation.string("profile") ?? "certificate"
        return LintReport(
            name: name, subject: "unreadable", sha256: nil, profile: profile, isGuessed: false, issuer: nil, isSigned: nil,
            result: LintResult(unreadableAs: profile, because: error))
    }

    private static func certificates(_ items: [CertificateFile.Item]) -> [Certificate] {
        items.compactMap { if case .certificate(let certificate) = $0 { certificate } else { nil } }
    }

    private static func issuers(_ invocation: Invocation) throws(CommandError) -> [Certificate] {
        var certificates: [Certificate] = []
        for path in invocation.strings("issuer") { certificates += try CertificateFile.certificates(path) }
        return certificates
    }

    /// Certificates in the file's folder. What is there and cannot be read is nobody's issuer.
    private static func neighbours(of path: String) -> [Certificate] {
        guard path != "-", Files.exists(path) else { return [] }
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        let names = ((try? Files.list(folder.isEmpty ? "/" : folder)) ?? []).filter { name in
            [".pem", ".crt", ".cer"].contains { name.hasSuffix($0) } && !name.hasSuffix(".key.pem")
        }
        return names.prefix(200).flatMap { (try? CertificateFile.certificates("\(folder)/\($0)")) ?? [] }
    }

    private static func anchors(_ invocation: Invocation) throws(CommandError) -> [Certificate] {
        try invocation.context.trustStore.all().map(\.anchor.certificate)
    }
}
