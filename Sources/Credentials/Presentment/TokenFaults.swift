import Codec
import Crypto
import Ports

extension ContentFault {
    /// Faults that are made where a `vp_token` is presented.
    static let tokenFaults = presentedDisclosureFaults + bindingFaults + transactionFaults + tokenSetFaults + queryFaults

    private static let presentedDisclosureFaults: [ContentFault] = [
        .init(
            "sd-jwt-form", "what follows the last ~ is no JWT", also: ["S5", "S16.*", "VV8.*", "VV9.binding"],
            .token { draft in
                draft.binding = nil
                draft.textChanges.append { $0 + "not-a-jwt" }
            }),
        .init(
            "sd-jwt-base64url", "a disclosure has padding", also: ["S5", "S16.*", "VV8.*"],
            .token { draft in
                draft.textChanges.append { text in
                    var parts = text.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
                    if parts.count > 2 { parts[1] += "=" }
                    return parts.joined(separator: "~")
                }
            }),
        .init(
            "sd-jwt-json-form", "a JSON serialisation without signature", also: ["S5", "S16.*", "VV8.*", "VV9.binding"],
            .token { draft in draft.textChanges.append { _ in "{\"payload\": \"e30\", \"disclosures\": \"~\"}" } }),
        .init(
            "disclosure-reencoded", "a disclosure is encoded again with spaces",
            also: ["S10.unreferenced", "S16.sd-hash", "VV8.claims"],
            .token { draft in
                guard let text = draft.disclosures.first, let disclosure = try? Disclosure(encoded: text) else {
                    throw TamperingError.needs("a disclosure in the answer", fault: "disclosure-reencoded")
                }
                let compact = JSON.array(disclosure.items).encoded()
                let spaced = compact == Self.text(of: disclosure) ? "[ " + compact.dropFirst() : compact
                draft.disclosures[0] = Base64URL.encode(Array(spaced.utf8))
                draft.orderedByFault.insert(draft.disclosures[0])
            }),
        .init(
            "disclosure-foreign", "a disclosure that no digest references",
            .token { draft in
                let salt = Base64URL.encode(draft.random.bytes(16))
                let text = Base64URL.encode(JSON.array([.string(salt), "x_foreign", true]).encoded().utf8)
                draft.disclosures.append(text)
                draft.orderedByFault.insert(text)
            }),
        .init(
            "over-disclose", "one claim more than agreed to would go; the wallet stops it",
            .token { draft in draft.disclosures.append(try draft.unrequested(fault: "over-disclose")) },
            .document { draft in
                guard let extra = draft.unrequested(where: { AgeStatement($0) == nil }).first else { return }
                draft.add(extra, isOrdered: false)
            }),
        .init(
            "own-response-no-claims", "a claim would go though the query asks for none; the wallet stops it",
            .token { draft in draft.disclosures.append(try draft.unrequested(fault: "own-response-no-claims")) }),
    ]

