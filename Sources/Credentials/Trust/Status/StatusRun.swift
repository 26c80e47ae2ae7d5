import Codec
import Crypto
import Ports

/// The status of one document, from its claim to the row of the report.
struct StatusRun {
    private let checker: StatusChecker
    private let query: StatusQuery
    private let time: Timestamp
    private let policy: TrustPolicy
    var fetchesLeft: Int
    private var list: CheckList

    init(_ checker: StatusChecker, _ query: StatusQuery, at time: Timestamp, fetchesLeft: Int) {
        self.checker = checker
        self.query = query
        self.time = time
        self.fetchesLeft = fetchesLeft
        policy = checker.policy.policy(for: query.type)
        list = CheckList(edition: checker.edition)
    }

    var rows: [Check] { list.checks }
    private var subject: String { query.subject }
    private var statusCheck: String { query.statusCheck }

    /// What one list came to.
    private enum Answer {
        case status(TokenStatus, String)
        /// A check failed: the document is to be rejected for it.
        case refused(String)
        case undetermined(String)
    }

    /// - Returns: the word of the report: `valid`, `invalid`, `suspended`, `application:0x0C`, `undetermined`, `none`.
    mutating func checkStatus() async -> String {
        switch query.claim {
        case .absent:
            list.notRun(statusCheck, subject, .notPresent)
            if query.form == .cwt {
                list.notRun("R28.mdl-values", subject, .notPresent)
            } else {
                list.notRun("S15.format", subject, .notPresent)
            }
            return "none"
        case .unknown(let names):
            let why = "status without known mechanism: \(names.isEmpty ? "none" : names.joined(separator: ", "))"
            list.notRun("T20", subject, .undetermined(why))
            return conclude(.undetermined("T20: \(why)"))
        case .malformed(let check, let why):
            list.fail(
                check, subject,
                "\(check == "T20" ? "status_list without idx or uri, or mistyped" : "identifier_list without bstr id and uri"): \(why)"
            )
            soften()
            return conclude(.refused(check))
        case .references(let references): return await check(references)
        }
    }

    private mutating func check(_ references: [StatusReference]) async -> String {
        for reference in references {
            if case .index = reference.mechanism { list.pass("T20", subject) } else { list.pass("T31", subject) }
        }
        guard query.isGenuine else {
            return conclude(.undetermined("the document's signer is not trusted (\(query.cause)), so its list is not asked"))
        }
        var answer: Answer?
        for reference in references {
            let next = await look(reference)
            // The worse of two answers counts.
            if answer.map({ Self.rank($0) < Self.rank(next) }) ?? true { answer = next }
        }
        soften()
        return conclude(answer ?? .undetermined("no list"))
    }

    private static func rank(_ answer: Answer) -> Int {
        switch answer {
        case .status(.valid, _): 0
        case .status(.application, _): 1
        case .undetermined, .status(.reserved, _): 2
        case .refused: 3
        case .status(.suspended, _): 4
        case .status(.invalid, _): 5
        }
    }

    /// What the lists come to, without rows of its own: for tokens whose status is part of another check.
    mutating func answer() async -> StatusAnswer {
        switch query.claim {
        case .absent: return .undetermined("there is no status")
        case .unknown(let names): return .undetermined("status without known mechanism: \(names.joined(separator: ", "))")
        case .malformed(_, let why): return .undetermined(why)
        case .references(let references):
            guard query.isGenuine else { return .undetermined("its signer is not trusted, so its list is not asked") }
            var worst: Answer?
            for reference in references {
                let next = await look(reference)
                if worst.map({ Self.rank($0) < Self.rank(next) }) ?? true { worst = next }
            }
            switch worst {
            case .status(let status, _)?: return .status(status)
            case .undetermined(let why)?: return .undetermined(why)
            case .refused(let check)?: return .undetermined("\(check) failed")
            case nil: return .undetermined("no list")
            }
        }
    }

    // MARK: one list

