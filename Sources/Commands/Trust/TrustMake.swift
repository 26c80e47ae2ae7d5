import Codec
import Credentials
import Crypto
import Ports

/// `walletbench trust make PROFILE`
enum TrustMake {
    static let command = Command(
        name: "make", summary: "make a test certificate, good or with one rule broken",
        discussion: """
            Makes key and certificate of a profile of ISO/IEC 18013-5 Annex B, and the authorities that it needs where the folder has none yet. \
            The subject says TEST. --break breaks one rule of the profile and no other: `trust lint` reports exactly that one. Writes \
            PROFILE.pem, PROFILE.der and PROFILE.key.pem. \
            vical, rical and lote are lists over the folder's authorities, with the signer that they need: vical.cbor, rical.cbor, \
            lote-TYPE.jwt.
            """,
        examples: [
            Example("walletbench trust make ds --out pki", "a document signer, with the IACA that issues it"),
            Example("walletbench trust make ds --out pki --break key-usage", "one whose key may do too much"),
            Example("walletbench trust make iaca --rules", "the rules that can be broken"),
            Example(
                "walletbench trust make tls --name 192.168.1.20", "a TLS server on the local network, under a root for its clients"),
        ],
        options: [
            .value("break", "RULE", "Break this rule: its name, with or without the profile"),
            .flag("rules", "List the rules of the profile, make nothing"),
            .value("out", "DIR", "The folder to write to, by default trust/made in the home", kind: .directory),
            .choice(
                "curve", Curve.allCases.filter(\.canSign).map(\.rawValue), "The curve of the new key", default: Curve.p256.rawValue),
            .value("country", "CC", "Country of the subjects", default: "UT"),
            .value("state", "ST", "State or province of the subjects", default: "UT-U"),
            .value("organization", "NAME", "Organization of the subjects, and start of their common names", default: "Utopia"),
            .choice(
                "type", ["pid", "pub-eaa", "mdl", "wrpac", "wrprc", "wallet"], "For lote: whom the list is about", default: "pid"),
            .value("doctype", "DOCTYPE", "For vical: what the IACA may issue", isRepeatable: true),
            .value("purpose", "TEXT", "For wrprc: what the relying party says it is for"),
            .file(
                "credentials", "FILE", "For wrprc: what it is registered to ask for, as JSON: [{\"format\", \"meta\", \"claim\"}]"),
            .file("provides", "FILE", "For wrprc: what it is registered to issue, in the same form"),
            .value("pointer", "URL", "For lote: where another list is", isRepeatable: true),
            .value("location", "URL", "For lote: where it is published, by which etsi_tl in DCQL knows it", isRepeatable: true),
            .value(
                "name", "NAME",
                "For tls: a name or address of the server, instead of localhost and 127.0.0.1; for wrpac: a name of the verifier",
                isRepeatable: true),
            .file("revoke", "CERT", "For crl: revoke these certificates", isRepeatable: true),
            .choice(
                "issuer", TestCertificates.Authority.allCases.map(\.rawValue), "For crl: whose certificates it is about",
                default: "iaca"),
            .integer("number", "N", "For crl and lists: its number", in: 0...Int.max, default: 1),
        ],
        arguments: [
            Argument("PROFILE", "What to make", kind: .choice(TestCertificates.Product.allCases.map(\.rawValue)))
        ]
    ) { invocation in
        guard let product = TestCertificates.Product(rawValue: invocation.argument) else {
            throw CommandError.usage("profile \(invocation.argument) is not known")
        }
        if invocation.flag("rules") { return list(product, invocation) }
        let rule = try rule(product, invocation)
        var makers = try makers(invocation)
        do {
            if product == .wrprc { return try await makeRegistration(&makers, invocation) }
            if product.isList { return try await makeList(product, rule, &makers, invocation) }
            let made = try makers.make(
                product, breaking: rule, revoking: try revoked(invocation),
                of: invocation.string("issuer").flatMap(TestCertificates.Authority.init) ?? .iaca,
                number: invocation.integer("number") ?? 1)
            show(made, product, rule, makers.written, invocation)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError.refused("\(invocation.argument): \(error)", hint: "--rules lists what can be broken")
        }
        return .done
    }

