import Codec
import Crypto
import Ports

/// The checks of one presentation of a `vp_token`: VV7 to VV10 and VV12, and those of its format.
struct TokenPresentationVerification {
    private let whole: VPTokenVerification
    private let query: DCQLQuery.Credential
    private let subject: String
    private let transactions: [VPTokenVerifier.Transaction]
    private(set) var list: CheckList
    private(set) var report: PresentationReport?
    private(set) var missing: [String] = []
    private(set) var unrequested: [String] = []

    init(
        _ whole: VPTokenVerification, _ query: DCQLQuery.Credential, _ subject: String,
        _ transactions: [VPTokenVerifier.Transaction]
    ) {
        self.whole = whole
        self.query = query
        self.subject = subject
        self.transactions = transactions
        list = CheckList(edition: whole.verifier.mdoc.signers.edition)
    }

    private var terms: VPTokenVerifier.Terms { whole.terms }

    mutating func run(_ presentation: JSON) {
        let isToken = presentation.objectValue != nil || presentation.stringValue?.contains("~") ?? false
        let format = isToken ? SDJWTVC.mediaType : "mso_mdoc"
        let wanted = query.format == SDJWTVC.formerMediaType ? SDJWTVC.mediaType : query.format
        let asked = query.format
        list.judge("VV7.format", subject, format == wanted, [format, asked])
        guard format == wanted else {
            return list.notRun(VPTokenVerification.presentationChecks.filter { $0 != "VV7.format" }, subject, .needs("VV7.format"))
        }
        if isToken { sdJWT(presentation.stringValue ?? presentation.encoded()) } else { mdoc(presentation) }
    }

    // MARK: SD-JWT VC

    private mutating func sdJWT(_ text: String) {
        list.notRun(["VV7.mdoc", "VV7.single", "VV9.transcript", "VV12"], subject, .notPresent)
        var verifier = whole.verifier.sdJWT
        verifier.rule.holderBindingRequired = query.requiresHolderBinding
        let binding = KeyBindingExpectation(
            audience: terms.binding.audience, nonce: terms.binding.nonce, transactionData: transactions.map(\.text),
            window: terms.window)
        let report = verifier.verify(text, expecting: .presentation(types: query.types, binding: binding), at: whole.time)
        self.report = report
        follow("VV9.binding", report, ["S16.present"])
        followDigital("VD5", report, ["S16.aud"]) { [$0] }
        follow("VV8.type", report, ["S14.vct"], values: [report.documents.first?.type ?? "unknown"])
        let token = try? SDJWT(text: text)
        let header = try? token?.jws().protected
        let chain = ((try? header?.x5c()) ?? nil) ?? []
        checkAlgorithms(token, header, chain)
        guard let document = report.documents.first, report.isPassed("S5") else {
            return list.notRun(["VV8.claims", "VV8.extra", "VV8.values", "VV8.authority"], subject, .needs("S5"))
        }
        let placements = (try? token?.processed().placements) ?? []
        judge(document, chain, disclosed: placements.map(\.path))
    }

    private mutating func checkAlgorithms(_ token: SDJWT?, _ header: JOSEHeader?, _ chain: [[UInt8]]) {
        guard let formats = terms.formats else { return list.notRun("VV10", subject, .notRequested) }
        let curve = chain.first.flatMap { try? Certificate(der: $0).publicKey().curve }
        var found = [formats.tokenObstacle("sd-jwt_alg_values", algorithm: header?["alg"]?.stringValue, curve)]
        if let binding = token?.keyBinding, let jws = try? JWS(compact: binding) {
            let jwk = (try? token?.processed().claims["cnf"])?["jwk"]
            let curve = jwk.flatMap { try? PublicKey(jwk: $0).curve }
            found.append(formats.tokenObstacle("kb-jwt_alg_values", algorithm: jws.protected["alg"]?.stringValue, curve))
        }
        record(found)
    }

    private mutating func record(_ obstacles: [String?]) {
        let found = obstacles.compactMap(\.self)
        if found.isEmpty { list.pass("VV10", subject) }
        for obstacle in found { list.fail("VV10", subject, obstacle) }
    }

    // MARK: mdoc

