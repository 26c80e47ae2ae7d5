import Codec
import Credentials
import Crypto

/// Options that tell `--explain` what else the proof of a device may cover: handovers of other protocols, which peers are known to take
/// for one another.
struct HandoverOptions {
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

    private let clientID: String?
    private let responseURI: String?
    private let origin: String?
    private let nonce: String?
    private let thumbprint: [UInt8]?
    private let mdocNonce: String?
    private let encryptionInfo: String?
    private let select: [UInt8]?
    private let request: [UInt8]?

    init(_ invocation: Invocation) throws(CommandError) {
        func bytes(_ name: String) throws(CommandError) -> [UInt8]? {
            guard let text = invocation.string(name) else { return nil }
            do { return try Hex.decode(text) } catch { throw .usage("--\(name): \(error)") }
        }
        clientID = invocation.string("client-id")
        responseURI = invocation.string("response-uri")
        origin = invocation.string("origin")
        nonce = invocation.string("nonce")
        mdocNonce = invocation.string("mdoc-nonce")
        encryptionInfo = invocation.string("encryption-info")
        select = try bytes("handover-select")
        request = try bytes("handover-request")
        thumbprint = try invocation.string("jwk").map { path throws(CommandError) in
            let json = try InputReader.read(path).json(as: "a JWK")
            do { return try JWK.thumbprint(of: json) } catch { throw .refused("--jwk: \(error)") }
        }
    }

    /// Whether any of them was given.
    var isEmpty: Bool {
        [clientID, responseURI, origin, nonce, mdocNonce, encryptionInfo].allSatisfy { $0 == nil } && select == nil && thumbprint == nil
    }

    /// Every transcript that can be made of what was given, and of the parts of the session's own one.
    func transcripts(besides own: SessionTranscript?) -> [(name: String, transcript: SessionTranscript)] {
        var found: [(name: String, transcript: SessionTranscript)] = []
        func add(_ name: String, _ make: () throws -> SessionTranscript?) {
            if let transcript = try? make(), transcript != own { found.append((name, transcript)) }
        }
        addProximity(own, add)
        for (key, of) in [(thumbprint, ""), (nil, ", response not encrypted")] where key != nil || !of.isEmpty {
            for (client, spelling) in clients { addOpenID(client, spelling, key, of, add) }
            for (origin, spelling) in origins {
                add("the handover of OpenID4VP over the DC API (B.2.6.2)\(spelling)\(of)") {
                    try nonce.map { try .openID4VPDCAPI(origin: origin, nonce: $0, keyThumbprint: key) }
                }
            }
        }
        for (origin, spelling) in origins {
            add("the handover of ISO/IEC TS 18013-7 Annex C\(spelling)") {
                try encryptionInfo.map { try .dcAPI(encryptionInfo: $0, origin: origin) }
            }
        }
        return found
    }

    private typealias Add = (String, () throws -> SessionTranscript?) -> Void

    private func addProximity(_ own: SessionTranscript?, _ add: Add) {
        guard let engagement = own?.deviceEngagementBytes, let key = own?.eReaderKeyBytes else { return }
        add("the handover of a QR code") { try .proximityQR(deviceEngagementBytes: engagement, eReaderKeyBytes: key) }
        guard let select else { return }
        for (request, kind) in [(request, "negotiated"), (nil, "static")] where request != nil || kind == "static" {
            add("the \(kind) handover of NFC") {
                try .proximityNFC(
                    deviceEngagementBytes: engagement, eReaderKeyBytes: key, handoverSelect: select, handoverRequest: request)
            }
        }
    }

    private func addOpenID(_ client: String, _ spelling: String, _ key: [UInt8]?, _ of: String, _ add: Add) {
        guard let responseURI, let nonce else { return }
        add("the handover of OpenID4VP by redirect (B.2.6.1)\(spelling)\(of)") {
            try .openID4VP(clientID: client, nonce: nonce, keyThumbprint: key, responseURI: responseURI)
        }
        guard let mdocNonce, key == thumbprint else { return }
        add("the handover of ISO/IEC TS 18013-7 Annex B\(spelling)") {
            try .annexB(clientID: client, responseURI: responseURI, nonce: nonce, mdocNonce: mdocNonce)
        }
    }

    /// client_id as given, and without the prefix that drafts did not have.
    private var clients: [(String, String)] {
        guard let clientID else { return [] }
        guard let colon = clientID.firstIndex(of: ":") else { return [(clientID, "")] }
        return [(clientID, ""), (String(clientID[clientID.index(after: colon)...]), ", client_id without its prefix")]
    }

    /// The origin as given, and with the prefix that belongs to `aud` only.
    private var origins: [(String, String)] {
        origin.map { [($0, ""), ("origin:\($0)", ", origin with its prefix")] } ?? []
    }
}
