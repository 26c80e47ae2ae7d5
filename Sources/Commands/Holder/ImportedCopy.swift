import Codec
import Credentials
import Crypto

/// One copy of a document found in what a person gave to import.
struct ImportedCopy: Sendable {
    /// For messages: the file, and the place in it.
    let origin: String
    /// `mso_mdoc` or `dc+sd-jwt`.
    let format: String
    /// IssuerSigned, or the SD-JWT in compact form, as received.
    let bytes: [UInt8]
    /// docType or vct.
    let docType: DocType
    /// The key that the issuer signed; nil when it is unusable, for the reason in `deviceKeyFault`.
    let deviceKey: PublicKey?
    let deviceKeyFault: String?
    /// What is odd about it, though it can be imported.
    let notes: [String]

    /// Every copy in the input.
    /// - Throws: exit code 1 with the place at which the input is none of the known structures.
    static func all(in input: Input) throws(CommandError) -> [ImportedCopy] {
        switch input.content {
        case .cbor(let bytes): return try all(in: bytes, origin: input.origin)
        case .json(let text):
            let copies = try all(in: try input.json(as: "a document"), origin: input.origin)
            guard !copies.isEmpty else {
                throw .refused(
                    "\(input.origin): JSON of \(text.utf8.count) bytes without a document",
                    hint: "known are the members credential, credentials, issuerSigned and documents")
            }
            return copies
        case .sdJWT(let text): return [try sdJWT(text, input.origin)]
        default: throw input.wrong("IssuerSigned, Document, DeviceResponse or an SD-JWT")
        }
    }

    /// An SD-JWT as its issuer made it: with every disclosure in its place, and without key binding (RFC 9901 §7.2).
    private static func sdJWT(_ text: String, _ origin: String) throws(CommandError) -> ImportedCopy {
        do throws(SDJWTError) {
            let token = try SDJWT(text: text)
            guard token.keyBinding == nil else {
                throw .selection("the SD-JWT has a key binding JWT: it is a presentation, not what an issuer delivers")
            }
            let processed = try token.processed()
            if let finding = processed.findings.first(where: { $0.check != "S8.salt" }) { throw .selection(finding.reason) }
            guard let type = processed.claims["vct"]?.stringValue else { throw .claims("vct is missing") }
            let (key, fault) = Self.holderKey(processed.claims["cnf"]?["jwk"])
            let isFormer = try token.jws().protected.type == SDJWTVC.formerMediaType
            let note = "\(origin): typ is the former \(SDJWTVC.formerMediaType)"
            return ImportedCopy(
                origin: origin, format: SDJWTVC.mediaType, bytes: Array(token.compact.utf8), docType: type, deviceKey: key,
                deviceKeyFault: fault, notes: isFormer ? [note] : [])
        } catch { throw .refused("\(origin): \(error)", hint: "walletbench inspect shows what the file holds") }
    }

    private static func holderKey(_ jwk: JSON?) -> (PublicKey?, String?) {
        guard let jwk else { return (nil, "there is no cnf.jwk") }
        do { return (try PublicKey(jwk: jwk), nil) } catch { return (nil, "\(error)") }
    }

    private static func all(in bytes: [UInt8], origin: String) throws(CommandError) -> [ImportedCopy] {
        do throws(CBORError) {
            let item = try CBOR(decoding: bytes)
            if item.kind == .bytes { return try [copy(try CBOR(decoding: try item.bytes()), origin)] }
            return try item.optional("documents") == nil ? [copy(item, origin)] : response(item, origin)
        } catch {
            throw .refused(
                "\(origin): \(error)",
                hint: "walletbench inspect shows what the file holds; a document is IssuerSigned, Document or DeviceResponse")
        }
    }

    private static func response(_ item: CBOR, _ origin: String) throws(CBORError) -> [ImportedCopy] {
        var copies: [ImportedCopy] = []
        for (index, document) in try item["documents"].array().enumerated() {
            copies.append(try copy(document, "\(origin), document \(index + 1)"))
        }
        guard !copies.isEmpty else { throw item.error(.invalid("a DeviceResponse without documents")) }
        return copies
    }

    /// IssuerSigned, or anything that has it as member `issuerSigned`.
    private static func copy(_ item: CBOR, _ origin: String) throws(CBORError) -> ImportedCopy {
        let inner = try item.optional("issuerAuth") == nil ? item["issuerSigned"] : item
        let issuerSigned = try IssuerSigned(inner)
        let mso = try issuerSigned.readableSecurityObject()
        var notes: [String] = []
        if let stated = try? item.optional("docType")?.text(), stated != mso.docType {
            notes.append("\(origin): docType \(stated) outside, \(mso.docType) in the signed part, which counts")
        }
        if (try? issuerSigned.issuerAuth.x5chain?.form) == .arrayOfOne {
            notes.append("\(origin): x5chain wraps one certificate in an array (RFC 9360 §2 wants a byte string)")
        }
        let (key, fault) = Self.deviceKey(of: mso)
        return ImportedCopy(
            origin: origin, format: "mso_mdoc", bytes: inner.encoded, docType: mso.docType, deviceKey: key, deviceKeyFault: fault,
            notes: notes + digestNotes(issuerSigned, mso, origin))
    }

    private static func deviceKey(of mso: MobileSecurityObject) -> (PublicKey?, String?) {
        do {
            return (try mso.deviceKey.publicKey, nil)
        } catch { return (nil, "\(error)") }
    }

    /// Elements whose digest is not the signed one: a reader will refuse them.
    private static func digestNotes(_ issuerSigned: IssuerSigned, _ mso: MobileSecurityObject, _ origin: String) -> [String] {
        guard let hash = mso.hash else { return ["\(origin): digest algorithm \(mso.digestAlgorithm) is unknown"] }
        return issuerSigned.nameSpaces.flatMap { nameSpace, items in
            items.filter { mso.digest($0.value.digestID, in: nameSpace) != hash.digest($0.encoded) }
                .map { "\(origin): \(nameSpace)/\($0.value.elementIdentifier) does not have the digest that the issuer signed" }
        }
    }

    /// Texts of CBOR in the members that issuers and other wallets use, at any depth of `credentials` and `documents`.
    private static func all(in json: JSON, origin: String) throws(CommandError) -> [ImportedCopy] {
        if let text = json.stringValue {
            if text.contains("~") { return [try sdJWT(text, origin)] }
            guard let bytes = decoded(text) else {
                throw .refused("\(origin): neither base64url, base64 nor hex: \(text.prefix(24))…")
            }
            return try all(in: bytes, origin: origin)
        }
        if let list = json.arrayValue {
            var copies: [ImportedCopy] = []
            for (index, element) in list.enumerated() { copies += try all(in: element, origin: "\(origin)[\(index)]") }
            return copies
        }
        for name in ["credentials", "credential", "issuerSigned", "documents", "document"] {
            if let member = json[name], !member.isNull { return try all(in: member, origin: "\(origin).\(name)") }
        }
        return []
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        // Hex first: its digits are letters of base64 too, and no document in base64 consists of them alone.
        if let bytes = try? Hex.decode(text) { return bytes }
        return (try? Base64URL.decode(text)) ?? (try? Base64.decode(text))
    }
}