    /// A registration certificate for the folder's access certificate, in both forms.
    private static func makeRegistration(_ makers: inout TestCertificates, _ invocation: Invocation) async throws -> ExitCode {
        var order = TestCertificates.RegistrationOrder()
        if let name = invocation.context.faults.first {
            guard let fault = RegistrationFault(name.name), invocation.context.faults.count == 1 else {
                throw CommandError.usage(
                    "--fault \(name.text): trust make has no such fault", hint: "walletbench faults lists them")
            }
            order.fault = fault
        }
        if let purpose = invocation.string("purpose") { order.entry.purpose = purpose }
        if let path = invocation.string("credentials") {
            order.entry.credentials = try InputReader.read(path).json(as: "a list of registered credentials")
        }
        if let path = invocation.string("provides") {
            order.entry.provides = try InputReader.read(path).json(as: "a list of provided attestations")
            order.entry.entitlements.append("https://uri.etsi.org/19475/Entitlement/Non_Q_EAA_Provider")
        }
        if try makers.folder.identity("wrpac") == nil { _ = try makers.makeAccessCertificate() }
        let made = try await makers.makeRegistration(order)
        try makers.folder.write(made.jwt, to: "wrprc.jwt")
        try makers.folder.write(made.cwt, to: "wrprc.cwt")
        let written = makers.written + [makers.folder.file("wrprc.jwt"), makers.folder.file("wrprc.cwt")]
        invocation.console.answer([
            "profile": "wrprc", "path": .string(makers.folder.file("wrprc.jwt")), "name": .string(order.entry.name),
            "identifier": .string(order.entry.identifier), "written": .array(written.map { .string($0) }),
        ]) {
            (["\(order.entry.name), \(order.entry.identifier): \(order.entry.purpose)"] + written.map { "  \($0)" }).joined(
                separator: "\n")
        }
        return .done
    }

    private static func makeList(
        _ product: TestCertificates.Product, _ rule: String?, _ makers: inout TestCertificates, _ invocation: Invocation
    ) async throws -> ExitCode {
        var order = TestCertificates.ListOrder()
        let types = [
            "pid": "EUPIDProvidersList", "pub-eaa": "EUPubEAAProvidersList", "mdl": "EUmDLProvidersList",
            "wrpac": "EUWRPACProvidersList", "wrprc": "EUWRPRCProvidersList", "wallet": "EUWalletProvidersList",
        ]
        order.type = types[invocation.string("type") ?? "pid"] ?? order.type
        if !invocation.strings("doctype").isEmpty { order.docTypes = invocation.strings("doctype") }
        order.pointers = invocation.strings("pointer")
        order.locations = invocation.strings("location")
        order.sequence = invocation.integer("number") ?? 1
        if let name = invocation.context.faults.first {
            guard let fault = TrustListFault(name.name), invocation.context.faults.count == 1 else {
                throw CommandError.usage(
                    "--fault \(name.text): trust make has no such fault", hint: "walletbench faults lists them")
            }
            order.fault = fault
        }
        let made = try await makers.makeList(product, breaking: rule, order)
        invocation.console.answer([
            "profile": .string(product.rawValue), "path": .string(made.path), "bytes": .integer(Int64(made.bytes)),
            "signer": .object(made.signer.summaryJSON), "written": .array((makers.written + [made.path]).map { .string($0) }),
        ]) {
            ([made.path, "signed by \(made.signer.subject)"] + makers.written.map { "  \($0)" }).joined(separator: "\n")
        }
        return .done
    }

    private static func makers(_ invocation: Invocation) throws(CommandError) -> TestCertificates {
        let context = invocation.context
        let country = invocation.string("country") ?? "UT"
        guard country.utf8.count == 2, country.utf8.allSatisfy({ 0x41...0x5A ~= $0 }) else {
            throw .usage("--country \(country): two upper-case letters are needed")
        }
        let maker = CertificateMaker(
            at: context.clock.now(), random: context.random, edition: context.edition, country: country,
            state: invocation.string("state") ?? "UT-U", organization: invocation.string("organization") ?? "Utopia")
        let home = CertificateFolder(of: context.home)
        let folder = invocation.string("out").map(CertificateFolder.init(path:)) ?? home
        let curve = invocation.string("curve").flatMap(Curve.init) ?? .p256
        guard curve.isWeierstrass || mayHaveEdwardsKey.contains(invocation.argument) else {
            throw .usage(
                "--curve \(curve.rawValue): only document signers and readers may have such a key",
                hint: "choose a NIST or Brainpool curve")
        }
        var certificates = TestCertificates(maker: maker, folder: folder, fallback: home, curve: curve)
        certificates.serverNames = try serverNames(invocation)
        return certificates
    }