    private mutating func look(_ reference: StatusReference) async -> Answer {
        let judge = StatusJudge(query: query, reference: reference, edition: checker.edition, skew: checker.skew, time: time)
        let copy: StatusCache.Copy
        switch await fetch(reference, judge) {
        case .success(let found): copy = found
        case .failure(let fault):
            list.fail(fault.check, subject, fault.message)
            return .undetermined("\(fault.check): \(fault.message)")
        }
        guard case .status(let token) = copy.content else { return .undetermined("T10.fetch: no status list") }
        list.pass("T10.fetch", subject)
        checkContentType(copy, reference, token.form)
        let isAdmitted = judge.admit(token, in: &list, subject)
        checkAge(token, copy)
        noteCopy(copy)
        guard isAdmitted else {
            let step = list.checks.first { $0.isUndetermined }
            return .undetermined(step.map { "\($0.id): \(Self.why($0))" } ?? "the list cannot be used")
        }
        guard let status = judge.lookUp(token, in: &list, subject) else { return .refused("T18") }
        return await weigh(status, reference)
    }

    private static func why(_ check: Check) -> String {
        if case .notRun(.undetermined(let why)) = check.outcome { why } else { check.reason ?? check.name }
    }

    private mutating func weigh(_ status: TokenStatus, _ reference: StatusReference) async -> Answer {
        let place: String
        switch reference.mechanism {
        case .index(let index): place = "\(reference.uri)#\(index)"
        case .identifier(let id): place = "\(reference.uri)#\(Hex.encode(id))"
        }
        if await checker.cache.note(status, of: place) {
            list.fail("T33", subject, "list says valid, an earlier copy said revoked (\(place))")
        } else {
            list.pass("T33", subject)
        }
        return .status(status, place)
    }

    private mutating func checkContentType(_ copy: StatusCache.Copy, _ reference: StatusReference, _ form: StatusForm) {
        guard let type = copy.contentType else { return list.notRun("T10.type", subject, .notPresent) }
        var isIdentifiers = false
        if case .identifier = reference.mechanism { isIdentifiers = true }
        list.judge("T10.type", subject, type == form.mediaType(identifiers: isIdentifiers), [type])
    }

    /// T16: a copy may be older than its ttl only where nothing newer is to be had.
    private mutating func checkAge(_ token: StatusToken, _ copy: StatusCache.Copy) {
        guard let ttl = token.timeToLive else { return list.notRun("T16", subject, .notPresent) }
        let since = copy.isCopy ? token.issuedAt ?? copy.fetchedAt : copy.fetchedAt
        let age = time.seconds(since: since)
        guard age > ttl, age - ttl > checker.skew, copy.isStale || copy.isCopy else { return list.pass("T16", subject) }
        list.fail("T16", subject, "copy older than ttl and not refreshable: \(age) s old, ttl \(ttl) s")
    }

    /// T5: nothing newer than a copy was to be had.
    private mutating func noteCopy(_ copy: StatusCache.Copy) {
        if let why = copy.staleBecause { list.noteCopy(of: copy.fetchedAt, why, subject, at: time) }
    }

    private mutating func fetch(_ reference: StatusReference, _ judge: StatusJudge) async -> Result<StatusCache.Copy, StatusFault> {
        guard fetchesLeft > 0 else {
            return .failure(
                StatusFault(
                    "T10.fetch", values: [reference.uri, "not asked"],
                    detail: "more than \(StatusChecker.fetchesPerReport) lists in one presentation"))
        }
        fetchesLeft -= 1
        var isIdentifiers = false
        if case .identifier = reference.mechanism { isIdentifiers = true }
        let (checker, time, wanted) = (checker, time, query.form.mediaType(identifiers: isIdentifiers))
        return await checker.cache.copy(StatusCache.Key(uri: reference.uri, kind: wanted), at: time) { content in
            guard case .status(let token) = content, token.subject == reference.uri, judge.trusts(token) else { return nil }
            let untilExpiry = token.expiresAt.map { $0.seconds(since: time) }
            return min(token.timeToLive ?? untilExpiry ?? checker.cache.usual, untilExpiry ?? .max)
        } recall: { bytes in
            (try? StatusToken(bytes)).map { .status($0) }
        } fetch: {
            do throws(ResourceError) {
                let resource = try await checker.source.fetch(reference.uri, accept: [wanted], limit: StatusChecker.sizeLimit)
                do throws(StatusFault) {
                    let token = try StatusToken(resource.bytes)
                    return .success(
                        .init(content: .status(token), fetchedAt: time, contentType: resource.contentType, isCopy: resource.isCopy))
                } catch { return .failure(error) }
            } catch {
                return .failure(Self.fault(error, reference.uri))
            }
        }
    }

    private static func fault(_ error: ResourceError, _ uri: String) -> StatusFault {
        if error.isCancelled { return StatusFault("T10.fetch", values: [uri, "not asked"], detail: StatusCache.cancelled) }
        if let status = error.status { return StatusFault("T10.fetch", values: [uri, String(status)]) }
        return StatusFault("T10.fetch", values: [uri, "nothing"], detail: error.reason)
    }

