import Credentials
import Crypto
import Ports

/// Makes test certificates into a folder, with the authorities that they need: one that is there is used again.
struct TestCertificates {
    let maker: CertificateMaker
    let folder: CertificateFolder
    /// Where to look for authorities that `folder` does not have.
    let fallback: CertificateFolder?
    let curve: Curve
    /// Names and addresses of a TLS server; empty for `localhost` and 127.0.0.1.
    var serverNames: [GeneralName] = []
    /// Paths of everything written, authorities included.
    private(set) var written: [String] = []

    /// Notes what else was written.
    mutating func note(_ paths: [String]) { written += paths }

    init(maker: CertificateMaker, folder: CertificateFolder, fallback: CertificateFolder? = nil, curve: Curve = .p256) {
        self.maker = maker
        self.folder = folder
        self.fallback = fallback
        self.curve = curve
    }

    /// What `trust make` can make.
    enum Product: String, CaseIterable {
        case iaca, link, ds, reader, status, vical, rical, lote, wrpac, wrprc, tls, crl
        case vicalSigner = "vical-signer"
        case readerAuthority = "reader-ca"
        case registrarAuthority = "registrar-ca"

        /// Whether it is a list over authorities, with a signer.
        var isList: Bool { [.vical, .rical, .lote].contains(self) }

        /// The profile whose rules can be broken; nil where there are none to break, or the list's.
        var profile: CertificateProfile? {
            self == .vicalSigner || isList ? .vical : CertificateProfile(rawValue: rawValue)
        }
    }

    /// A root: taken from the folders, else made.
    ///
    /// - Throws: exit code 1 when the one that is there cannot issue what keeps the rules.
    mutating func authority(_ name: Authority) throws -> SigningIdentity {
        if let known = try folder.identity(name.rawValue) ?? fallback?.identity(name.rawValue) {
            try refuseBroken(known.certificate, name)
            return known
        }
        let rootCurve = curve.isWeierstrass ? curve : .p256
        let made =
            name == .iaca
            ? try maker.root(curve: rootCurve) : try maker.authority(name.commonName, curve: rootCurve)
        written += try folder.write(made.certificate, key: made.key, as: name.rawValue)
        return made
    }

    /// The roots, by the names of their files.
    enum Authority: String, CaseIterable {
        case iaca
        case readers = "reader-ca"
        case lists = "vical-ca"
        case servers = "tls-ca"
        case registrars = "registrar-ca"

        var commonName: String {
            switch self {
            case .iaca: "TEST IACA"
            case .readers: "TEST Reader CA"
            case .lists: "TEST VICAL CA"
            case .servers: "TEST Server CA"
            case .registrars: "TEST Registrar CA"
            }
        }
    }

    private func refuseBroken(_ root: Certificate, _ name: Authority) throws(CommandError) {
        let wrong =
            name == .iaca
            ? CertificateProfile.iaca.lint(root, issuer: nil, edition: maker.edition).first { $0.severity == .fail } : nil
        let reason = wrong?.description ?? (root.isValid(at: maker.time) ? nil : "not valid at \(maker.time.rfc3339)")
        guard let reason else { return }
        throw CommandError(
            "the \(name.rawValue).pem that would issue this is broken: \(reason)",
            hint: "make a good one first, or name another folder with --out")
    }

    /// Makes `product`, breaking `rule` where one is given.
    ///
    /// - Returns: the certificate or list, and the name of its files.
    mutating func make(
        _ product: Product, breaking rule: String?, revoking: [Certificate] = [], of issuer: Authority = .iaca, number: Int = 1
    ) throws -> Made {
        switch product {
        case .iaca: return try keep(maker.root(curve: curve, breaking: rule), as: "iaca")
        case .readerAuthority:
            if rule != nil { throw UnbreakableProduct(product) }
            return try keep(maker.authority(Authority.readers.commonName, curve: curve), as: "reader-ca")
        case .registrarAuthority:
            if rule != nil { throw UnbreakableProduct(product) }
            return try keep(maker.authority(Authority.registrars.commonName, curve: curve), as: "registrar-ca")
        case .wrpac, .wrprc:
            if rule != nil { throw UnbreakableProduct(product) }
            return try makeAccessCertificate()
        case .link: return try makeLink(breaking: rule)
        case .ds: return try makeEndEntity(.ds, .iaca, breaking: rule)
        case .status: return try makeEndEntity(.status, .iaca, breaking: rule)
        case .vical, .vicalSigner, .rical, .lote: return try makeEndEntity(.vical, .lists, breaking: rule)
        case .tls: return try makeEndEntity(.tls, .servers, breaking: rule)
        case .reader:
            let isIssuedByIACA = CertificateProfile.reader.rulesUnderIACA.contains(rule ?? "")
            return try makeEndEntity(.reader, isIssuedByIACA ? .iaca : .readers, breaking: rule)
        case .crl:
            let root = try authority(issuer)
            let list = try maker.revocationList(
                of: root, revoking: revoking.map(\.serialNumber), number: number, breaking: rule)
            let paths = try folder.write(list, as: "crl", of: root.certificate)
            written += paths
            return Made(item: .list(list), issuer: root.certificate, path: paths[0], keyPath: nil)
        }
    }

    /// What was made.
    struct Made {
        let item: CertificateFile.Item
        /// Nil for roots.
        let issuer: Certificate?
        let path: String
        let keyPath: String?
    }

    private mutating func makeLink(breaking rule: String?) throws -> Made {
        let old = try authority(.iaca)
        let ruleOfRoot = CertificateMaker.rulesBrokenInNewRoot.contains(rule ?? "") ? rule : nil
        let new = try maker.root("TEST IACA 2", curve: curve, breaking: ruleOfRoot)
        written += try folder.write(new.certificate, key: new.key, as: "new-iaca")
        let link = try maker.link(from: old, to: new.certificate, breaking: rule)
        let paths = try folder.write(link, key: nil, as: "link")
        written += paths
        return Made(item: .certificate(link), issuer: old.certificate, path: paths[0], keyPath: nil)
    }

    private mutating func makeEndEntity(
        _ profile: CertificateProfile, _ authority: Authority, breaking rule: String?
    ) throws -> Made {
        let issuer = try self.authority(authority)
        let identity = try maker.endEntity(profile, issuer: issuer, curve: curve, breaking: rule) { builder in
            guard profile == .tls, !serverNames.isEmpty else { return }
            builder[.subjectAlternativeName] = .subjectAlternativeName(serverNames)
        }
        return try keep(identity, as: profile.rawValue, issuer: issuer.certificate)
    }

    private mutating func keep(_ identity: SigningIdentity, as name: String, issuer: Certificate? = nil) throws -> Made {
        let paths = try folder.write(identity.certificate, key: identity.key, as: name)
        written += paths
        return Made(item: .certificate(identity.certificate), issuer: issuer, path: paths[0], keyPath: paths[2])
    }
}

/// There are no rules of this product that could be broken.
struct UnbreakableProduct: Error, CustomStringConvertible {
    let description: String

    init(_ product: TestCertificates.Product) { description = "\(product.rawValue) has no profile whose rules could be broken" }
}
