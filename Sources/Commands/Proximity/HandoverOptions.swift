import Codec
import Credentials
import Crypto

/// Options that tell `--explain` what else the proof of a device may cover: handovers of other protocols, which peers are known to take
/// for one another.
struct HandoverOptions: Sendable {
    static let options: [Option] = [
        .value("client-id", "ID", "For --explain: client_id of an OpenID4VP request, with its prefix"),
        .value("response-uri", "URI", "For --explain: response_uri, or redirect_uri, of an OpenID4VP request"),
        .value("origin", "ORIGIN", "For --explain: the web origin of a request by the Digital Credentials API"),
        .value("nonce", "N", "For --explain: nonce of an OpenID4VP request"),
        .file("jwk", "FILE", "For --explain: the key that an OpenID4VP response was encrypted to"),
        .value("mdoc-nonce", "N", "For --explain: the mdoc's nonce of ISO/IEC TS 18013-7 Annex B (apu of the response)"),
        .value("encryption-info", "TEXT", "For --explain: EncryptionInfo of ISO/IEC TS 18013-7 Annex C, base64url"),
        .value("handover-select", "NDEF", "For --explain: the Handover Select message of NFC, in hex"),
        .value("handover-request", "NDEF", "For --explain: the Handover Request message of NFC, in hex"),
    ]

    private var clientID: String?
    private var responseURI: String?
    private var origin: String?
    private var nonce: String?
    private var thumbprint: [UInt8]?
    private var mdocNonce: String?
    private var encryptionInfo: String?
    private var select: [UInt8]?
    private var request: [UInt8]?

    /// Nothing was given.
    init() {}

    init(_ invocation: Invocation) throws(CommandError) { try self.init { invocation.string($0) } }

    /// - Parameter value: of an option.
    init(_ value: (String) -> String?) throws(CommandError) {
        func bytes(_ name: String) throws(CommandError) -> [UInt8]? {
            guard let text = value(name) else { return nil }
            do { return try Hex.decode(text) } catch { throw .usage("--\(name): \(error)") }
        }
        clientID = value("client-id")
        responseURI = value("response-uri")
        origin = value("origin")
        nonce = value("nonce")
        mdocNonce = value("mdoc-nonce")
        encryptionInfo = value("encryption-info")
        select = try bytes("handover-select")
        request = try bytes("handover-request")
        guard let path = value("jwk") else { return }
        let json = try InputReader.read(path).json(as: "a JWK")
        do { thumbprint = try JWK.thumbprint(of: json) } catch { throw .refused("--jwk: \(error)") }
    }

    /// Every transcript that can be made of what was given, and of the parts of the session's own one.
    func transcripts(besides own: SessionTranscript?) -> [(name: String, transcript: SessionTranscript)] {
        var found: [(name: String, transcript: SessionTranscript)] = []
        func add(_ name: String, _ make: () throws -> SessionTranscript?) {
            if let transcript = try? make(), transcript != own { found.append((name, transcript)) }
        }
        if let engagement = own?.deviceEngagementBytes, let key = own?.eReaderKeyBytes {
            addProximity(engagement, key, add)
        }
        for (name, binding) in bindings {
            add("\(name)") { try binding.transcript() }
            for mistake in binding.knownMistakes(mdocNonce: mdocNonce) { add("\(name), \(mistake.name)") { mistake.transcript } }
        }
        if let encryptionInfo, let origin {
            add("the handover of ISO/IEC TS 18013-7 Annex C") { try .dcAPI(encryptionInfo: encryptionInfo, origin: origin) }
        }
        return found
    }

    private func addProximity(
        _ engagement: [UInt8], _ key: [UInt8], _ add: (String, () throws -> SessionTranscript?) -> Void
    ) {
        add("the handover of a QR code") { try .proximityQR(deviceEngagementBytes: engagement, eReaderKeyBytes: key) }
        guard let select else { return }
        add("the static handover of NFC") {
            try .proximityNFC(
                deviceEngagementBytes: engagement, eReaderKeyBytes: key, handoverSelect: select, handoverRequest: nil)
        }
        guard let request else { return }
        add("the negotiated handover of NFC") {
            try .proximityNFC(
                deviceEngagementBytes: engagement, eReaderKeyBytes: key, handoverSelect: select, handoverRequest: request)
        }
    }

    /// What OpenID4VP may have bound the presentation to.
    private var bindings: [(name: String, binding: PresentationBinding)] {
        guard let nonce else { return [] }
        var found: [(name: String, binding: PresentationBinding)] = []
        func add(_ name: String, _ channel: PresentationBinding.Channel) {
            found.append((name, PresentationBinding(channel, nonce: nonce, keyThumbprint: thumbprint)))
        }
        if let clientID, let responseURI {
            add("the handover of OpenID4VP by redirect", .redirect(clientID: clientID, responseURI: responseURI))
        }
        if let origin { add("the handover of OpenID4VP over the DC API", .digitalCredentials(origin: origin)) }
        return found
    }
}