    // MARK: the row of the report

    /// Under policy `warning` what is wrong with the list or the reference warns; a document that is revoked stays revoked.
    private mutating func soften() {
        guard policy == .warning else { return }
        list.soften { $0.id != "T32" }
    }

    private mutating func conclude(_ answer: Answer) -> String {
        if query.form == .cwt, list.check("R28.mdl-values", subject) == nil {
            list.notRun("R28.mdl-values", subject, .needs(statusCheck))
        }
        if query.form == .jwt, list.check("S15.format", subject) == nil { list.notRun("S15.format", subject, .needs("T10.fetch")) }
        switch answer {
        case .refused(let check):
            guard policy == .enforce else { return leaveOpen("\(check) failed") }
            list.notRun(statusCheck, subject, .needs(check))
            return "undetermined"
        case .undetermined(let why):
            return leaveOpen(why)
        case .status(let status, let place): return record(status, place)
        }
    }

    private mutating func leaveOpen(_ why: String) -> String {
        if policy == .warning {
            list.violate(statusCheck, subject, as: .warn, "undetermined: \(why)")
        } else {
            list.notRun(statusCheck, subject, .undetermined(why))
        }
        return "undetermined"
    }

    private mutating func record(_ status: TokenStatus, _ place: String) -> String {
        if case .reserved(let value) = status {
            list.fail("T19.reserved", subject, values: [TokenStatus.hex(value)])
            return leaveOpen("T19.reserved: reserved value \(TokenStatus.hex(value))")
        }
        list.pass("T19.reserved", subject)
        switch status {
        case .valid, .reserved:
            list.pass("T19.value", subject)
            list.pass(statusCheck, subject)
            return "valid"
        case .invalid:
            if list.check("T32", subject) == nil { list.violate("T19.value", subject, as: .fail, "0x01 invalid") }
            list.violate(statusCheck, subject, as: .fail, "revoked (\(place))")
            return "invalid"
        case .suspended:
            list.violate("T19.value", subject, as: .fail, "0x02 suspended")
            list.violate(statusCheck, subject, as: .fail, "suspended (\(place))")
            return "suspended"
        case .application(let value):
            recordApplication(value, place)
            return "application:\(TokenStatus.hex(value))"
        }
    }

    /// What it means is the issuer's business, unless the settings say.
    private mutating func recordApplication(_ value: UInt8, _ place: String) {
        let isGood = checker.policy.meanings[value]
        guard isGood != true else {
            list.pass("T19.value", subject)
            return list.pass(statusCheck, subject)
        }
        let severity: CheckDefinition.Severity = isGood == false ? .fail : .warn
        list.violate("T19.value", subject, as: severity, "\(TokenStatus.hex(value)) application-specific")
        list.violate(statusCheck, subject, as: severity, "application-specific \(TokenStatus.hex(value)) (\(place))")
    }

    // MARK: the signer

    /// R11.revoked, for the signer of an mdoc.
    mutating func checkRevocation() async {
        guard query.form == .cwt else { return }
        guard let signer = query.signer else { return list.notRun("R11.revoked", subject, .needs(query.cause)) }
        var run = RevocationRun(checker, at: time, fetchesLeft: fetchesLeft)
        let result = await run.revocation(of: signer, isGenuine: signer.isTrusted, subject: subject)
        fetchesLeft = run.fetchesLeft
        if policy == .warning { run.list.soften { _ in true } }
        list.append(contentsOf: run.list)
        switch result {
        case .good: list.pass("R11.revoked", subject)
        case .revoked(let time, let number):
            list.violate("R11.revoked", subject, as: .fail, "document signer revoked at \(time.rfc3339), CRL \(number)")
        case .undetermined(let why): list.notRun("R11.revoked", subject, .undetermined(why))
        case .notPresent: list.notRun("R11.revoked", subject, .notPresent)
        case .needs(let id): list.notRun("R11.revoked", subject, .needs(id))
        }
    }
}

extension CheckList {
    /// T5: a copy was used, since nothing newer was to be had.
    mutating func noteCopy(of fetchedAt: Timestamp, _ why: String, _ subject: String, at time: Timestamp) {
        fail("T5", subject, values: [KeptList.age(of: fetchedAt, at: time)], detail: why)
    }
}
