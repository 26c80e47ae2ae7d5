import Codec
import Crypto
import Ports

/// One run of `VPTokenVerifier`.
struct VPTokenVerification {
    static let subject = "vp_token"
    static let presentationChecks = [
        "VV7.format", "VV7.mdoc", "VV7.single", "VV8.type", "VV8.claims", "VV8.extra", "VV8.values", "VV8.authority", "VV9.binding",
        "VV9.transcript", "VV10", "VV12",
    ]

    let verifier: VPTokenVerifier
    let terms: VPTokenVerifier.Terms
    let time: Timestamp
    private var list: CheckList
    private var parts: [PresentationReport] = []
    private var missing: [String] = []
    private var unrequested: [String] = []
    /// The first failed check of the presentations under an id; nil for one without any.
    private var outcomes: [String: String?] = [:]

    init(_ verifier: VPTokenVerifier, _ terms: VPTokenVerifier.Terms, _ time: Timestamp) {
        self.verifier = verifier
        self.terms = terms
        self.time = time
        list = CheckList(edition: verifier.mdoc.signers.edition)
    }

    var report: PresentationReport {
        let whole = PresentationReport(
            at: time, rule: verifier.mdoc.rule, checks: list, missing: missing, unrequested: unrequested)
        return parts.reduce(whole) { $0.merging($1) }
    }

    mutating func run(_ token: JSON) {
        guard let object = token.objectValue else {
            list.fail("VV6.object", Self.subject, values: [token.typeName])
            list.notRun(
                ["VV6.array", "VV6.id", "VV6.one", "VV6.empty"] + Self.presentationChecks, Self.subject, .needs("VV6.object"))
            return list.notRun("VV11", Self.subject, .needs("VV6.object"))
        }
        list.pass("VV6.object", Self.subject)
        let answers = checkShape(object)
        for (id, presentations) in answers {
            guard let query = terms.query.credential(id) else { continue }
            let strings = transactions(for: query, answers)
            for (place, presentation) in presentations.enumerated() {
                verify(presentation, query, place == 0 ? id : "\(id) #\(place + 1)", strings)
            }
        }
        checkSets()
    }

    // MARK: VV6

    private mutating func checkShape(_ object: JSONObject) -> [(id: String, presentations: [JSON])] {
        var answers: [(id: String, presentations: [JSON])] = []
        for (id, value) in object {
            guard let query = terms.query.credential(id) else {
                list.fail("VV6.id", id, values: [id])
                continue
            }
            list.pass("VV6.id", id)
            guard let presentations = value.arrayValue else {
                list.fail("VV6.array", id, values: [id], detail: "it is a JSON \(value.typeName)")
                list.notRun(["VV6.one", "VV6.empty"], id, .needs("VV6.array"))
                outcomes[id] = "VV6.array"
                continue
            }
            list.pass("VV6.array", id)
            list.judge("VV6.empty", id, !presentations.isEmpty, [id])
            let isOne = query.allowsMultiple || presentations.count <= 1
            list.judge("VV6.one", id, isOne, [id, String(presentations.count)])
            if presentations.isEmpty { outcomes[id] = "VV6.empty" } else { outcomes[id] = .some(isOne ? nil : "VV6.one") }
            // The first of too many is judged all the same, so that its own faults show.
            answers.append((id, Array(presentations.prefix(query.allowsMultiple ? 64 : 1))))
        }
        return answers
    }

    // MARK: VV11

    private mutating func checkSets() {
        let answered = Set(outcomes.keys)
        let good = Set(outcomes.filter { $0.value == nil }.keys)
        let sets =
            terms.query.credentialSets?.enumerated().filter { $0.element.isRequired }.map { ($0.offset, $0.element.options) }
            ?? [(0, [terms.query.credentials.map(\.id)])]
        func unsatisfied(_ ids: Set<String>) -> [Int] {
            sets.filter { !$0.1.contains { $0.allSatisfy(ids.contains) } }.map(\.0)
        }
        let open = unsatisfied(answered)
        if !open.isEmpty {
            let absent =
                terms.query.credentialSets == nil ? terms.query.credentials.map(\.id).filter { !answered.contains($0) } : []
            missing += absent
            list.judge("VV11", Self.subject, violations: open.map { [String($0)] })
        } else if !unsatisfied(good).isEmpty, let cause = outcomes.values.compactMap(\.self).sorted().first {
            // A presentation that fails is discarded, and its own row says why.
            list.notRun("VV11", Self.subject, .needs(cause))
        } else {
            list.pass("VV11", Self.subject)
        }
    }

    // MARK: presentations

    private mutating func verify(
        _ presentation: JSON, _ query: DCQLQuery.Credential, _ subject: String, _ transactions: [VPTokenVerifier.Transaction]
    ) {
        var verification = TokenPresentationVerification(self, query, subject, transactions)
        verification.run(presentation)
        list.append(contentsOf: verification.list)
        missing += verification.missing
        unrequested += verification.unrequested
        let failed =
            verification.list.checks.first { $0.outcome == .fail }?.id
            ?? verification.report?.checks.first { $0.outcome == .fail }?.id
        if let failed, outcomes[query.id] == .some(nil) { outcomes[query.id] = .some(failed) }
        if let report = verification.report { parts.append(report) }
    }

    /// The strings that this presentation has to authorise: where several credentials may, the one that does.
    private func transactions(
        for query: DCQLQuery.Credential, _ answers: [(id: String, presentations: [JSON])]
    ) -> [VPTokenVerifier.Transaction] {
        terms.transactions.filter { transaction in
            let candidates = answers.filter { transaction.credentialIDs.contains($0.id) }
            let chosen =
                candidates.first { candidate in candidate.presentations.contains { TransactionEvidence($0).covers(transaction) } }
                ?? candidates.first
            return chosen?.id == query.id
        }
    }
}

/// What a presentation says about transaction data, before anything of it is verified: only to know where to look.
private struct TransactionEvidence {
    private let hashes: Set<String>
    private let elements: [ElementReference]

    init(_ presentation: JSON) {
        let text = presentation.stringValue ?? presentation.encoded()
        if text.contains("~"), let binding = try? SDJWT(text: text).keyBinding,
            let claims = try? JWS(compact: binding).claims()
        {
            hashes = Set(claims["transaction_data_hashes"]?.arrayValue?.compactMap(\.stringValue) ?? [])
            elements = []
        } else {
            hashes = []
            let bytes = try? Base64URL.decode(text)
            let response = bytes.flatMap { try? DeviceResponse(CBOR(decoding: $0)) }
            elements = (response?.documents ?? []).flatMap { document in
                (document.deviceSigned?.nameSpaces.value.nameSpaces ?? []).flatMap { nameSpace, elements in
                    elements.map { ElementReference(nameSpace: nameSpace, identifier: $0.identifier) }
                }
            }
        }
    }

    func covers(_ transaction: VPTokenVerifier.Transaction) -> Bool {
        SDHash.allCases.contains { hashes.contains(TransactionData.hash(transaction.text, $0)) }
            || transaction.element.map(elements.contains) ?? false
    }
}
