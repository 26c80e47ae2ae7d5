import Codec
import Crypto

extension ContentFault {
    /// Faults that are made where the document is presented.
    static let holderFaults = responseFaults + disclosureFaults + deviceAuthFaults + ageFaults + conductFaults

    private static let responseFaults: [ContentFault] = [
        .init("response-version", "DeviceResponse version 2.0", .response { $0.version = "2.0" }),
        .init(
            "response-status", "status 10 and no documents",
            .response { draft in
                draft.status = DeviceResponse.Status.generalError
                draft.documents = []
            }),
        .init(
            "response-status-known", "status 99, which nobody defined, and no documents", also: ["R6.status"],
            .response { draft in
                draft.status = 99
                draft.documents = []
            }),
        .init(
            "documents-with-error-status", "status 10 together with documents", also: ["R6.status"],
            .response { $0.status = DeviceResponse.Status.generalError }),
        .init(
            "doctype-requested", "a document of a type that was not requested goes in place of the requested one",
            also: ["R26.extra", "R26.missing"],
            .document { draft in
                guard let other = draft.others.first(where: { $0.docType != draft.request.docType }) else {
                    throw TamperingError.needs("a second document of another type in the wallet", fault: "doctype-requested")
                }
                draft.replaceDocument(with: other)
            }),
    ]

    private static let disclosureFaults: [ContentFault] = [
        .init(
            "item-reencoded", "the items are encoded again with their members in another order",
            .document { draft in try draft.alterItem(fault: "item-reencoded") { $0.reencoded } }),
        .init(
            "withhold-element", "one approved element does not go",
            .document { draft in
                let place = try draft.place(fault: "withhold-element") { $0 != "portrait" && AgeStatement($0) == nil }
                draft.disclosures.remove(at: place)
            }),
        .init(
            "portrait-withheld", "the portrait does not go though it was asked for and approved", also: ["R26.missing"],
            .document { draft in
                let place = try draft.place(fault: "portrait-withheld") { $0 == "portrait" }
                draft.disclosures.remove(at: place)
            }),
        .init(
            "extra-element", "one element goes that was not requested",
            .document { draft in
                guard let extra = draft.unrequested(where: { AgeStatement($0) == nil }).first else {
                    throw TamperingError.needs("a document with an element that was not requested", fault: "extra-element")
                }
                draft.add(extra)
            }),
        .init(
            "device-signed-authorised", "the device signs an element that the issuer did not let it sign", also: ["R26.extra"],
            .document { draft in
                let reference = ElementReference(nameSpace: "org.walletbench.fault", identifier: "self_asserted")
                draft.disclosures.append(.init(reference: reference, source: .device(.bool(true)), isOrderedByFault: true))
            }),
        .init(
            "device-signed-mdl-element", "the device signs an element of the mDL table", also: ["R25.authorised"],
            .document { draft in
                let table = DocumentDefinition.mobileDrivingLicence
                let place = try draft.place(fault: "device-signed-mdl-element") { identifier in
                    identifier != "portrait" && table.nameSpaces[0].element(identifier) != nil
                }
                guard let value = draft.value(at: place) else {
                    throw TamperingError.needs("an mDL element that the issuer signed", fault: "device-signed-mdl-element")
                }
                draft.disclosures[place].source = .device(value)
            }),
    ]

