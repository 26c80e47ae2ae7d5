import Codec
import Credentials
package import Crypto
import Ports

/// A credential as it came, with the key it is bound to.
package struct ReceivedCredential: Sendable {
    /// IssuerSigned (CBOR), or an SD-JWT VC (text).
    package let bytes: [UInt8]
    /// nil: bound to no key.
    package let key: PublicKey?
}

/// What a wallet checks of what it got before it is stored (IW12).
struct ReceivedCredentialCheck {
    let configuration: CredentialConfiguration
    /// The keys that were sent.
    let keys: [PublicKey]
    let settings: WalletSettings
    let time: Timestamp
    private(set) var findings: [MessageFinding] = []
    private(set) var received: [ReceivedCredential] = []
    /// What is the same in two copies of one document would link them.
    private var marks: [Set<String>] = []

    init(_ configuration: CredentialConfiguration, keys: [PublicKey], settings: WalletSettings, time: Timestamp) {
        self.configuration = configuration
        self.keys = keys
        self.settings = settings
        self.time = time
    }

    mutating func add(_ check: String, _ what: String) { findings.append(MessageFinding(check, what)) }

    mutating func run(_ credentials: [String]) {
        for text in credentials { if configuration.format == "mso_mdoc" { checkMDoc(text) } else { checkSDJWT(text) } }
        let bound = received.compactMap(\.key)
        if Set(bound).count != bound.count { add("IW12.distinct", "two credentials share one key") }
        for (place, mark) in marks.enumerated().dropFirst() {
            let shared = marks[..<place].compactMap { $0.intersection(mark).min() }
            if let first = shared.first { add("IW12.batch", "copies share \(first.split(separator: ":")[0])") }
        }
    }

    private mutating func checkKey(_ key: PublicKey?) {
        guard !keys.isEmpty else { return }
        if key.map(keys.contains) != true { add("IW12.key", "bound to a key that was not sent") }
    }

    private mutating func checkMDoc(_ text: String) {
        let document: IssuerSigned
        let object: MobileSecurityObject
        let bytes: [UInt8]
        do {
            bytes = try Base64URL.decode(text)
            document = try IssuerSigned(CBOR(decoding: bytes))
            object = try document.readableSecurityObject()
        } catch { return add("IW12.format", "encoding is not that of mso_mdoc: \(error)") }
        if object.docType != configuration.type { add("IW12.type", "docType \(object.docType), asked \(configuration.type)") }
        let key = try? object.deviceKey.publicKey
        checkKey(key)
        let report = MDocIssuanceReport.checks(
            of: bytes, docType: object.docType, anchors: settings.anchors, skew: settings.skew, at: time)
        note(report)
        var mark: Set<String> = [
            "timestamps:\(object.validityInfo.signed.text)"
        ]
        if let status = object.status { mark.insert("status index:\(Hex.encode(status.encoded))") }
        for items in document.nameSpaces { for item in items.items { mark.insert("random:\(Hex.encode(item.value.random))") } }
        marks.append(mark)
        received.append(ReceivedCredential(bytes: bytes, key: key))
    }

    private mutating func checkSDJWT(_ text: String) {
        let claims: JSONObject
        let token: SDJWT
        do {
            token = try SDJWT(compact: text)
            claims = try token.processed().claims
        } catch { return add("IW12.format", "encoding is not that of \(configuration.format): \(error)") }
        let type = claims["vct"]?.stringValue ?? "missing"
        if type != configuration.type { add("IW12.type", "vct \(type), asked \(configuration.type)") }
        let key = claims["cnf"]?["jwk"].flatMap { try? PublicKey(jwk: $0) }
        checkKey(key)
        let verifier = SDJWTVerifier(
            signers: SignerVerifier(anchors: settings.anchors, edition: .first, skew: settings.skew),
            rule: VerdictRule(holderBindingRequired: false), isHAIP: settings.isHAIP)
        note(verifier.verify(text, expecting: .issuance, at: time).checks)
        var mark: Set<String> = []
        if let issued = claims["iat"]?.intValue { mark.insert("timestamps:\(issued)") }
        if let status = claims["status"] { mark.insert("status index:\(status.encoded())") }
        for disclosure in token.disclosures { mark.insert("salts:\(disclosure)") }
        marks.append(mark)
        received.append(ReceivedCredential(bytes: Array(text.utf8), key: key))
    }

    private mutating func note(_ checks: [Check]) {
        for check in checks where check.outcome == .fail {
            add("IW12.content", "\(check.id) failed: \(check.reason ?? check.name)")
        }
    }
}

/// The checks of an mdoc that do not need a device: signature, chain, digests, validity (R9 to R23, R27).
enum MDocIssuanceReport {
    static func checks(
        of issuerSigned: [UInt8], docType: String, anchors: TrustAnchors, skew: Int64, at time: Timestamp
    ) -> [Check] {
        guard let response = presentation(issuerSigned, docType) else { return [] }
        let verifier = PresentationVerifier(
            signers: SignerVerifier(anchors: anchors, edition: .first, skew: skew), rule: VerdictRule(holderBindingRequired: false))
        return verifier.verify(response, over: nil, at: time).checks.filter { concerns($0.id) }
    }

    private static func concerns(_ id: String) -> Bool {
        guard id.hasPrefix("R"), let number = Int(id.dropFirst().prefix { $0.isNumber }) else { return false }
        return (8...23).contains(number) || number == 27
    }

    /// A DeviceResponse with nothing signed by a device: only what the issuer made is looked at.
    private static func presentation(_ issuerSigned: [UInt8], _ docType: String) -> [UInt8]? {
        guard let document = try? CBOR(decoding: issuerSigned) else { return nil }
        var encoder = CBOREncoder()
        encoder.map(3)
        encoder.text("version")
        encoder.text("1.0")
        encoder.text("documents")
        encoder.array(1)
        encoder.map(3)
        encoder.text("docType")
        encoder.text(docType)
        encoder.text("issuerSigned")
        encoder.item(document)
        encoder.text("deviceSigned")
        encoder.map(2)
        encoder.text("nameSpaces")
        encoder.item(.tag(24, .bytes([0xa0])))
        encoder.text("deviceAuth")
        encoder.map(1)
        encoder.text("deviceSignature")
        encoder.item(.array([.bytes([0xa1, 0x01, 0x26]), .map([]), .null, .bytes([UInt8](repeating: 0, count: 64))]))
        encoder.text("status")
        encoder.int(0)
        return encoder.bytes
    }
}