    private mutating func mdoc(_ presentation: JSON) {
        let rest = VPTokenVerification.presentationChecks.filter { $0 != "VV7.format" && $0 != "VV7.mdoc" }
        let response: DeviceResponse
        let bytes: [UInt8]
        do {
            bytes = try Base64URL.decode(presentation.stringValue ?? "")
            response = try DeviceResponse(CBOR(decoding: bytes))
        } catch {
            list.fail("VV7.mdoc", subject, values: [], detail: "\(error)")
            return list.notRun(rest, subject, .needs("VV7.mdoc"))
        }
        list.pass("VV7.mdoc", subject)
        list.judge("VV7.single", subject, response.documents.count == 1, [String(response.documents.count)])
        let transcript = terms.transcript ?? (try? terms.binding.transcript())
        let mistakes = terms.transcript == nil ? terms.binding.knownMistakes(mdocNonce: terms.mdocNonce) : []
        let report = whole.verifier.mdoc.verify(bytes, over: transcript, mistakes: mistakes, at: whole.time)
        self.report = report
        guard let document = response.documents.first, let presented = report.documents.first else {
            return list.notRun(rest.filter { $0 != "VV7.single" }, subject, .needs("VV7.single"))
        }
        follow("VV9.binding", report, ["R24.form"])
        follow("VV9.transcript", report, ["R24.signature", "R24.mac"])
        followDigital("VD6", report, ["R24.signature", "R24.mac"]) { _ in [] }
        list.judge("VV8.type", subject, query.types?.contains(document.docType) ?? true, [document.docType])
        checkAlgorithms(document)
        checkTransactions(document)
        judge(document, presented, report)
    }

    private mutating func judge(_ document: Document, _ presented: PresentedDocument, _ report: PresentationReport) {
        guard report.isPassed("R14") else {
            return list.notRun(["VV8.claims", "VV8.extra", "VV8.values", "VV8.authority"], subject, .needs("R14"))
        }
        let chain = (try? document.issuerSigned.issuerAuth.x5chain?.certificates) ?? []
        let ordered = Set(transactions.compactMap(\.element))
        let disclosed = presented.claims.filter {
            !ordered.contains(ElementReference(nameSpace: $0.namespace, identifier: $0.element))
        }
        judge(presented, chain, disclosed: disclosed.map { ClaimPath($0.namespace, $0.element) })
    }

    private mutating func checkAlgorithms(_ document: Document) {
        guard let formats = terms.formats else { return list.notRun("VV10", subject, .notRequested) }
        let auth = document.issuerSigned.issuerAuth
        let signer = (try? auth.x5chain?.certificates.first).flatMap { try? Certificate(der: $0).publicKey().curve }
        let device = try? document.issuerSigned.mobileSecurityObject().deviceKey.curve
        var found = [formats.mdocObstacle("issuerauth_alg_values", algorithm: auth.protected.algorithm, signer)]
        if let signature = document.deviceSigned?.deviceAuth.deviceSignature {
            found.append(formats.mdocObstacle("deviceauth_alg_values", algorithm: signature.protected.algorithm, device ?? nil))
        }
        if document.deviceSigned?.deviceAuth.deviceMac != nil { found.append(formats.macObstacle(device ?? nil)) }
        record(found)
    }

    /// VV12: the device signs the SHA-256 of each string in the element that the type of transaction data defines.
    private mutating func checkTransactions(_ document: Document) {
        guard !transactions.isEmpty else { return list.notRun("VV12", subject, .notRequested) }
        var wrong: [[String]] = []
        for transaction in transactions {
            let place = String(terms.transactions.firstIndex(of: transaction) ?? 0)
            let value = transaction.element.flatMap { document.deviceSigned?.nameSpaces.value.value($0) }
            let expected = HashAlgorithm.sha256.digest(Array(transaction.text.utf8))
            if (try? value?.bytes()) != expected { wrong.append([place]) }
        }
        list.judge("VV12", subject, violations: wrong)
    }

    // MARK: VV8 and VV9

    /// A check that fails together with one of a format's own.
    private mutating func follow(
        _ id: String, _ report: PresentationReport, _ others: [String], values: [String] = []
    ) {
        let rows = report.checks.filter { others.contains($0.id) }
        if let failed = rows.first(where: { $0.outcome == .fail }) {
            list.fail(id, subject, values: values, detail: failed.reason)
        } else if rows.contains(where: { $0.outcome == .pass }) {
            list.pass(id, subject)
        } else if case .notRun(let why)? = rows.first(where: { $0.outcome != .notRun(.notPresent) })?.outcome {
            list.notRun(id, subject, why)
        } else {
            list.notRun(id, subject, .notPresent)
        }
    }

    /// The same for a rule of the Digital Credentials API.
    private mutating func followDigital(
        _ id: String, _ report: PresentationReport, _ others: [String], values: (_ origin: String) -> [String]
    ) {
        guard case .digitalCredentials(let origin) = terms.binding.channel else { return list.notRun(id, subject, .notRequested) }
        follow(id, report, others, values: values(origin))
    }