    private static let deviceAuthFaults: [ContentFault] = [
        .init(
            "device-auth-form", "deviceSignature and deviceMac are both there", also: ["R24.signature", "R24.mac"],
            .document { $0.form = .both }),
        .init(
            "device-auth-alg", "the algorithm of device authentication is not protected",
            .document { $0.algorithmIsProtected = false }),
        .init(
            "device-auth-detached", "device authentication carries its payload", .document { $0.payloadIsDetached = false }),
        .init(
            "device-signature-wrong", "one bit of the device signature is flipped",
            .document { draft in
                draft.form = .signature
                draft.spoilsProof = true
            }),
        .init(
            "mac-wrong-key", "the device MAC is made with another key",
            .document { draft in
                draft.form = .mac
                draft.spoilsProof = true
            }),
        .init(
            "device-mac-curve", "a device MAC although device key and session are on different curves", also: ["R24.mac"],
            .document { draft in
                draft.form = .mac
                draft.ignoresCurves = true
            }),
        .init(
            "transcript-other", "device authentication covers the transcript of another session",
            also: ["R24.mac", "VV9.transcript"],
            .document { draft in
                guard let other = draft.transcript.withOtherHandover else {
                    throw TamperingError.needs("a readable transcript", fault: "transcript-other")
                }
                draft.transcript = other
            }),
    ]

    private static let ageFaults: [ContentFault] = [
        .init(
            "age-wrong-direction", "an age statement goes that does not answer the question", also: ["R26.extra", "R26.missing"],
            .document { draft in try draft.answerAgeInWrongDirection() }),
        .init(
            "age-three", "three age statements go", also: ["R26.extra", "R26.missing", "R30.nearest"],
            .document { draft in try draft.addAgeStatements(upTo: 3) }),
    ]

    private static let conductFaults: [ContentFault] = [
        .init("mso-reuse", "a document that should be used once is used again", .conduct),
        .init(
            "skip-consent", "one element would leave without recorded consent; the holder stops it", also: ["R26.missing"],
            .document { draft in
                guard let extra = draft.unrequested(where: { _ in true }).first else {
                    throw TamperingError.needs("a document with an element that was not requested", fault: "skip-consent")
                }
                draft.add(extra, isOrdered: false)
            }),
        .init("ignore-maximum-size", "the response exceeds maximumResponseSize", .conduct),
        .init("mandatory-behind-reader-auth", "mandatory mDL elements go to authenticated readers only", .conduct),
    ]
}

extension DocumentDraft {
    /// The first disclosed element that fits.
    fileprivate func place(
        fault: String, where fits: (DataElementIdentifier) -> Bool
    ) throws(TamperingError) -> Int {
        guard let place = disclosures.firstIndex(where: { fits($0.reference.identifier) }) else {
            throw TamperingError.needs("an element in the answer that it can spoil", fault: fault)
        }
        return place
    }

    fileprivate func value(at place: Int) -> CBOR? {
        guard case .issuer(let items) = disclosures[place].source else { return nil }
        return items.first?.value.elementValue
    }

    /// Elements of the document that nobody asked for.
    func unrequested(where fits: (DataElementIdentifier) -> Bool) -> [ElementReference] {
        let asked = Set(request.elements.map(\.reference)).union(disclosures.map(\.reference))
        return document.elements.filter { !asked.contains($0) && fits($0.identifier) }
    }

    mutating func add(_ reference: ElementReference, isOrdered: Bool = true) {
        disclosures.append(
            Disclosure(reference: reference, source: .issuer(document.items(reference)), isOrderedByFault: isOrdered))
    }

    mutating func replaceDocument(with other: IssuedDocument) {
        document = other
        docType = other.docType
        issuerAuth = other.issuerSigned.issuerAuth
        disclosures = other.elements.prefix(1).map {
            Disclosure(reference: $0, source: .issuer(other.items($0)), isOrderedByFault: true)
        }
    }

    /// Exchanges the first item of the answer.
    func alteringItem(at place: Int, _ change: (Embedded<IssuerSignedItem>) -> Embedded<IssuerSignedItem>?) -> Disclosure? {
        guard case .issuer(let items) = disclosures[place].source, let first = items.first, let other = change(first) else {
            return nil
        }
        var disclosure = disclosures[place]
        disclosure.source = .issuer([other] + items.dropFirst())
        return disclosure
    }

