import Codec
import Credentials
import Crypto
import OpenID
import Vault

/// `walletbench holder key …`
enum HolderKey {
    static let command = Command(
        name: "key", summary: "make and list device keys",
        discussion: "Private keys are made in the wallet and never leave it; what is printed is public.",
        subcommands: [new, list, delete, defaults])

    private static let curves = Curve.allCases.map(\.rawValue)

    private static let keyOptions: [Option] = [
        .choice("curve", curves, "Curve of the keys; else as set for the type, else P-256"),
        .value("area", "AREA", "software (every curve) or element (P-256 only, like a phone's secure element)"),
        .integer("batch", "N", "How many keys", in: 1...1000),
    ]

    private static let new = Command(
        name: "new", summary: "make device keys and print their public parts",
        discussion: """
            --attest has the test wallet provider of this home attest all the keys at once (OpenID4VCI 1.0 Appendix D), as it does in an \
            issuance: for an issuer that is tried by hand. Its root is trust/made/wallet-provider-ca.pem.
            """,
        examples: [
            Example("walletbench holder key new --curve P-384"),
            Example("walletbench holder key new --batch 5 --json", "five keys for a batch of copies"),
            Example("walletbench holder key new --format pem -o device.pem", "for an issuer that wants a PEM file"),
            Example(
                "walletbench holder key new --batch 5 --attest --nonce C_NONCE", "with a key attestation for an issuer's nonce"),
        ],
        options: keyOptions + [
            .value("type", "DOCTYPE", "Make them as `holder key default` has set for this document type"),
            .file("key-passphrase-file", "FILE", "Every use of the keys shall need the passphrase in the first line of FILE"),
            .flag("attest", "Print a key attestation over all the keys too"),
            .value("nonce", "NONCE", "The issuer's c_nonce, for the attestation"),
            .choice(
                "level", AttackPotential.allCases.map(\.rawValue), "What it says of key storage and user authentication",
                default: AttackPotential.moderate.rawValue),
            .choice("format", ["jwk", "pem", "cose"], "How public keys are written", default: "jwk"),
            .file("out", short: "o", "FILE", "Write the public keys here; else stdout"),
        ],
        run: runNew)

    private static let list = Command(
        name: "list", summary: "list the device keys",
        examples: [Example("walletbench holder key list")], run: runList)

    private static let delete = Command(
        name: "delete", summary: "delete a device key that no document needs",
        examples: [Example("walletbench holder key delete 3f2a")],
        options: [.flag("force", "Even when a copy of a document is bound to it")],
        arguments: [Argument("ID", "The key, or the beginning of its id")], run: runDelete)

    private static let defaults = Command(
        name: "default", summary: "set how keys for a document type are made",
        discussion: """
            Without options it prints what is set for the type. --authenticate says what a person has to show before a key of the type \
            is used: nothing, a yes, or a passphrase; keys of documents that are there are sealed anew. Who does not show it refuses: \
            the peer is told so by the protocol.
            """,
        examples: [
            Example("walletbench holder key default org.iso.18013.5.1.mDL --curve P-384 --batch 3"),
            Example("walletbench holder key default urn:eudi:pid:1 --authenticate passphrase --key-passphrase-file pin.txt"),
        ],
        options: keyOptions + [
            .choice(
                "authenticate", UserAuthentication.allCases.map(\.rawValue), "What the person has to show before a key is used"),
            .file("key-passphrase-file", "FILE", "The keys' passphrase, new or so far, in the first line of FILE"),
        ],
        arguments: [Argument("DOCTYPE", "The document type")], run: runDefault)

