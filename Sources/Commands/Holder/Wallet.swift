import Codec
import Credentials
import Crypto
import Ports
import Vault

/// The holder's documents as a presentation needs them, over the vault that keeps them.
struct Wallet: Sendable {
    let vault: Vault
    let keys: VaultKeyStore

    /// Opens the wallet of the home.
    /// - Throws: exit code 3 as `Context.wallet(creating:)` does.
    init(_ context: Context, creating: Bool) throws(CommandError) {
        vault = try context.wallet(creating: creating)
        keys = VaultKeyStore(vault: vault, random: context.random)
    }

    /// Every mdoc that may be presented now, each as the copy that comes next, with the document's name as id; and why others may
    /// not. Counts as no use.
    func presentable(
        to recipient: StoredDocument.Recipient = .anybody, at time: Timestamp
    ) async throws(CommandError) -> (documents: [IssuedDocument], refused: [CommandError]) {
        var documents: [IssuedDocument] = []
        var refused: [CommandError] = []
        for document in try await vaultCall({ () async throws(VaultError) in try await vault.documents() })
        where document.format == "mso_mdoc" {
            guard let copy = document.copyToPresent(to: recipient, at: time), let keyID = copy.keyID else {
                refused.append(CommandError(document.nothingToPresent))
                continue
            }
            let bytes = try await vaultCall { () async throws(VaultError) in try await vault.bytes(of: copy, in: document) }
            documents.append(try issued(document, keyID: keyID, bytes: bytes))
        }
        return (documents, refused)
    }

    /// The copy to present now. Its use is on disk before this returns: call it after consent, before bytes leave.
    /// - Throws: exit code 1 when the document is exhausted or its keys are not here.
    func take(
        _ id: String, for recipient: StoredDocument.Recipient, at time: Timestamp
    ) async throws(CommandError) -> IssuedDocument {
        let taken = try await vaultCall { () async throws(VaultError) in
            try await vault.takeCopy(of: id, for: recipient, at: time)
        }
        return try issued(taken.document, keyID: taken.keyID, bytes: taken.bytes)
    }

    /// Puts a document into the wallet, its device keys being in the key store already.
    /// - Parameters:
    ///   - copies: IssuerSigned (CBOR) with the name of its device key, one or a batch.
    ///   - docType: the type under which it is presented; nil takes what the issuer signed.
    func add(
        mdoc copies: [(issuerSigned: [UInt8], keyID: KeyID?)], docType: DocType? = nil, displayName: String? = nil,
        policy: StoredDocument.UsePolicy = .rotate, renewal: StoredDocument.Renewal = .init(),
        at time: Timestamp, random: any RandomSource
    ) async throws(CommandError) -> StoredDocument {
        guard let first = copies.first else { throw CommandError("there is no copy to put into the wallet") }
        var document = try Self.description(
            of: first.issuerSigned, docType: docType, displayName: displayName, policy: policy, at: time)
        document.renewal = renewal
        let new = copies.map { NewCopy(mdoc: $0.issuerSigned, keyID: $0.keyID) }
        return try await vaultCall { () async throws(VaultError) in
            try await vault.add(document, copies: new, random: random)
        }
    }

    /// Puts an SD-JWT VC into the wallet, its holder keys being in the key store already.
    /// - Parameter copies: the text (compact) with the name of its key, one or a batch.
    func add(
        sdJWT copies: [(token: [UInt8], keyID: KeyID?)], displayName: String? = nil, policy: StoredDocument.UsePolicy = .rotate,
        renewal: StoredDocument.Renewal = .init(), at time: Timestamp, random: any RandomSource
    ) async throws(CommandError) -> StoredDocument {
        guard let first = copies.first else { throw CommandError("there is no copy to put into the wallet") }
        let document: StoredDocument
        do throws(SDJWTError) {
            let token = try SDJWT(compact: String(decoding: first.token, as: UTF8.self))
            let type = try token.processed().claims["vct"]?.stringValue ?? ""
            document = StoredDocument(
                id: "", format: SDJWTVC.mediaType, type: type, displayName: displayName ?? type, issuer: token.signerName,
                policy: policy, renewal: renewal, added: time)
        } catch { throw .refused("the document cannot be read: \(error)") }
        let new = copies.map { NewCopy(sdJWT: $0.token, keyID: $0.keyID) }
        return try await vaultCall { () async throws(VaultError) in
            try await vault.add(document, copies: new, random: random)
        }
    }

    private static func description(
        of bytes: [UInt8], docType: DocType?, displayName: String?, policy: StoredDocument.UsePolicy, at time: Timestamp
    ) throws(CommandError) -> StoredDocument {
        do throws(CBORError) {
            let issuerSigned = try IssuerSigned(CBOR(decoding: bytes))
            let signedType = try issuerSigned.readableSecurityObject().docType
            let docType = docType ?? signedType
            return StoredDocument(
                id: "", format: "mso_mdoc", type: docType,
                displayName: displayName ?? DocumentDefinition.of(docType)?.displayName ?? docType,
                issuer: issuerSigned.signerName, policy: policy, added: time)
        } catch { throw .refused("the document cannot be read: \(error)") }
    }

    private func issued(_ document: StoredDocument, keyID: String, bytes: [UInt8]) throws(CommandError) -> IssuedDocument {
        do throws(CBORError) {
            return try IssuedDocument(
                id: document.id, docType: document.type, issuerSigned: IssuerSigned(CBOR(decoding: bytes)),
                keyID: KeyID(rawValue: keyID),
                displayName: document.displayName)
        } catch { throw .refused("document \(document.id) cannot be read: \(error)", hint: "import it again") }
    }
}

extension NewCopy {
    /// A copy of an mdoc, with the end that its security object states.
    init(mdoc bytes: [UInt8], keyID: KeyID?) {
        let mso = (try? CBOR(decoding: bytes)).flatMap { try? IssuerSigned($0) }.flatMap { try? $0.readableSecurityObject() }
        self.init(bytes: bytes, keyID: keyID?.rawValue, validUntil: mso?.validityInfo.validUntil.timestamp)
    }

    /// A copy of an SD-JWT VC, with its `exp`.
    init(sdJWT bytes: [UInt8], keyID: KeyID?) {
        let claims = (try? SDJWT(compact: String(decoding: bytes, as: UTF8.self))).flatMap { try? $0.processed().claims }
        self.init(
            bytes: bytes, keyID: keyID?.rawValue, validUntil: claims?["exp"]?.intValue.map { Timestamp(secondsSince1970: $0) })
    }
}

extension IssuerSigned {
    /// The subject of the signer's certificate, if there is one that can be read.
    var signerName: String? {
        guard let der = try? issuerAuth.x5chain?.certificates.first, let certificate = try? Certificate(der: der) else {
            return nil
        }
        return certificate.subject.description
    }
}

extension SDJWT {
    /// The subject of the signer's certificate, else the name in `iss`.
    var signerName: String? {
        guard let der = try? jws().protected.x5c()?.first, let certificate = try? Certificate(der: der) else {
            return try? jws().claims()["iss"]?.stringValue
        }
        return certificate.subject.description
    }
}