    mutating func alterItem(
        fault: String, _ change: (Embedded<IssuerSignedItem>) -> Embedded<IssuerSignedItem>?
    ) throws(TamperingError) {
        for place in disclosures.indices {
            guard let altered = alteringItem(at: place, change) else { continue }
            disclosures[place] = altered
            return
        }
        throw TamperingError.needs("an issuer-signed element in the answer", fault: fault)
    }

    mutating func spoilIssuerSignature() throws(TamperingError) {
        guard let spoiled = issuerAuth.withFlippedSignature else {
            throw TamperingError.needs("an issuerAuth with a signature", fault: "issuer-signature")
        }
        issuerAuth = spoiled
    }

    /// Puts a statement that neither proves nor refutes the age asked for in place of the right answer.
    fileprivate mutating func answerAgeInWrongDirection() throws(TamperingError) {
        let fault = "age-wrong-direction"
        let place = try place(fault: fault) { AgeStatement($0) != nil }
        let nameSpace = disclosures[place].reference.nameSpace
        let asked = request.elements.map(\.reference).compactMap { AgeStatement($0.identifier)?.age }
        let wrong = document.ageStatements(in: nameSpace).first { statement in
            asked.allSatisfy { statement.value ? statement.age < $0 : statement.age > $0 }
        }
        guard let wrong else { throw TamperingError.needs("a document with an age statement that does not answer", fault: fault) }
        disclosures.remove(at: place)
        add(ElementReference(nameSpace: nameSpace, identifier: AgeStatement(age: wrong.age).identifier))
    }

    fileprivate mutating func addAgeStatements(upTo count: Int) throws(TamperingError) {
        let isAge: (ElementReference) -> Bool = { AgeStatement($0.identifier) != nil }
        let present = disclosures.map(\.reference).filter(isAge)
        let more = document.elements.filter { isAge($0) && !present.contains($0) }
        guard present.count + more.count >= count else {
            throw TamperingError.needs("a document with \(count) age statements", fault: "age-three")
        }
        for reference in more.prefix(count - present.count) { add(reference) }
    }
}

extension IssuedDocument {
    /// Every element of the document, in its order.
    var elements: [ElementReference] {
        issuerSigned.nameSpaces.flatMap { nameSpace, items in
            items.map { ElementReference(nameSpace: nameSpace, identifier: $0.value.elementIdentifier) }
        }
    }
}

extension Embedded<IssuerSignedItem> {
    /// The same item with one bit of its random flipped.
    var withFlippedRandom: Embedded<IssuerSignedItem>? {
        guard let last = value.random.last else { return nil }
        return Embedded(
            IssuerSignedItem(
                digestID: value.digestID, random: value.random.dropLast() + [last ^ 1],
                elementIdentifier: value.elementIdentifier, elementValue: value.elementValue))
    }

    /// The same item with its members in the opposite order.
    var reencoded: Embedded<IssuerSignedItem>? {
        guard let members = try? CBOR(decoding: Array(content)).map() else { return nil }
        let reversed = CBOR.map(Array(members).reversed().map { ($0.key, $0.value) })
        return try? Embedded(CBOR(encoding: { $0.embedded(reversed.encoded) }))
    }
}

extension COSESign1 {
    var withFlippedSignature: COSESign1? {
        guard let last = signature.last else { return nil }
        return COSESign1(
            protected: protected, unprotected: unprotected, payload: payload, signature: signature.dropLast() + [last ^ 1],
            isTagged: isTagged)
    }
}

extension SessionTranscript {
    /// The same session as if it had been engaged in another way.
    var withOtherHandover: SessionTranscript? {
        var encoder = CBOREncoder(capacity: encoded.count + 16)
        encoder.array(3)
        for part in [deviceEngagementBytes, eReaderKeyBytes] {
            if let part { encoder.raw(part) } else { encoder.null() }
        }
        encoder.text("another session")
        return try? SessionTranscript(encoded: encoder.bytes)
    }
}
