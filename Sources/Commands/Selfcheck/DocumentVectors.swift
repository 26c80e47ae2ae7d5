import Codec
import Credentials
import Crypto
import Ports

/// Documents of public test suites: `mdoc/mdoc-documents.json`.
struct DocumentVectors {
    private let file: VectorFile
    private let json: JSON
    private let authorities: [String: Certificate]
    private let example: AnnexD

    init(file: VectorFile) throws {
        self.file = file
        json = try file.json()
        let list = try file.companion("mdoc/iaca-and-reader-ca-certificates.json").json()
        let certificates = try list.list("cases").compactMap { entry in try? Certificate(der: Base64.decode(entry.text("der_b64")))
        }
        authorities = Dictionary(certificates.map { (Hex.encode($0.sha256), $0) }) { first, _ in first }
        example = try AnnexD(try file.companion("mdoc/iso18013-5-2021-annex-d.json").json())
    }

    /// Published wrong so that a strict reader refuses them, with the place that it names.
    private static let refusals = ["9a3d422c": "tag 24", "4e10ad62": "tag 24", "a48238fb": "bstr, found tag 24"]

    func cases() async throws -> [VectorCase] {
        var results: [VectorCase] = []
        for entry in try json.list("cases") {
            let id = entry["id"]?.stringValue ?? "?"
            results.append(
                await VectorCase(id) {
                    if let reason = Self.refusals[id] { try expectRefusal(entry, reason) } else { try check(entry) }
                })
        }
        return results
    }

    private func expectRefusal(_ entry: JSON, _ reason: String) throws {
        do {
            for document in try Self.documents(entry) { _ = try document.issuerSigned.mobileSecurityObject() }
        } catch {
            return try expect("\(error)".contains(reason), "is refused for another reason than \(reason): \(error)")
        }
        throw Mismatch("was read, though it is published wrong: \(entry["note"]?.stringValue ?? "")")
    }

    private func check(_ entry: JSON) throws {
        guard let expected = entry["expected"] else { throw Mismatch("the case expects nothing") }
        if entry["kind"]?.stringValue == "DeviceResponse" {
            let response = try DeviceResponse(decoding: entry.hex("hex"))
            try expect(response.version.text, equals: try expected.text("version"), "version")
            try expect(Int64(response.status), equals: expected["status"]?.intValue ?? -1, "status")
        }
        let documents = try Self.documents(entry)
        let published = try expected.list("documents")
        try expect(documents.count, equals: published.count, "number of documents")
        for (document, published) in zip(documents, published) { try check(document, published, entry) }
    }

    private func check(_ document: Document, _ published: JSON, _ entry: JSON) throws {
        if let docType = published["docType"]?.stringValue { try expect(document.docType, equals: docType, "docType") }
        guard let issuerSigned = published["issuerSigned"] else { throw Mismatch("the case has no issuerSigned") }
        let check = DocumentCheck(document.issuerSigned)
        try check.check(against: issuerSigned)
        try check.checkSigner(against: issuerSigned)
        if let fingerprint = published["issuer_ca_sha256"]?.stringValue { try check.checkAuthority(authorities[fingerprint]) }
        guard let signed = document.deviceSigned else {
            return try expect(published["deviceAuth"] == nil, "the document is not device-signed")
        }
        try checkDevice(signed, document, published, entry)
    }

    private func checkDevice(_ signed: DeviceSigned, _ document: Document, _ published: JSON, _ entry: JSON) throws {
        let nameSpaces = try CBOR(decoding: Array(signed.nameSpaces.content))
        try expect(nameSpaces, isPublishedAs: published["deviceNameSpaces"], "device-signed name spaces")
        let auth = signed.deviceAuth
        try expect(auth.form == .mac ? "mac" : "signature", equals: try published.text("deviceAuth"), "device authentication")
        let algorithm = auth.deviceMac?.protected.algorithm ?? auth.deviceSignature?.protected.algorithm
        try expect(algorithm.map { Int64($0) }, equals: published["deviceAuthAlg"]?.intValue, "algorithm of device authentication")
        let carried = auth.deviceMac?.payload ?? auth.deviceSignature?.payload
        try expect(carried == nil, equals: published["deviceAuthPayloadDetached"]?.boolValue ?? true, "payload detached")
        guard let verifies = published["deviceAuthVerifies"]?.boolValue else { return }
        let result = try verification(auth, document, signed, entry)
        try expect(result == nil, equals: verifies, "device authentication (\(result ?? "in order"))")
    }

    /// Why device authentication does not verify; nil when it does.
    private func verification(
        _ auth: DeviceAuth, _ document: Document, _ signed: DeviceSigned, _ entry: JSON
    ) throws -> String? {
        let hasTranscript = entry["session_transcript_hex"] != nil
        let transcript = hasTranscript ? try SessionTranscript(encoded: entry.hex("session_transcript_hex")) : example.transcript
        let key = try document.issuerSigned.mobileSecurityObject().deviceKey.publicKey
        let payload = DeviceAuthentication.bytes(
            transcript: transcript, docType: document.docType, nameSpaces: signed.nameSpaces)
        let carried = auth.deviceMac?.payload ?? auth.deviceSignature?.payload
        if let carried, carried != payload { return "another payload" }
        let detached = carried == nil ? payload : nil
        do {
            if let mac = auth.deviceMac {
                let readerKey =
                    hasTranscript
                    ? try PrivateKey(curve: key.curve, scalar: entry.hex("ephemeral_reader_private_key_hex")) : example.readerKey
                let secret = try readerKey.agree(with: key)
                try mac.verify(
                    key: DeviceAuthentication.macKey(sharedSecret: secret, transcript: transcript), detachedPayload: detached)
            } else {
                try auth.deviceSignature?.verify(with: key, detachedPayload: detached)
            }
            return nil
        } catch let error as COSEError { return "\(error)" }
    }

