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

    /// Puts what its address has now in the place of a list.
    func renew(_ kept: Kept, with bytes: [UInt8], at time: Timestamp) throws(CommandError) {
        var facts: JSONObject = ["fetchedAt": .string(time.rfc3339)]
        if let uri = kept.uri { facts.append("uri", .string(uri)) }
        if let role = kept.role { facts.append("role", .string(role.rawValue)) }
        try Files.write(bytes, to: kept.path)
        try Files.write(Array(JSON.object(facts).encoded(pretty: true).utf8), to: "\(folder)/\(kept.name).json")
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
        .file(
            "trust-list", "FILE|URL", "A VICAL, RICAL or list of trusted entities that counts in this run", isRepeatable: true),
    ]

    /// - Parameter role: of the certificates of `--anchor`.
    init(_ invocation: Invocation, role: TrustRole) async throws(CommandError) {
        let context = invocation.context
        policy = context.trustPolicy
        try context.trustStore.requirePreset()
        guard context.usesTrust else {
            (anchors, checks, missing, lists) = (.none, CheckList(edition: context.edition), [], .none)
            return
        }
        var found = try context.trustStore.all().map(\.anchor)
        for path in invocation.strings("anchor") {
            found += try CertificateFile.certificates(path).map { TrustAnchor($0, role: role, source: "command line") }
        }
        for path in invocation.strings("list-anchor") {
            found += try CertificateFile.certificates(path).map { TrustAnchor($0, role: .lists, source: "command line") }
        }
        var reading = try ListReading(context, roots: found.filter { $0.role == .lists }.map(\.certificate))
        for place in invocation.strings("trust-list") { await reading.read(place, for: role) }
        for kept in try context.trustSources.all() { await reading.read(kept) }
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
    let fetcher: TrustListFetcher
    var anchors: [TrustAnchor] = []
    var checks: CheckList
    var missing: [String] = []
    var lists = EntityLists.none

    init(_ context: Context, roots: [Certificate]) throws(CommandError) {
        self.context = context
        verifier = TrustListVerifier(roots: roots, edition: context.edition, skew: Int64(context.skew))
        fetcher = TrustListFetcher(
            verifier: verifier, source: try StatusSetup.source(context), archive: FolderArchive(of: context.home))
        checks = CheckList(edition: context.edition)
    }

    /// A file, or an address.
    mutating func read(_ place: String, for role: TrustRole) async {
        guard place.hasPrefix("https://") || place.hasPrefix("http://") else {
            guard let bytes = try? Files.read(place, limit: 64 << 20), !bytes.isEmpty else { return missing.append(place) }
            return await take(Result { () throws(TrustListError) in try verify(bytes, role) }, place)
        }
        let (list, found) = await fetcher.list(at: place, for: role, at: context.clock.now())
        checks.append(contentsOf: found)
        await take(list, place, from: place)
    }

    /// One that came from an address is fetched again when it is due; while that fails, the copy serves, with its age shown.
    mutating func read(_ kept: TrustSources.Kept) async {
        guard !kept.bytes.isEmpty else { return missing.append(kept.name) }
        let known = Result { () throws(TrustListError) in try verify(kept.bytes, kept.role) }
        let now = context.clock.now()
        guard let uri = kept.uri, let fetchedAt = kept.fetchedAt,
            (try? known.get()).map({ TrustListFetcher.isDue($0, fetchedAt: fetchedAt, at: now) }) ?? true
        else { return await take(known, kept.path, from: kept.uri) }
        do throws(ResourceError) {
            let bytes = try await fetcher.source.fetch(uri, accept: [], limit: 64 << 20).bytes
            let newer = Result { () throws(TrustListError) in try verify(bytes, kept.role) }
            if let why = Self.fault(of: newer, in: known) { throw ResourceError(uri, why) }
            checks.pass("T5", kept.name)
            // Where it cannot be kept, it is fetched the next time, too.
            try? context.trustSources.renew(kept, with: bytes, at: now)
            await take(newer, kept.path, from: uri)
        } catch {
            let hours = now.seconds(since: fetchedAt) / 3600
            checks.fail("T5", kept.name, "cached copy is \(hours) h old; \(error.reason)")
            await take(known, kept.path, from: kept.uri)
        }
    }

    /// Why a list that was fetched does not take the place of the one that is known.
    private static func fault(
        of newer: Result<TrustList, TrustListError>, in known: Result<TrustList, TrustListError>
    ) -> String? {
        guard case .success(let list) = newer, list.isUsable else { return "what is there now cannot be relied upon" }
        guard case .success(let old) = known, !list.mayReplace(old) else { return nil }
        return "what is there now is older: \(list.name)"
    }

    private func verify(_ bytes: [UInt8], _ role: TrustRole?) throws(TrustListError) -> TrustList {
        try verifier.verify(bytes, for: role, at: context.clock.now())
    }

    private mutating func take(_ result: Result<TrustList, TrustListError>, _ name: String, from uri: String? = nil) async {
        switch result {
        case .failure(let error):
            missing.append(name)
            checks.fail("T1", name, "\(name) is not a certificate or trust list: \(error)")
        case .success(let list):
            checks.append(contentsOf: list.checks)
            anchors += list.anchors
            if !list.isUsable { missing.append(list.name) }
            let addresses = list.locations + [uri].compactMap { $0 }
            lists.add(list, at: addresses)
            guard !list.pointers.isEmpty else { return }
            let further = await fetcher.followed(list, at: context.clock.now())
            checks.append(contentsOf: further.checks)
            if further.checks.checks.contains(where: { $0.outcome.isViolation }) { lists.note(incomplete: addresses) }
            for list in further.lists {
                checks.append(contentsOf: list.checks)
                anchors += list.anchors
                lists.add(list, at: Set(list.locations + addresses))
            }
        }
    }
}
