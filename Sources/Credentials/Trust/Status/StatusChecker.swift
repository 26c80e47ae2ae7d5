import Codec
import Crypto
public import Ports

/// Finds out what lists say of verified documents and signers, and completes the report with it: Token Status Lists, identifier
/// lists, CRLs. An answer that cannot be had or trusted is `undetermined`: never good, and never revoked.
public struct StatusChecker: Sendable {
    public var policy: StatusPolicy
    public let source: any ResourceSource
    public let cache: StatusCache
    public let edition: Edition
    /// Seconds of tolerance on times.
    public let skew: Int64

    /// The most lists that one presentation can make us fetch.
    public static let fetchesPerReport = 8
    /// The most bytes of one list as it is sent.
    public static let sizeLimit = 8 << 20

    /// - Parameter cache: shared by all checks of a process, so that nothing is fetched twice within its time.
    public init(
        policy: StatusPolicy = StatusPolicy(), source: any ResourceSource, cache: StatusCache = StatusCache(), edition: Edition,
        skew: Int64 = 60
    ) {
        self.policy = policy
        self.source = source
        self.cache = cache
        self.edition = edition
        self.skew = skew
    }

    /// The report with the rows of status (R28, S15) and revocation (R11.revoked), and the T rows that led to them.
    public func completed(_ report: PresentationReport) async -> PresentationReport {
        var report = report
        var left = Self.fetchesPerReport
        for place in report.documents.indices {
            guard let query = report.documents[place].statusQuery, policy.policy(for: query.type) != .off else { continue }
            var run = StatusRun(self, query, at: report.at, fetchesLeft: left)
            report.documents[place].status = await run.checkStatus()
            await run.checkRevocation()
            left = run.fetchesLeft
            report.replace(run.rows, of: query.subject)
        }
        return report
    }

    /// The report with H8.revoked for every reader; one that is revoked is no longer trusted.
    public func completed(_ report: RequestReport, at time: Timestamp) async -> RequestReport {
        guard policy.general != .off else { return report }
        var report = report
        var left = Self.fetchesPerReport
        for signer in report.signers {
            var run = RevocationRun(self, at: time, fetchesLeft: left)
            let result = await run.revocation(of: signer.chain, isGenuine: signer.isGenuine, subject: signer.subject)
            left = run.fetchesLeft
            report.record(result, rows: run.list, of: signer)
        }
        return report
    }
}

/// What the CRLs say of a chain.
enum RevocationResult: Sendable, Hashable {
    case good
    case revoked(at: Timestamp, number: String)
    case undetermined(String)
    /// No certificate names a CRL.
    case notPresent
    case needs(String)
}

/// One chain held against its CRLs.
struct RevocationRun {
    let checker: StatusChecker
    let time: Timestamp
    var fetchesLeft: Int
    var list: CheckList

    init(_ checker: StatusChecker, at time: Timestamp, fetchesLeft: Int) {
        self.checker = checker
        self.time = time
        self.fetchesLeft = fetchesLeft
        list = CheckList(edition: checker.edition)
    }

    mutating func revocation(of chain: SignerChain, isGenuine: Bool, subject: String) async -> RevocationResult {
        let certificates = chain.result.path.enumerated().filter { !RevocationList.locations(in: $1).isEmpty }
        guard !certificates.isEmpty else { return .notPresent }
        guard isGenuine, chain.isTrusted else {
            return .undetermined("the chain leads to no trusted root, so its CRL is not asked")
        }
        var result = RevocationResult.good
        for (place, certificate) in certificates {
            guard let issuer = place + 1 < chain.result.path.count ? chain.result.path[place + 1] : chain.anchor else { continue }
            let name = place == 0 ? subject : "\(subject) certificate \(place)"
            switch await check(certificate, issuer, name) {
            case .revoked(let time, let number): return .revoked(at: time, number: number)
            case .undetermined(let why): if result == .good { result = .undetermined(why) }
            case .good, .notPresent, .needs: break
            }
        }
        return result
    }

    private mutating func check(_ certificate: Certificate, _ issuer: Certificate, _ subject: String) async -> RevocationResult {
        var why = ""
        for uri in RevocationList.locations(in: certificate).prefix(2) {
            switch await fetch(uri, issuer) {
            case .failure(let fault): why = fault.message
            case .success((let crl, let copy)):
                list.pass("T40.fetch", subject)
                if let why = copy.staleBecause { list.noteCopy(of: copy.fetchedAt, why, subject, at: time) }
                let known = await checker.cache.note(number: crl.list.isSigned(by: issuer) ? crl.list.number : nil, of: uri)
                guard
                    crl.admit(
                        for: certificate, issuer: issuer, known: known, skew: checker.skew, at: time, in: &list, subject)
                else {
                    let step = list.checks.last { $0.isUndetermined && $0.subject == subject }
                    return .undetermined(step.map { "\($0.id): \($0.definition.message)" } ?? "CRL not usable")
                }
                guard let revokedAt = crl.revocation(of: certificate), revokedAt <= time.adding(seconds: checker.skew) else {
                    return .good
                }
                return .revoked(at: revokedAt, number: crl.list.number.map { Hex.encode($0) } ?? "without number")
            }
        }
        list.fail("T40.fetch", subject, why)
        list.notRun(["T40.issuer", "T40.signature", "T41.current", "T41.number", "T41.profile"], subject, .needs("T40.fetch"))
        return .undetermined("T40.fetch: \(why)")
    }

    private mutating func fetch(
        _ uri: String, _ issuer: Certificate
    ) async -> Result<(RevocationList, StatusCache.Copy), StatusFault> {
        guard fetchesLeft > 0 else {
            return .failure(
                StatusFault("T40.fetch", detail: "more than \(StatusChecker.fetchesPerReport) lists in one presentation"))
        }
        fetchesLeft -= 1
        let (checker, time) = (checker, time)
        // A CRL is its issuer's: two issuers that name one URI share no copy.
        let key = StatusCache.Key(uri: uri, kind: "crl \(Hex.encode(issuer.sha256))")
        let copy = await checker.cache.copy(key, at: time) { content in
            guard case .revocations(let crl) = content, crl.list.isSigned(by: issuer), let next = crl.list.nextUpdate else {
                return nil
            }
            return next.seconds(since: time)
        } recall: { bytes in
            (try? CertificateRevocationList(der: bytes)).map { .revocations(RevocationList($0)) }
        } fetch: {
            do throws(ResourceError) {
                let resource = try await checker.source.fetch(
                    uri, accept: ["application/pkix-crl"], limit: StatusChecker.sizeLimit)
                do throws(CertificateError) {
                    let crl = RevocationList(try CertificateRevocationList(der: resource.bytes))
                    return .success(
                        .init(
                            content: .revocations(crl), fetchedAt: time, contentType: resource.contentType, isCopy: resource.isCopy)
                    )
                } catch { return .failure(StatusFault("T40.fetch", detail: "\(uri) is no CRL: \(error)")) }
            } catch {
                return .failure(StatusFault("T40.fetch", detail: error.isCancelled ? StatusCache.cancelled : "\(error)"))
            }
        }
        return copy.flatMap { copy in
            guard case .revocations(let crl) = copy.content else {
                return .failure(StatusFault("T40.fetch", detail: "\(uri) is no CRL"))
            }
            return .success((crl, copy))
        }
    }
}