    private static func serverNames(_ invocation: Invocation) throws(CommandError) -> [GeneralName] {
        let names = invocation.strings("name")
        let named = [TestCertificates.Product.tls, .wrpac].map(\.rawValue)
        guard names.isEmpty || named.contains(invocation.argument) else {
            throw .usage("--name is for tls and wrpac, and not for \(invocation.argument)")
        }
        var serverNames: [GeneralName] = []
        for name in names {
            if let address = NetworkAddress.bytes(name) {
                serverNames.append(.ipAddress(address))
            } else if name.utf8.allSatisfy({ isNameByte($0) }), !name.isEmpty, !name.hasPrefix("."), name.utf8.count <= 253 {
                serverNames.append(.dns(name.lowercased()))
            } else {
                throw .usage("--name \(name): neither a host name nor an address", hint: "wallet.example, 192.168.1.20 or fd00::1")
            }
        }
        return serverNames
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E || byte == 0x2A
    }

    private static let mayHaveEdwardsKey = [TestCertificates.Product.ds, .reader, .tls].map(\.rawValue)

    private static func rules(_ product: TestCertificates.Product, _ edition: Edition) -> [String] {
        product == .crl ? RevocationListProfile.rules : product.profile?.rules(in: edition) ?? []
    }

    /// The rule to break, without its profile.
    private static func rule(_ product: TestCertificates.Product, _ invocation: Invocation) throws(CommandError) -> String? {
        guard let given = invocation.string("break") else { return nil }
        let prefix = "\(product.profile?.rawValue ?? product.rawValue)."
        let rule = given.hasPrefix(prefix) ? String(given.dropFirst(prefix.count)) : given
        guard rules(product, invocation.context.edition).contains(rule) else {
            throw .usage(
                "--break \(given): \(product.rawValue) has no such rule in edition \(invocation.context.edition.rawValue)",
                hint: "walletbench trust make \(product.rawValue) --rules")
        }
        return rule
    }

    private static func revoked(_ invocation: Invocation) throws(CommandError) -> [Certificate] {
        var certificates: [Certificate] = []
        for path in invocation.strings("revoke") { certificates += try CertificateFile.certificates(path) }
        return certificates
    }

    private static func list(_ product: TestCertificates.Product, _ invocation: Invocation) -> ExitCode {
        let rules = rules(product, invocation.context.edition)
        invocation.console.answer([
            "profile": .string(product.rawValue), "edition": .integer(Int64(invocation.context.edition.rawValue)),
            "rules": .array(rules.map { .string($0) }),
        ]) { rules.joined(separator: "\n") }
        return .done
    }

    private static func show(
        _ made: TestCertificates.Made, _ product: TestCertificates.Product, _ rule: String?, _ written: [String],
        _ invocation: Invocation
    ) {
        let id = rule.map { "\(product.profile?.rawValue ?? product.rawValue).\($0)" }
        var answer: JSONObject = [
            "profile": .string(product.rawValue), "broken": id.map { .string($0) } ?? .null, "path": .string(made.path),
            "key": made.keyPath.map { .string($0) } ?? .null, "written": .array(written.map { .string($0) }),
        ]
        if let issuer = made.issuer { answer.append("issuer", .object(issuer.summaryJSON)) }
        var subject = "CRL"
        if case .certificate(let certificate) = made.item {
            subject = certificate.subject.description
            answer.append("certificate", .object(certificate.summaryJSON))
        }
        invocation.console.answer(answer) {
            (["\(subject)\(id.map { ", rule \($0) broken" } ?? "")"] + written.map { "  \($0)" }).joined(separator: "\n")
        }
    }
}
