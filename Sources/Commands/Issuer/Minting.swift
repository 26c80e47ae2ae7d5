import Codec
import Credentials
import Crypto
import Ports
import Vault

/// One run of `issuer mint`: everything that was asked for, ready to be signed.
struct Minting {
    private let invocation: Invocation
    private let type: DocumentKind
    private let signer: MintSigner
    private let claims: Claims
    private let issuer: MDocIssuer
    private let signed: Timestamp
    private let validUntil: Timestamp
    private let status: MintStatus

    init(_ invocation: Invocation, type: DocumentKind, signer: MintSigner, claims: Claims) throws(CommandError) {
        let context = invocation.context
        self.invocation = invocation
        self.type = type
        self.signer = signer
        self.claims = claims
        try signer.refuseFaults(outside: "mso_mdoc")
        issuer = MDocIssuer(signer: signer.identity, random: context.random, tampering: signer.tampering)
        signed = context.clock.now().wholeSeconds
        validUntil = signer.validUntil(signed.adding(days: invocation.integer("valid-days") ?? 90))
        try signer.checkValidity(at: signed)
        status = try MintStatus(invocation, fault: signer.status)
        try status.publishRevocations(of: signer.certificate)
    }

    private func order(for key: PublicKey, _ reference: StatusReference?) -> DocumentOrder {
        let hashes: [String: HashAlgorithm] = ["sha-256": .sha256, "sha-384": .sha384, "sha-512": .sha512]
        return DocumentOrder(
            docType: type.docType, claims: claims, deviceKey: key, signed: signed, validUntil: validUntil,
            hash: hashes[invocation.string("digest") ?? ""] ?? .sha256, keyAuthorizations: authorizations,
            status: reference.map(status.cbor))
    }

    private var authorizations: KeyAuthorizations? {
        let names = invocation.strings("authorize")
        guard !names.isEmpty else { return nil }
        var nameSpaces: [NameSpace] = []
        var elements: [(nameSpace: NameSpace, identifiers: [DataElementIdentifier])] = []
        for name in names {
            let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
            if parts.count < 2 {
                nameSpaces.append(name)
            } else if let place = elements.firstIndex(where: { $0.nameSpace == parts[0] }) {
                elements[place].identifiers.append(parts[1])
            } else {
                elements.append((parts[0], [parts[1]]))
            }
        }
        return KeyAuthorizations(nameSpaces: nameSpaces, dataElements: elements)
    }

    private func mint(for key: PublicKey, _ reference: StatusReference? = nil) async throws(CommandError) -> IssuerSigned {
        do { return try await issuer.mint(order(for: key, reference)) } catch { throw .refused("\(error)") }
    }

    /// For a key that the caller has: IssuerSigned into a file or onto stdout.
    func toFile() async throws(CommandError) -> ExitCode {
        let key = try KeyFile.publicKey(invocation.required("device-key"))
        let issued = try await status.issue(type: type.docType, copies: 1)
        let document = try await mint(for: key, issued?.references.first)
        let bytes = encoded(document)
        var answer = facts(of: document)
        if let issued { answer.append("status", issued.entry.json) }
        guard let path = invocation.string("out"), path != "-" else {
            answer.append("credential", .string(Base64URL.encode(bytes)))
            invocation.console.answer(answer) { Base64URL.encode(bytes) }
            return .done
        }
        try Files.write(bytes, to: path)
        answer.append("out", .string(path))
        invocation.console.answer(answer) {
            "\(summary(of: document))\nwritten to \(path), \(bytes.count) bytes\(Self.note(issued))"
        }
        return .done
    }

    /// IssuerSigned, but for the one fault that only shows in a document with its docType outside.
    private func encoded(_ document: IssuerSigned) -> [UInt8] {
        guard signer.tampering.contains("doctype-equal") else { return document.encodedCBOR }
        return Document(docType: type.docType, issuerSigned: document, deviceSigned: nil).encodedCBOR
    }

    /// For keys that the wallet makes: the document goes in, as one copy for each key.
    func toHolder() async throws(CommandError) -> ExitCode {
        let context = invocation.context
        let wallet = try Wallet(context, creating: true)
        var options = try await vaultCall { () async throws(VaultError) in try await wallet.vault.keyOptions(for: type.docType) }
        options.batch = invocation.integer("batch") ?? options.batch
        options.unlock = try await KeyGate(invocation, wallet).minting(type.docType)
        let keyOptions = options
        let keys = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.createBatch(keyOptions) }
        var copies: [IssuerSigned] = []
        var issued: MintStatus.Issued?
        do throws(CommandError) {
            issued = try await status.issue(type: type.docType, copies: keys.count)
            for (place, key) in keys.enumerated() {
                copies.append(try await mint(for: key.publicKey, issued?.references[place]))
            }
        } catch {
            for key in keys { try? await wallet.keys.delete(key.id) }
            throw error
        }
        let stored = try await wallet.add(
            mdoc: zip(copies, keys).map { ($0.encodedCBOR, $1.id) }, docType: type.docType, displayName: invocation.string("name"),
            policy: invocation.string("policy").flatMap(StoredDocument.UsePolicy.init) ?? .rotate, at: context.clock.now(),
            random: context.random)
        try answer(stored, copies, issued)
        return .done
    }

    /// The id by which the issuer changes its status.
    private static func note(_ issued: MintStatus.Issued?) -> String { issued.map { "\nstatus entry \($0.entry.id)" } ?? "" }

    private func answer(
        _ stored: StoredDocument, _ copies: [IssuerSigned], _ issued: MintStatus.Issued?
    ) throws(CommandError) {
        guard let first = copies.first else { return }
        var answer = facts(of: first)
        if let issued { answer.append("status", issued.entry.json) }
        answer.append("id", .string(stored.id))
        answer.append("copies", .integer(Int64(copies.count)))
        if let path = invocation.string("out"), path != "-" {
            try Files.write(encoded(first), to: path)
            answer.append("out", .string(path))
        }
        let text =
            "\(summary(of: first))\nin the wallet as \(stored.id)\(copies.count > 1 ? ", \(copies.count) copies" : "")\(Self.note(issued))"
        invocation.console.answer(answer) { text }
    }

    private func facts(of document: IssuerSigned) -> JSONObject {
        let elements = document.nameSpaces.map { nameSpace, items in
            (key: nameSpace, value: JSON.array(items.map { .string($0.value.elementIdentifier) }))
        }
        return [
            "format": "mso_mdoc", "type": .string(type.docType),
            "signer": [
                "subject": .string(signer.certificate.subject.description),
                "sha256": .string(Hex.encode(signer.certificate.sha256)),
            ],
            "validity": ["signed": .string(signed.rfc3339), "validUntil": .string(validUntil.rfc3339)],
            "elements": .object(JSONObject(elements)),
        ]
    }

    private func summary(of document: IssuerSigned) -> String {
        let count = document.nameSpaces.reduce(0) { $0 + $1.items.count }
        let name = type.definition.map { "\($0.displayName) (\(type.docType))" } ?? type.docType
        return "\(name): \(count) elements, valid until \(validUntil.rfc3339)\nsigned by \(signer.certificate.subject)"
    }
}
