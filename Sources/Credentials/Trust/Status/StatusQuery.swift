import Codec
import Crypto
import Ports

/// What there is to find out about a verified document's status and that of its signer.
struct StatusQuery: Sendable {
    /// The subject of the document's rows.
    let subject: String
    /// docType or vct.
    let type: String
    let claim: StatusClaim
    /// The form that its format asks for: CWT for mdoc, JWT for SD-JWT VC.
    let form: StatusForm
    /// Of the document itself; nil where its chain cannot be read.
    let signer: SignerChain?
    /// Whether the document's own signature holds and its signer is trusted: nothing is fetched for others, which anybody could
    /// have written.
    let isGenuine: Bool
    /// The row that says why it is not.
    let cause: String
    /// Keys trusted for the document, where it carries no certificates.
    var keys: [PublicKey] = []
    var isHAIP = false
    /// Whether the token's own signer may sign the list: forbidden for mdocs only.
    var mayBeOwn = false

    /// `R28.status` or `S15.status`.
    var statusCheck: String { form == .cwt ? "R28.status" : "S15.status" }
}

/// The rules by which one list is judged for one document.
struct StatusJudge {
    let query: StatusQuery
    let reference: StatusReference
    let edition: Edition
    let skew: Int64
    let time: Timestamp

    private static let mDL = "org.iso.18013.5.1.mDL"

    /// Everything up to the lookup: whether this list may speak for the document.
    ///
    /// - Returns: whether nothing stands against it.
    func admit(_ token: StatusToken, in list: inout CheckList, _ subject: String) -> Bool {
        let first = list.checks.count
        checkForm(token, &list, subject)
        checkSigner(token, &list, subject)
        checkClaims(token, &list, subject)
        return list.checks[first...].allSatisfy { !$0.isUndetermined }
    }

    /// The signer alone: decides whether a fetched copy is worth keeping.
    func trusts(_ token: StatusToken) -> Bool {
        var list = CheckList(edition: edition)
        checkSigner(token, &list, "")
        return list.checks.allSatisfy { !$0.isUndetermined }
    }

    // MARK: T10, T11

    private func checkForm(_ token: StatusToken, _ list: inout CheckList, _ subject: String) {
        if token.form == query.form {
            list.pass("T10.form", subject)
        } else {
            list.fail(
                "T10.form", subject,
                token.form == .jwt ? "JWT where CWT is due (mdoc: CWT)" : "CWT where JWT is due (SD-JWT VC: JWT)")
        }
        if query.form == .jwt { list.judge("S15.format", subject, token.form == .jwt) }
        let wanted = wantedType(token.form)
        switch token.type {
        case wanted?:
            list.pass("T11.typ", subject)
            list.pass("T11.short", subject)
        case String(wanted.dropFirst("application/".count))?:
            list.pass("T11.typ", subject)
            if token.form == .jwt {
                list.pass("T11.short", subject)
            } else {
                list.fail("T11.short", subject, "short form `\(token.type ?? "")`")
            }
        default:
            list.fail(
                "T11.typ", subject,
                "typ is not `\(token.form == .jwt ? String(wanted.dropFirst(12)) : wanted)`: \(token.type ?? "missing")")
            list.notRun("T11.short", subject, .needs("T11.typ"))
        }
    }

    private func wantedType(_ form: StatusForm) -> String {
        if case .identifier = reference.mechanism { return form.mediaType(identifiers: true) }
        return form.mediaType()
    }

    // MARK: T12, T13

    private func checkSigner(_ token: StatusToken, _ list: inout CheckList, _ subject: String) {
        if let fault = token.signatureFault, fault.check == "T12.alg" {
            list.fail("T12.alg", subject, fault.message)
        } else {
            list.pass("T12.alg", subject)
        }
        guard let certificates = token.x5chain else { return checkBareKey(token, &list, subject) }
        if let fault = token.chainFault {
            list.fail("T12.chain", subject, "chain missing or wrongly carried: \(fault)")
        } else {
            list.pass("T12.chain", subject)
        }
        if let fault = token.signatureFault {
            if fault.check == "T12.signature" {
                list.fail("T12.signature", subject, fault.message)
            } else {
                list.notRun("T12.signature", subject, .needs(fault.check))
            }
        } else {
            list.pass("T12.signature", subject)
        }
        checkPath(certificates, &list, subject)
    }

    /// A JWT without certificates: signed by the issuer's own key, which the caller vouches for.
    private func checkBareKey(_ token: StatusToken, _ list: inout CheckList, _ subject: String) {
        guard token.form == .jwt, !query.isHAIP, !query.keys.isEmpty else {
            list.fail("T12.chain", subject, "chain missing\(token.chainFault.map { ": \($0)" } ?? "")")
            return list.notRun(["T12.signature", "T13.signer", "T13.profile"], subject, .needs("T12.chain"))
        }
        list.notRun("T12.chain", subject, .notPresent)
        list.judge("T12.signature", subject, token.isSigned(byOneOf: query.keys))
        list.notRun("T13.profile", subject, .notPresent)
        list.pass("T13.signer", subject)
    }

