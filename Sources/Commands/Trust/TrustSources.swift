import Codec
import Credentials
import Crypto
import Glibc
import Ports

/// The trust lists that a home keeps, as received: `trust/sources/<name>.list`, and beside each what is known of it as JSON:
/// where it came from, when, and what it may be used for. Every run verifies them anew.
struct TrustSources {
    private let home: Home

    init(of home: Home) { self.home = home }

    private var folder: String { home.file("trust/sources") }

    /// One list as kept.
    struct Kept {
        let name: String
        let path: String
        let bytes: [UInt8]
        /// Where it came from, if not from a file.
        let uri: String?
        let fetchedAt: Timestamp?
        let role: TrustRole?
    }

    func all() throws(CommandError) -> [Kept] {
        guard Files.isDirectory(folder) else { return [] }
        var kept: [Kept] = []
        for file in try Files.list(folder) where file.hasSuffix(".list") {
            let name = String(file.dropLast(5))
            let facts = (try? Files.read("\(folder)/\(name).json", limit: 1 << 16)).flatMap { try? JSON.decode($0) }
            kept.append(
                Kept(
                    name: name, path: "\(folder)/\(file)", bytes: try Files.read("\(folder)/\(file)"),
                    uri: facts?["uri"]?.stringValue,
                    fetchedAt: facts?["fetchedAt"]?.stringValue.flatMap { try? Timestamp(rfc3339: $0) },
                    role: facts?["role"]?.stringValue.flatMap(TrustRole.init)))
        }
        return kept
    }

    /// Keeps a list in the place of an older one of the same kind and provider.
    /// - Throws: exit code 1 when the one that is there is newer.
    func keep(
        _ bytes: [UInt8], as list: TrustList, uri: String?, role: TrustRole?, verifier: TrustListVerifier, at time: Timestamp
    ) throws(CommandError) -> String {
        let name = Self.slug("\(list.kind.name) \(list.provider)")
        if let old = try all().first(where: { $0.name == name }), let known = try? verifier.verify(old.bytes, at: time),
            !list.mayReplace(known)
        {
            throw .refused(
                "\(list.name) is older than \(known.name), which is kept", hint: "walletbench trust remove \(name), if you mean it")
        }
        try Home(path: folder, source: home.source).make()
        var facts: JSONObject = ["fetchedAt": .string(time.rfc3339)]
        if let uri { facts.append("uri", .string(uri)) }
        if let role { facts.append("role", .string(role.rawValue)) }
        try Files.write(bytes, to: "\(folder)/\(name).list")
        try Files.write(Array(JSON.object(facts).encoded(pretty: true).utf8), to: "\(folder)/\(name).json")
        return name
    }

    func remove(_ name: String) -> Bool {
        unlink("\(folder)/\(name).json")
        return unlink("\(folder)/\(name).list") == 0
    }

    private static func slug(_ text: String) -> String {
        String(
            text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.split(separator: "-").joined(
                separator: "-"
            )
            .prefix(80))
    }
}

/// Whom a run trusts: anchors of the home and of the command line, and those of trust lists; with what was found out about the lists.
struct TrustSetup: Sendable {
    /// Everybody, in every role.
    let anchors: TrustAnchors
    /// T1 to T5 of the lists.
    let checks: CheckList
    let policy: TrustPolicies
    /// Lists of trusted entities by their addresses.
    let lists: EntityLists
    /// Lists that should have helped and cannot.
    private let missing: [String]

    static let options: [Option] = [
        .file("anchor", "FILE", "A root that is trusted in this run (PEM or DER)", isRepeatable: true),
        .file("list-anchor", "FILE", "A root that is trusted in this run for signing trust lists", isRepeatable: true),
        .file("trust-list", "FILE", "A VICAL, RICAL or list of trusted entities that counts in this run", isRepeatable: true),
    ]