    private static func runNew(_ invocation: Invocation) async throws -> ExitCode {
        guard invocation.flag("attest") || invocation.string("nonce") == nil else {
            throw CommandError.usage("--nonce goes into a key attestation", hint: "add --attest")
        }
        let wallet = try Wallet(invocation.context, creating: true)
        var options = try await merged(invocation, type: invocation.string("type"), in: wallet)
        if let path = invocation.string("key-passphrase-file") {
            let line = try Files.read(path, limit: 1 << 16).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            options.unlock = .passphrase(String(decoding: line, as: UTF8.self))
        }
        let keys = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.createBatch(options) }
        let format = invocation.string("format") ?? "jwk"
        let attestation = try await attestation(of: keys, invocation)
        var lines = keys.map { publicText($0, format) }
        if let path = invocation.string("out") {
            try Files.write([UInt8]((lines.joined(separator: "\n") + "\n").utf8), to: path)
            lines = keys.map { "key \($0.id), public part in \(path)" }
        }
        var answer: JSONObject = ["keys": .array(keys.map(json))]
        if let attestation { answer["attestation"] = .string(attestation) }
        let text = (lines + [attestation].compactMap { $0 }).joined(separator: "\n")
        invocation.console.answer(answer) { text }
        return .done
    }

    /// The test wallet provider's word on the keys, where it is asked for.
    private static func attestation(of keys: [KeyInfo], _ invocation: Invocation) async throws -> String? {
        guard invocation.flag("attest") else { return nil }
        let context = invocation.context
        let level = invocation.string("level").flatMap(AttackPotential.init) ?? .moderate
        let provider = TestWalletProvider(
            identity: try IssuanceIdentities(context).walletProvider(), keyStorage: [level], userAuthentication: [level],
            clock: context.clock, random: context.random, faults: try IssuanceFaults(context, .holder))
        do throws(ProviderError) {
            return try await provider.keyAttestation(keys.map(\.publicKey), nonce: invocation.string("nonce"))
        } catch { throw CommandError.refused("\(error)") }
    }

    private static func runList(_ invocation: Invocation) async throws -> ExitCode {
        let context = invocation.context
        var rows: [(key: KeyInfo, document: String?)] = []
        if let vault = try context.walletIfThere() {
            let store = VaultKeyStore(vault: vault, random: context.random)
            let owners = try await owners(in: vault)
            let keys = try await keyCall { () async throws(KeyStoreError) in try await store.keys() }
            rows = keys.map { ($0, owners[$0.id.rawValue]) }
        }
        let all = rows
        let objects = all.map { row -> JSON in
            var object = json(row.key).objectValue ?? [:]
            object["document"] = row.document.map { .string($0) } ?? .null
            return .object(object)
        }
        invocation.console.answer(["keys": .array(objects)]) {
            all.isEmpty
                ? "no device keys yet"
                : all.map { row in
                    let facts = [
                        row.key.curve.rawValue, row.key.area, row.key.needsPassphrase ? "under a passphrase" : nil,
                        row.key.purpose.map { "used to \($0.rawValue)" }, row.document.map { "document \($0)" } ?? "no document",
                    ]
                    return "\(row.key.id)  \(facts.compactMap { $0 }.joined(separator: ", "))"
                }.joined(separator: "\n")
        }
        return .done
    }

    private static func runDelete(_ invocation: Invocation) async throws -> ExitCode {
        let wallet = try Wallet(invocation.context, creating: false)
        let key = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.find(invocation.argument) }
        if let document = try await owners(in: wallet.vault)[key.id.rawValue], !invocation.flag("force") {
            throw CommandError.refused(
                "key \(key.id) belongs to document \(document), which could not be presented any more",
                hint: "delete the document with holder delete \(document), or add --force")
        }
        try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.delete(key.id) }
        invocation.console.answer(["deleted": .string(key.id.rawValue)]) { "deleted \(key.id)" }
        return .done
    }

    private static func runDefault(_ invocation: Invocation) async throws -> ExitCode {
        let type = invocation.argument
        let changes = ["curve", "area", "batch"].contains { invocation.string($0) != nil }
        let wallet = try Wallet(invocation.context, creating: changes || invocation.string("authenticate") != nil)
        let options = try await merged(invocation, type: type, in: wallet)
        if changes {
            try await vaultCall { () async throws(VaultError) in try await wallet.vault.setKeyOptions(options, for: type) }
        }
        if let wanted = invocation.string("authenticate").flatMap(UserAuthentication.init) {
            try await authenticate(wanted, type, wallet, invocation)
        }
        let authentication = try await wallet.authentication(for: type)
        invocation.console.answer([
            "type": .string(type), "curve": .string(options.curve.rawValue), "area": .string(options.area),
            "batch": .integer(Int64(options.batch)), "authenticate": .string(authentication.rawValue),
        ]) {
            "\(type): \(options.batch) × \(options.curve.rawValue), area \(options.area), authentication \(authentication.rawValue)"
        }
        return .done
    }

    /// Sets what the person has to show, and seals the keys of the type's documents accordingly.
    private static func authenticate(
        _ wanted: UserAuthentication, _ type: String, _ wallet: Wallet, _ invocation: Invocation
    ) async throws {
        let documents = try await vaultCall { () async throws(VaultError) in try await wallet.vault.documents() }
        let keys = documents.filter { $0.type == type }.flatMap(\.copies).compactMap(\.keyID).map(KeyID.init(rawValue:))
        let gate = try KeyGate(invocation, wallet)
        var secret: String?
        for id in keys {
            let isLocked = try await keyCall { () async throws(KeyStoreError) in try await wallet.keys.info(id) }.needsPassphrase
            guard isLocked || wanted == .passphrase else { continue }
            do throws(KeyGate.Refusal) {
                if secret == nil { secret = try gate.secret("Passphrase for keys of \(type): ", type) }
            } catch { throw CommandError(error) }
            guard let secret else { continue }
            let policy: UnlockPolicy = wanted == .passphrase ? .passphrase(secret) : .open
            try await keyCall { () async throws(KeyStoreError) in
                try await wallet.keys.relock(id, policy, unlock: isLocked ? .passphrase(secret) : .automatic)
            }
        }
        try await vaultCall { () async throws(VaultError) in try await wallet.vault.setUserAuthentication(wanted, for: type) }
    }

    /// What is set for the type, with what the command line says put over it. The area is asked whether it has the curve.
    private static func merged(
        _ invocation: Invocation, type: String?, in wallet: Wallet
    ) async throws(CommandError) -> KeyOptions {
        var options = KeyOptions()
        if let type {
            options = try await vaultCall { () async throws(VaultError) in try await wallet.vault.keyOptions(for: type) }
        }
        options.curve = invocation.string("curve").flatMap(Curve.init) ?? options.curve
        options.area = invocation.string("area") ?? options.area
        options.batch = invocation.integer("batch") ?? options.batch
        guard let area = wallet.keys.areas.first(where: { $0.name == options.area }) else {
            throw CommandError.usage(
                "no key area is called \(options.area)",
                hint: "there are \(wallet.keys.areas.map(\.name).joined(separator: " and "))")
        }
        guard area.curves.contains(options.curve) else {
            throw CommandError.refused(
                "key area \(area.name) makes no \(options.curve.rawValue) keys", hint: "take --area software")
        }
        return options
    }

    /// Documents by the names of their keys.
    private static func owners(in vault: Vault) async throws(CommandError) -> [String: String] {
        let documents = try await vaultCall { () async throws(VaultError) in try await vault.documents() }
        let pairs = documents.flatMap { document in document.copies.compactMap { $0.keyID.map { ($0, document.id) } } }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func publicText(_ key: KeyInfo, _ format: String) -> String {
        switch format {
        case "pem": PEM.encode(key.publicKey.spki, label: "PUBLIC KEY").trimmingNewline
        case "cose": Hex.encode(COSEKey(key.publicKey).encodedCBOR)
        default: jwk(key).encoded()
        }
    }

    private static func json(_ key: KeyInfo) -> JSON {
        [
            "id": .string(key.id.rawValue), "curve": .string(key.curve.rawValue), "area": .string(key.area),
            "needsPassphrase": .bool(key.needsPassphrase), "purpose": key.purpose.map { .string($0.rawValue) } ?? .null,
            "publicKey": jwk(key),
        ]
    }

    private static func jwk(_ key: KeyInfo) -> JSON {
        var object = key.publicKey.jwk
        object["kid"] = .string(key.id.rawValue)
        return .object(object)
    }
}

extension CommandError {
    /// The person did not show what the home's settings want.
    init(_ refusal: KeyGate.Refusal) { self.init(refusal.description, hint: refusal.hint, exit: .refused) }
}

/// Runs key store calls in commands: their errors become those of the command line.
func keyCall<R>(_ body: () async throws(KeyStoreError) -> R) async throws(CommandError) -> R {
    do throws(KeyStoreError) { return try await body() } catch { throw CommandError(error) }
}

extension String {
    fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
