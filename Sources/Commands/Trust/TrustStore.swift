import Codec
import Credentials
import Crypto
import Glibc

/// The anchors of a home: one PEM file each, in a folder by role. Document types stand in front of the block, a line each:
/// `docType: org.iso.18013.5.1.mDL`; none means all.
struct TrustStore {
    private let home: Home
    /// The preset that it is; nil: the home's own.
    private let preset: String?

    init(of home: Home, preset: String? = nil) { (self.home, self.preset) = (home, preset) }

    /// - Throws: exit code 2 for a preset that does not exist: nobody would be trusted by mistake.
    func requirePreset() throws(CommandError) {
        guard let preset, !home.exists else { return }
        throw .usage(
            "--trust \(preset): there is no such preset",
            hint: "walletbench trust add FILE --trust \(preset) makes it; trust show names all")
    }

    /// An anchor and where it is kept.
    struct Entry {
        let anchor: TrustAnchor
        let path: String

        var id: String { anchor.certificate.shortID }
    }

    /// Every anchor, by role, then by id.
    /// - Throws: exit code 1 when a file is no certificate (T1), 3 when it cannot be read.
    func all() throws(CommandError) -> [Entry] {
        var entries: [Entry] = []
        for role in TrustRole.allCases where Files.isDirectory(folder(role)) {
            for name in try Files.list(folder(role)) where name.hasSuffix(".pem") {
                entries.append(try read("\(folder(role))/\(name)", role))
            }
        }
        return entries
    }

    /// The anchors of the home, and for this run those of `files` (`--anchor FILE`), which are trusted in `role`.
    func anchors(adding files: [String], role: TrustRole) throws(CommandError) -> TrustAnchors {
        try requirePreset()
        var anchors = try all().map(\.anchor)
        for path in files { anchors += try CertificateFile.certificates(path).map { TrustAnchor($0, role: role) } }
        return TrustAnchors(anchors)
    }

    /// Keeps an anchor; one that is there already in this role is replaced.
    @discardableResult
    func add(_ anchor: TrustAnchor) throws(CommandError) -> Entry {
        try Home(path: folder(anchor.role), source: home.source).make()
        let path = "\(folder(anchor.role))/\(anchor.certificate.shortID).pem"
        let types = (anchor.docTypes ?? []).sorted().map { "docType: \($0)\n" }.joined()
        let text = "subject: \(anchor.certificate.subject)\n\(types)" + PEM.encode(anchor.certificate.der, label: "CERTIFICATE")
        try Files.write([UInt8](text.utf8), to: path)
        return Entry(anchor: anchor, path: path)
    }

    func remove(_ entry: Entry) throws(CommandError) {
        guard unlink(entry.path) == 0 else { throw .environment("\(entry.path): \(Errno.last)") }
    }

    private func folder(_ role: TrustRole) -> String { home.file("trust/\(role.rawValue)") }

    private func read(_ path: String, _ role: TrustRole) throws(CommandError) -> Entry {
        guard let certificate = try CertificateFile.certificates(path).first else {
            throw .refused("\(path): no certificate in it", hint: "remove the file")
        }
        let lines = String(decoding: try Files.read(path), as: UTF8.self).split(whereSeparator: \.isNewline)
        let types = lines.prefix { !$0.hasPrefix("-----BEGIN") }.filter { $0.hasPrefix("docType: ") }.map {
            String($0.dropFirst(9))
        }
        let anchor = TrustAnchor(
            certificate, role: role, docTypes: types.isEmpty ? nil : Set(types), source: preset.map { "preset \($0)" } ?? "home")
        return Entry(anchor: anchor, path: path)
    }
}

extension TrustStore {
    /// The options by which commands choose anchors.
    static let choices: [Option] = [
        .choice("role", TrustRole.allCases.map(\.rawValue), "Only anchors trusted for this"),
        .value("type", "DOCTYPE", "Only anchors trusted for documents of this type"),
    ]

    /// The anchors that a command line means: by id or a part of the subject, by role, by type.
    func chosen(by invocation: Invocation) throws(CommandError) -> [Entry] {
        let role = invocation.string("role").flatMap(TrustRole.init)
        let type = invocation.string("type")
        let entries = try all().filter { entry in
            (role.map { $0 == entry.anchor.role } ?? true)
                && (type.map { entry.anchor.docTypes?.contains($0) ?? true } ?? true)
        }
        guard !invocation.arguments.isEmpty else { return entries }
        var found: [Entry] = []
        for wanted in invocation.arguments {
            let matches = entries.filter { entry in
                Hex.encode(entry.anchor.certificate.sha256).hasPrefix(wanted.lowercased())
                    || entry.anchor.certificate.subject.description.contains(wanted)
            }
            guard !matches.isEmpty else {
                throw .refused("no anchor \"\(wanted)\"", hint: "walletbench trust show lists those of the home")
            }
            found += matches.filter { match in !found.contains { $0.path == match.path } }
        }
        return found
    }
}