    private func checkPath(_ certificates: [[UInt8]], _ list: inout CheckList, _ subject: String) {
        guard let anchors = anchors else {
            list.fail(
                "T13.signer", subject, "the root of the document's signer is not known, so nobody can be shown to stand under it")
            return list.notRun("T13.profile", subject, .needs("T13.signer"))
        }
        let chain = SignerChain(certificates, as: .status, anchors: anchors, edition: edition, skew: skew, at: time)
        let isOwn = query.form == .cwt && !query.mayBeOwn && chain.key != nil && chain.key == query.signer?.key
        if isOwn {
            list.fail("T13.signer", subject, "signed by the document signer itself")
        } else if let unreadable = chain.unreadable {
            list.fail("T13.signer", subject, "certificate \(unreadable.place) is unreadable: \(unreadable.error)")
        } else if !chain.isTrusted {
            let why = chain.result.findings.filter { $0.kind != .rootInChain }.map(\.description).joined(separator: "; ")
            list.fail(
                "T13.signer", subject,
                reference.certificate == nil
                    ? "top of the chain is not signed by the document issuer's root: \(why)"
                    : "top of the chain is not signed by the certificate that the document names: \(why)")
        } else {
            list.pass("T13.signer", subject)
        }
        let broken = chain.profile.findings
        if broken.isEmpty || isOwn {
            list.pass("T13.profile", subject)
        } else {
            list.fail("T13.profile", subject, broken.map { "signer breaks rule \($0.id): \($0.message)" }.joined(separator: "; "))
        }
    }

    /// The certificates under which the list's signer has to stand; nil where the document does not lead to any.
    private var anchors: [Certificate]? {
        if let der = reference.certificate { return (try? Certificate(der: der)).map { [$0] } }
        return query.signer?.anchor.map { [$0] }
    }

    // MARK: T14, T15, T17, T30

    private func checkClaims(_ token: StatusToken, _ list: inout CheckList, _ subject: String) {
        list.judge("T14", subject, token.subject == reference.uri, [token.subject ?? "missing", reference.uri])
        let latest = time.adding(seconds: skew)
        list.judge("T15.iat", subject, token.issuedAt.map { $0 <= latest } ?? false)
        if let expiry = token.expiresAt {
            list.judge("T15.exp", subject, expiry > time.adding(seconds: -skew), [expiry.rfc3339])
        } else {
            list.notRun("T15.exp", subject, .notPresent)
        }
        if query.form == .cwt { list.judge("T15.exp-present", subject, token.expiresAt != nil) }
        switch reference.mechanism {
        case .index: checkList(token, &list, subject)
        case .identifier:
            list.judge("T30", subject, token.identifiers != nil && token.list == nil)
        }
    }

    private func checkList(_ token: StatusToken, _ list: inout CheckList, _ subject: String) {
        let ids = ["T17.bits", "T17.zlib", "T17.limit"]
        switch token.list {
        case .success?: for id in ids { list.pass(id, subject) }
        case .failure(let fault)?: list.fail(fault.check, subject, fault.message)
        case nil: list.fail("T17.bits", subject, "there is no status list in it")
        }
    }

    // MARK: T18, T19, T32, R28.mdl-values

    /// The status that the list gives the document; nil where it says nothing.
    func lookUp(_ token: StatusToken, in list: inout CheckList, _ subject: String) -> TokenStatus? {
        switch (reference.mechanism, token.list) {
        case (.index(let index), .success(let statuses)?):
            guard let value = statuses[index] else {
                list.fail("T18", subject, values: [String(index), String(statuses.count)])
                return nil
            }
            list.pass("T18", subject)
            checkMDLValues(value, statuses.bits, &list, subject)
            return TokenStatus(value)
        case (.identifier(let id), _):
            guard let identifiers = token.identifiers else { return nil }
            list.judge("T32", subject, !identifiers.contains(id))
            return identifiers.contains(id) ? .invalid : .valid
        default: return nil
        }
    }

    private func checkMDLValues(_ value: UInt8, _ bits: Int, _ list: inout CheckList, _ subject: String) {
        guard query.form == .cwt else { return }
        guard query.type == Self.mDL else { return list.notRun("R28.mdl-values", subject, .profile) }
        list.judge("R28.mdl-values", subject, bits == 1 && value <= 1, [String(bits)])
    }
}

extension Check {
    /// Whether this is a step that leaves the status undetermined.
    var isUndetermined: Bool { if case .notRun(.undetermined) = outcome { true } else { false } }
}
