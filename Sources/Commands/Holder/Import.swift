import Codec
import Credentials
import Crypto
import Ports
import Vault

/// `walletbench holder import FILE`
enum HolderImport {
    static let command = Command(
        name: "import", summary: "put a document into the wallet",
        discussion: """
            Takes IssuerSigned, Document and DeviceResponse (CBOR, also as hex, base64 or base64url), SD-JWT VCs, and JSON with such a text in \
            `credential`, `credentials`, `issuerSigned` or `documents`. The device key comes with --key, or is one that `holder key \
            new` made before the document was issued; it must be the one that the issuer signed. Several copies of one type in one \
            file become one document with a batch of copies.
            """,
        examples: [
            Example("walletbench holder import mdl.cbor", "issued to a key of this wallet"),
            Example("walletbench holder import mdl.cbor --key device.pem"),
            Example("walletbench holder import response.cbor --without-key", "to look at only"),
        ],
        options: [
            .file("key", "FILE", "The device key: PEM, DER, JWK or COSE_Key; once for each copy in the file", isRepeatable: true),
            .flag("without-key", "Import although no device key fits; the document can be looked at, not presented"),
            .value("name", "TEXT", "What the document is called; else the name of its type"),
            .choice(
                "policy", StoredDocument.UsePolicy.allCases.map(\.rawValue), "How often a copy may be presented",
                default: StoredDocument.UsePolicy.rotate.rawValue),
        ],
        arguments: [Argument("FILE", "The document: a path, - for stdin, or the text itself", kind: .file)],
        run: run)

    private static func run(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        let found = try ImportedCopy.all(in: try InputReader.read(invocation.argument))
        var keyFiles: [PrivateKey] = []
        for path in invocation.strings("key") { keyFiles.append(try KeyFile.privateKey(path)) }
        // Every fault of the input is found before a wallet is made or changed.
        try refuseForeign(keyFiles, for: found)
        let wallet = try Wallet(context, creating: true)
        var bound: [(copy: ImportedCopy, keyID: KeyID?)] = []
        for copy in found { bound.append((copy, try await key(for: copy, keyFiles, wallet, invocation))) }
        var documents: [StoredDocument] = []
        for kind in found.map({ [$0.format, $0.docType] }).uniqued {
            let copies = bound.filter { [$0.copy.format, $0.copy.docType] == kind }.map { ($0.copy.bytes, $0.keyID) }
            documents.append(try await add(copies, isSDJWT: kind[0] == SDJWTVC.mediaType, wallet, invocation))
        }
        try await answer(documents, found, wallet, invocation)
        return .done
    }

    private static func add(
        _ copies: [([UInt8], KeyID?)], isSDJWT: Bool, _ wallet: Wallet, _ invocation: Invocation
    ) async throws(CommandError) -> StoredDocument {
        let context = invocation.context
        let policy = invocation.string("policy").flatMap(StoredDocument.UsePolicy.init) ?? .rotate
        let (name, now) = (invocation.string("name"), context.clock.now())
        return isSDJWT
            ? try await wallet.add(sdJWT: copies, displayName: name, policy: policy, at: now, random: context.random)
            : try await wallet.add(mdoc: copies, displayName: name, policy: policy, at: now, random: context.random)
    }

    /// A key file that belongs to no copy is a mistake that must not go by silently.
    private static func refuseForeign(_ keys: [PrivateKey], for copies: [ImportedCopy]) throws(CommandError) {
        for key in keys where !copies.contains(where: { $0.deviceKey == key.publicKey }) {
            let wanted = copies.map { $0.deviceKey.map { "\($0.curve.rawValue) \($0.shortName)" } ?? "an unusable key" }
            throw .refused(
                "the key does not fit: the issuer signed \(wanted.uniqued.joined(separator: ", ")), this is \(key.curve.rawValue) "
                    + key.publicKey.shortName,
                hint: "give the private key whose public part the document was issued to")
        }
    }

    private static func key(
        for copy: ImportedCopy, _ files: [PrivateKey], _ wallet: Wallet, _ invocation: Invocation
    ) async throws(CommandError) -> KeyID? {
        let held = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.keys() }
        if let known = held.first(where: { $0.publicKey == copy.deviceKey }) { return known.id }
        if let file = files.first(where: { $0.publicKey == copy.deviceKey }) {
            return try await keyCall { () async throws(KeyStoreError) in
                try await wallet.keys.importKey(file, options: KeyOptions(curve: file.curve))
            }.id
        }
        guard invocation.flag("without-key") else {
            let reason =
                copy.deviceKey.map { "no key of this wallet is the document's device key (\($0.curve.rawValue) \($0.shortName))" }
                ?? "the document's device key is unusable: \(copy.deviceKeyFault ?? "unknown")"
            throw .refused(
                "\(copy.origin): \(reason)", hint: "give it with --key FILE, or add --without-key to import it for looking at only")
        }
        return nil
    }

    private static func answer(
        _ documents: [StoredDocument], _ found: [ImportedCopy], _ wallet: Wallet, _ invocation: Invocation
    ) async throws(CommandError) {
        let context = invocation.context
        let keys = try await HeldDocument.keyNames(wallet.vault, context.random)
        var held: [HeldDocument] = []
        for document in documents {
            held.append(try await HeldDocument.read(document, from: wallet.vault, keys: keys, at: context.clock.now()))
        }
        let all = held
        let notes = found.flatMap(\.notes)
        for note in notes { context.console.talk("note: \(note)".replacingControlCharacters()) }
        context.console.answer([
            "documents": .array(all.map { .object($0.summary) }), "notes": .array(notes.map { .string($0) }),
        ]) {
            all.flatMap { document in
                ["imported \(document.stored.id)  \(document.stored.displayName), \(document.copiesText)"]
                    + document.warnings.map { "  ! \($0)" }
            }.map { $0.replacingControlCharacters() }.joined(separator: "\n")
        }
    }
}

extension PublicKey {
    /// The first bytes of its hash, to tell keys apart in messages.
    var shortName: String { String(Hex.encode(HashAlgorithm.sha256.digest(spki)).prefix(16)) }
}

extension Array where Element: Hashable {
    /// Each element once, in the order of first appearance.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