    /// What a case holds: a response, a document, or only what its issuer signed.
    private static func documents(_ entry: JSON) throws -> [Document] {
        let bytes = try entry.hex("hex")
        switch try entry.text("kind") {
        case "DeviceResponse": return try DeviceResponse(decoding: bytes).documents
        case "Document": return [try Document(decoding: bytes)]
        case "IssuerSigned":
            let issuerSigned = try IssuerSigned(decoding: bytes)
            let docType = try issuerSigned.mobileSecurityObject().docType
            return [Document(docType: docType, issuerSigned: issuerSigned, deviceSigned: nil)]
        case let kind: throw Mismatch("unknown kind \(kind)")
        }
    }
}

/// An IssuerSigned against what is published of it.
struct DocumentCheck {
    private let issuerSigned: IssuerSigned

    init(_ issuerSigned: IssuerSigned) {
        self.issuerSigned = issuerSigned
    }

    /// Name space and element of every item whose digest is not the one that the issuer signed.
    var mismatches: [[String]] {
        guard let mso = try? issuerSigned.mobileSecurityObject(), let hash = mso.hash else { return [["MSO"]] }
        return issuerSigned.nameSpaces.flatMap { nameSpace, items in
            items.filter { mso.digest($0.value.digestID, in: nameSpace) != hash.digest($0.encoded) }
                .map { [nameSpace, $0.value.elementIdentifier] }
        }
    }

    /// MSO, elements and digests. Members that the case does not have are not compared.
    func check(against published: JSON) throws {
        let mso = try issuerSigned.mobileSecurityObject()
        let texts = [
            ("docType", mso.docType), ("msoVersion", mso.version.text), ("digestAlgorithm", mso.digestAlgorithm),
            ("deviceKeyCoseHex", Hex.encode(mso.deviceKeyItem.encoded)),
        ]
        for (name, value) in texts {
            if let text = published[name]?.stringValue { try expect(value, equals: text, name) }
        }
        for (name, time) in published["validityInfo"]?.objectValue?.members ?? [] {
            let value = mso.validityInfo.members.first { $0.name == name }?.value.text
            try expect(value ?? "", equals: time.stringValue ?? "", "validityInfo.\(name)")
        }
        if let status = published["status"], !status.isNull {
            guard let item = mso.status else { throw Mismatch("the MSO has no status") }
            try expect(item, isPublishedAs: status, "status")
        }
        try checkItems(published)
    }

    private func checkItems(_ published: JSON) throws {
        let count = issuerSigned.nameSpaces.reduce(0) { $0 + $1.items.count }
        if let items = published["items"]?.intValue { try expect(Int64(count), equals: items, "number of items") }
        let wrong = published["digestMismatches"]?.arrayValue?.map { $0.arrayValue?.compactMap(\.stringValue) ?? [] } ?? []
        try expect(Set(mismatches), equals: Set(wrong), "digest mismatches")
        for (nameSpace, elements) in published["elements"]?.objectValue?.members ?? [] {
            for (identifier, value) in elements.objectValue?.members ?? [] {
                guard let item = issuerSigned.item(identifier, in: nameSpace) else {
                    throw Mismatch("no element \(nameSpace)/\(identifier)")
                }
                try expect(item.value.elementValue, isPublishedAs: value, "\(nameSpace)/\(identifier)")
            }
        }
    }

    /// Algorithm, certificates and the signature by the first of them.
    func checkSigner(against published: JSON) throws {
        let issuerAuth = issuerSigned.issuerAuth
        try expect(issuerAuth.protected.algorithm.map { Int64($0) }, equals: published["alg"]?.intValue, "algorithm")
        let chain = (try? issuerAuth.x5chain?.certificates) ?? []
        try expect(Int64(chain.count), equals: published["x5chainLen"]?.intValue ?? 0, "length of x5chain")
        guard let leaf = chain.first else {
            return try expect(published["issuerAuthVerifies"]?.boolValue == nil, "there is no certificate to verify with")
        }
        let certificate = try Certificate(der: leaf)
        let verifies = (try? issuerAuth.verify(with: certificate.publicKey())) != nil
        try expect(verifies, equals: published["issuerAuthVerifies"]?.boolValue ?? false, "issuer signature")
        guard let signer = published["ds"] else { return }
        try expect(certificate.subject.description, equals: try signer.text("subject"), "subject of the signer")
        try expect(certificate.issuer.description, equals: try signer.text("issuer"), "issuer of the signer")
        try expect(certificate.notBefore, equals: try Timestamp(rfc3339: try signer.text("notBefore")), "notBefore")
        try expect(certificate.notAfter, equals: try Timestamp(rfc3339: try signer.text("notAfter")), "notAfter")
    }

    /// The authority that the case names signed the signer's certificate, or is it.
    func checkAuthority(_ authority: Certificate?) throws {
        guard let authority else { throw Mismatch("the certificate of the issuing authority is not among the vectors") }
        let chain = try issuerSigned.issuerAuth.x5chain?.certificates ?? []
        let certificates = try chain.map { try Certificate(der: $0) }
        try expect(
            certificates.contains { $0 == authority || $0.isSigned(by: authority) },
            "no certificate of the chain is signed by \(authority.subject)")
    }
}