    /// Whether what was disclosed is what the query asks for.
    private mutating func judge(_ document: PresentedDocument, _ chain: [[UInt8]], disclosed: [ClaimPath]) {
        let credential = QueryableCredential(presented: document, chain: chain).listed(by: whole.verifier.lists, at: whole.time)
        judgeAuthority(credential)
        let strict = query.withoutContext.match(presented: credential)
        let relaxed = query.withoutContext.withoutValues.match(presented: credential)
        guard let match = strict.match ?? relaxed.match else {
            let paths = relaxed.reasons.compactMap(\.path)
            missing += paths.map { "\(document.type)/\($0.slashed)" }
            list.notRun("VV8.values", subject, .needs("VV8.claims"))
            if let cause = causeOfUnverified(document, disclosed, paths) {
                list.notRun("VV8.claims", subject, .needs(cause))
            } else {
                list.fail("VV8.claims", subject, values: [paths.map(\.description).joined(separator: ", ")])
            }
            return judgeExtra(document, disclosed, query.claims?.map(\.path) ?? [])
        }
        list.pass("VV8.claims", subject)
        judgeValues(match, credential)
        judgeExtra(document, disclosed, match.claims.compactMap { query.claims?[$0].path })
    }

    /// Claims that came and did not verify are not missing: their own rows fail.
    private func causeOfUnverified(_ document: PresentedDocument, _ disclosed: [ClaimPath], _ paths: [ClaimPath]) -> String? {
        guard document.payload == nil, document.claims.contains(where: { !$0.isVerified }),
            paths.allSatisfy(disclosed.contains)
        else { return nil }
        return report?.checks.first { $0.outcome == .fail }?.id
    }

    private mutating func judgeAuthority(_ credential: QueryableCredential) {
        guard !query.trustedAuthorities.isEmpty else { return list.notRun("VV8.authority", subject, .notRequested) }
        let verdicts = query.trustedAuthorities.map { credential.isTrusted(by: $0) }
        if verdicts.contains(true) {
            list.pass("VV8.authority", subject)
        } else if verdicts.contains(nil) {
            list.notRun("VV8.authority", subject, .undetermined(undecided(query)))
        } else {
            list.fail("VV8.authority", subject, values: [])
        }
    }

    private func undecided(_ query: DCQLQuery.Credential) -> String {
        let lists = query.trustedAuthorities.filter { $0.type == "etsi_tl" }.flatMap(\.values)
        return lists.isEmpty
            ? "only aki and etsi_tl can be evaluated here"
            : "no list of trusted entities in use is known whole by \(lists.joined(separator: ", "))"
    }

    private mutating func judgeValues(_ match: DCQLEvaluation.Match, _ credential: QueryableCredential) {
        let asked = match.claims.compactMap { query.claims?[$0] }.filter { $0.values != nil }
        guard !asked.isEmpty else { return list.notRun("VV8.values", subject, .notRequested) }
        var wrong: [[String]] = []
        for claim in asked {
            let values = (try? credential.claims(at: claim.path.anyElement)) ?? []
            guard let accepted = claim.values, !values.contains(where: accepted.contains) else { continue }
            wrong.append([claim.path.description, values.map { $0.encoded() }.joined(separator: ", ")])
        }
        list.judge("VV8.values", subject, violations: wrong)
    }

    private mutating func judgeExtra(_ document: PresentedDocument, _ disclosed: [ClaimPath], _ selected: [ClaimPath]) {
        let extra = disclosed.filter { path in !selected.contains { $0.overlaps(path) } }
        unrequested += extra.map { "\(document.type)/\($0.slashed)" }
        list.judge("VV8.extra", subject, extra.isEmpty, [extra.map(\.description).joined(separator: ", ")])
    }
}

extension PresentationReport {
    fileprivate func isPassed(_ id: String) -> Bool { checks.contains { $0.id == id && $0.outcome == .pass } }
}

extension DCQLMiss {
    /// The claim that it is about.
    fileprivate var path: ClaimPath? {
        switch self {
        case .claimMissing(let path), .pathError(let path), .value(let path): path
        default: nil
        }
    }
}

extension ClaimPath {
    /// One of the two lies inside the other, or they are the same.
    fileprivate func overlaps(_ other: ClaimPath) -> Bool {
        zip(components, other.components).allSatisfy { own, its in
            own == its || own == .all || its == .all
        }
    }

    /// As `missing` and `unrequested` of reports name elements.
    fileprivate var slashed: String {
        components.map { component in
            switch component {
            case .key(let name): name
            case .index(let place): String(place)
            case .all: "*"
            }
        }.joined(separator: "/")
    }
}

extension DCQLQuery.Credential {
    /// The claims alone: type, format, holder binding and authorities are judged by themselves.
    fileprivate var withoutContext: Self { copy(claims: claims) }

    /// Any value will do: values are no security check (OpenID4VP 1.0 §6.4.1).
    fileprivate var withoutValues: Self {
        copy(claims: claims?.map { .init(id: $0.id, path: $0.path, values: nil, intentToRetain: $0.intentToRetain) })
    }

    private func copy(claims: [DCQLQuery.Claim]?) -> Self {
        .init(
            id: id, format: format == SDJWTVC.formerMediaType ? SDJWTVC.mediaType : format, types: nil,
            allowsMultiple: allowsMultiple, requiresHolderBinding: false, trustedAuthorities: [], claims: claims,
            claimSets: claimSets)
    }
}