    /// - Parameter role: of the certificates of `--anchor`.
    init(_ invocation: Invocation, role: TrustRole) async throws(CommandError) {
        let context = invocation.context
        policy = context.trustPolicy
        guard context.usesTrust else {
            (anchors, checks, missing, lists) = (.none, CheckList(edition: context.edition), [], .none)
            return
        }
        var found = try TrustStore(of: context.home).all().map(\.anchor)
        for path in invocation.strings("anchor") {
            found += try CertificateFile.certificates(path).map { TrustAnchor($0, role: role, source: "command line") }
        }
        for path in invocation.strings("list-anchor") {
            found += try CertificateFile.certificates(path).map { TrustAnchor($0, role: .lists, source: "command line") }
        }
        var reading = ListReading(context, roots: found.filter { $0.role == .lists }.map(\.certificate))
        for path in invocation.strings("trust-list") { await reading.read(file: path, for: role) }
        for kept in try TrustSources(of: context.home).all() { await reading.read(kept) }
        // Lists come first: what they say of a root is more than that somebody put it here.
        anchors = TrustAnchors(reading.anchors + found)
        checks = reading.checks
        lists = reading.lists
        missing = reading.missing
    }

    /// The report with what the lists had to say, by the policy of each document's type.
    func completed(_ report: PresentationReport) -> PresentationReport {
        var report = report.applying(policy)
        var list = checks
        let isTrusted = !report.documents.isEmpty && report.documents.allSatisfy { $0.trusted == true }
        // A list that nobody needed does not spoil the verdict.
        if isTrusted { list.softenAll() }
        if isTrusted, let first = missing.first, let other = report.documents.compactMap(\.trust?.source).first {
            list.fail("T4", first, "first source had no context, \(other) used")
        }
        report = report.merging(PresentationReport(at: report.at, rule: report.rule, checks: list))
        return report
    }
}

/// Reads lists one after the other.
private struct ListReading {
    let context: Context
    let verifier: TrustListVerifier
    var anchors: [TrustAnchor] = []
    var checks: CheckList
    var missing: [String] = []
    var lists = EntityLists.none

    init(_ context: Context, roots: [Certificate]) {
        self.context = context
        verifier = TrustListVerifier(roots: roots, edition: context.edition, skew: Int64(context.skew))
        checks = CheckList(edition: context.edition)
    }

    mutating func read(file path: String, for role: TrustRole) async {
        guard let bytes = try? Files.read(path, limit: 64 << 20), !bytes.isEmpty else { return missing.append(path) }
        await read(bytes, path, for: role)
    }

    /// One that came from an address is fetched again after a day; while that fails, the copy serves, with its age shown.
    mutating func read(_ kept: TrustSources.Kept) async {
        var bytes = kept.bytes
        if let uri = kept.uri, let fetchedAt = kept.fetchedAt, context.clock.now().seconds(since: fetchedAt) > 86_400 {
            do throws(ResourceError) {
                bytes = try await StatusSetup.source(context).fetch(uri, accept: [], limit: 64 << 20).bytes
                checks.pass("T5", kept.name)
            } catch {
                let hours = context.clock.now().seconds(since: fetchedAt) / 3600
                checks.fail("T5", kept.name, "cached copy is \(hours) h old")
            }
        }
        if bytes.isEmpty { missing.append(kept.name) } else { await read(bytes, kept.path, from: kept.uri, for: kept.role) }
    }

    private mutating func read(_ bytes: [UInt8], _ name: String, from uri: String? = nil, for role: TrustRole?) async {
        let now = context.clock.now()
        do throws(TrustListError) {
            let list = try verifier.verify(bytes, for: role, at: now)
            checks.append(contentsOf: list.checks)
            anchors += list.anchors
            if !list.isUsable { missing.append(list.name) }
            let addresses = list.locations + [uri].compactMap { $0 }
            lists.add(list, at: addresses)
            guard !list.pointers.isEmpty else { return }
            let further = await TrustListFetcher(verifier: verifier, source: StatusSetup.source(context)).followed(list, at: now)
            checks.append(contentsOf: further.checks)
            if further.checks.checks.contains(where: { $0.outcome.isViolation }) { lists.note(incomplete: addresses) }
            for list in further.lists {
                checks.append(contentsOf: list.checks)
                anchors += list.anchors
                lists.add(list, at: Set(list.locations + addresses))
            }
        } catch {
            missing.append(name)
            checks.fail("T1", name, "\(name) is not a certificate or trust list: \(error)")
        }
    }
}