    private static func text(of disclosure: Disclosure) -> String? {
        (try? Base64URL.decode(disclosure.encoded)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static let bindingFaults: [ContentFault] = [
        .init("kb-omitted", "no key binding JWT", .token { $0.binding = nil }),
        .init("kb-typ", "typ of the key binding is JWT", .token { $0.header["typ"] = "JWT" }),
        .init(
            "kb-alg", "the key binding names an algorithm of another curve", also: ["S16.signature", "VV10"],
            .token { $0.header["alg"] = "ES512" }),
        .init("kb-signature-wrong", "the key binding is signed by another key", .token { $0.signsWithStrangeKey = true }),
        .init("kb-aud-wrong", "aud is another verifier", .token { $0.binding?.audience = "x509_san_dns:other.example" }),
        .init(
            "dc-aud", "aud is a client_id although the request came from a page", also: ["S16.aud"],
            .token { $0.binding?.audience = "x509_san_dns:verifier.example" }),
        .init(
            "dc-transcript", "an mdoc covers another handover than that of the Digital Credentials API",
            also: ["VV9.transcript", "R24.signature"],
            .document { draft in
                guard let other = draft.transcript.withOtherHandover else { return }
                draft.transcript = other
            }),
        .init("kb-nonce-wrong", "nonce is another one", .token { $0.binding?.nonce = "another-nonce" }),
        .init("kb-sd-hash-wrong", "sd_hash is of another presentation", .token { $0.boundHash = .wrong }),
        .init(
            "kb-iat-past", "iat is yesterday",
            .token { $0.shiftIssuance(days: -1) }),
        .init(
            "kb-iat-future", "iat is tomorrow",
            .token { $0.shiftIssuance(days: 1) }),
        .init("kb-claims", "iat is missing", .token { $0.payloadChanges.append { $0["iat"] = nil } }),
    ]

    private static let transactionFaults: [ContentFault] = [
        .init(
            "tx-hashes-present", "transaction_data_hashes is missing",
            .token { draft in
                draft.payloadChanges.append { payload in
                    payload["transaction_data_hashes"] = nil
                    payload["transaction_data_hashes_alg"] = nil
                }
            }),
        .init(
            "tx-hashes-equal", "a hash is of other transaction data",
            .token { draft in
                draft.payloadChanges.append { $0["transaction_data_hashes"] = [.string(SDHash.sha256.text(of: "other"))] }
            }),
        .init(
            "tx-hashes-alg", "the hash algorithm is not stated though the request lists some",
            .token { draft in
                draft.payloadChanges.append { payload in
                    payload["transaction_data_hashes_alg"] = payload["transaction_data_hashes_alg"] == nil ? "md5" : nil
                }
            }),
        .init(
            "tx-hashes-unasked", "hashes though there is no transaction data",
            .token { draft in
                draft.payloadChanges.append { $0["transaction_data_hashes"] = [.string(SDHash.sha256.text(of: "unasked"))] }
            }),
        .init(
            "tx-mdoc-element", "the device signs another hash of the transaction data",
            .document { draft in
                guard let place = draft.disclosures.firstIndex(where: \.isTransaction) else {
                    throw TamperingError.needs("transaction data for an mdoc", fault: "tx-mdoc-element")
                }
                draft.disclosures[place].source = .device(.bytes(Array(repeating: 0, count: 32)))
            }),
    ]

    private static let tokenSetFaults: [ContentFault] = [
        .init(
            "vp-token-object", "vp_token is a string", .tokens { $0.replacement = .string($0.answers.first?.texts.first ?? "") }),
        .init(
            "vp-token-array", "the value of an id is a string",
            .tokens { draft in
                let answer = try draft.first(fault: "vp-token-array")
                draft.replacedMembers[answer.id] = .string(answer.texts.first ?? "")
            }),
        .init(
            "vp-token-id", "an entry under an id that the query does not have",
            .tokens { draft in
                let answer = try draft.first(fault: "vp-token-id")
                draft.additions.append(("x-unknown-id", .array(answer.texts.map { .string($0) })))
            }),
        .init(
            "vp-token-one", "two presentations where one is asked for",
            .tokens { draft in
                let answer = try draft.first(fault: "vp-token-one")
                draft.answers[0].texts = answer.texts + answer.texts
            }),
        .init(
            "vp-token-empty", "an empty array for an id",
            .tokens { draft in
                _ = try draft.first(fault: "vp-token-empty")
                draft.answers[0].texts = []
            }),
        .init(
            "empty-entry", "an empty entry for an optional query that nothing matches; the wallet stops it",
            .tokens { draft in
                let answered = Set(draft.answers.map(\.id))
                guard let unmatched = draft.query.credentials.first(where: { !answered.contains($0.id) }) else {
                    throw TamperingError.needs("an optional query that nothing matches", fault: "empty-entry")
                }
                draft.additions.append((unmatched.id, []))
            }),
        .init(
            "drop-presentation", "a presentation that is required does not go",
            .tokens { draft in
                _ = try draft.first(fault: "drop-presentation")
                draft.answers.removeLast()
            }),
        .init(
            "mdoc-encoding", "the DeviceResponse lacks its last bytes",
            .tokens { draft in
                let place = try draft.mdoc(fault: "mdoc-encoding")
                draft.answers[place].texts = draft.answers[place].texts.map { String($0.dropLast(8)) }
            }),
        .init(
            "mdoc-one-document", "a DeviceResponse without documents",
            .tokens { draft in
                let place = try draft.mdoc(fault: "mdoc-one-document")
                draft.answers[place].texts = [Base64URL.encode(DeviceResponse().encodedCBOR)]
            }),
        .init(
            "format-asked", "the presentations of two queries change places",
            .tokens { draft in
                guard draft.answers.count == 2 else {
                    throw TamperingError.needs("an answer with an mdoc and an SD-JWT VC", fault: "format-asked")
                }
                (draft.answers[0].texts, draft.answers[1].texts) = (draft.answers[1].texts, draft.answers[0].texts)
            }),
    ]

    private static let queryFaults: [ContentFault] = [
        .init(
            "query-type", "an mdoc of another type goes", also: ["VV8.claims", "VV8.extra"],
            .document { draft in
                guard let other = draft.others.first(where: { $0.docType != draft.docType }) else {
                    throw TamperingError.needs("a second mdoc of another type in the wallet", fault: "query-type")
                }
                draft.replaceDocument(with: other)
            }),
        .init(
            "query-claims", "a claim that is asked for does not go",
            .token { draft in
                guard !draft.disclosures.isEmpty else {
                    throw TamperingError.needs("a disclosure in the answer", fault: "query-claims")
                }
                draft.disclosures.removeLast()
            }, .document { draft in draft.disclosures.removeLast() }),
        .init(
            "query-extra", "a claim that is not asked for goes",
            .token { draft in
                let text = try draft.unrequested(fault: "query-extra")
                draft.disclosures.append(text)
                draft.orderedByFault.insert(text)
            },
            .document { draft in
                guard let extra = draft.unrequested(where: { AgeStatement($0) == nil }).first else { return }
                draft.add(extra)
            }),
        .init("query-values", "the wallet answers though the value is not among those asked for", .conduct),
        .init("query-authority", "the wallet answers though the issuer is not among the authorities", .conduct),
        .init("formats-alg", "the wallet answers with an algorithm that the verifier does not list", .conduct),
    ]
}

extension TokenSetDraft {
    fileprivate func first(fault: String) throws(TamperingError) -> TokenAnswerDraft {
        guard let answer = answers.first else { throw .needs("a presentation", fault: fault) }
        return answer
    }

    /// The place of an mdoc among the answers.
    fileprivate func mdoc(fault: String) throws(TamperingError) -> Int {
        guard let place = answers.firstIndex(where: { $0.texts.first?.contains("~") == false }) else {
            throw .needs("an mdoc in the answer", fault: fault)
        }
        return place
    }
}

extension TokenDraft {
    fileprivate mutating func shiftIssuance(days: Int) {
        guard let issued = binding?.issuedAt else { return }
        binding?.issuedAt = issued.adding(days: days)
    }

    /// A disclosure of the credential at the top level that does not go.
    fileprivate func unrequested(fault: String) throws(TamperingError) -> String {
        let all = credential.token.disclosures
        let places = credential.processed.placements.filter { $0.path.components.count == 1 }.map(\.disclosure)
        guard let extra = places.map({ all[$0] }).first(where: { !disclosures.contains($0) }) else {
            throw .needs("a credential with a claim that is not asked for", fault: fault)
        }
        return extra
    }
}
