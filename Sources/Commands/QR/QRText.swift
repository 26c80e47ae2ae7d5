import Codec
import Credentials
import Ports
import Proximity
import QR

/// Says what the text of a QR code is, and for a device engagement what a reader would say to it.
enum QRText {
    static func explanation(_ text: String, edition: Edition) -> [String] {
        switch URIScheme.of(text) {
        case .mdoc: engagement(text, edition)
        case .openID4VP, .haipVP: ["an OpenID4VP request for a wallet, no device engagement"]
        case .credentialOffer, .haipVCI: ["an OpenID4VCI credential offer for a wallet, no device engagement"]
        case .http, .https: ["a web address, no device engagement"]
        case nil: [Sniffer.content(ofText: text).map { "\($0.content.name), no device engagement" } ?? "text, no device engagement"]
        }
    }

    /// The one text in a picture.
    /// - Throws: exit code 1 when there is none, or more than one.
    static func one(in bytes: [UInt8], _ origin: String) throws(CommandError) -> String {
        let picture: Picture
        do { picture = try Picture(bytes) } catch { throw .refused("\(origin): \(error)") }
        let texts = Set(QRReader.read(picture.frame).map(\.text))
        guard texts.count == 1, let text = texts.first else {
            throw .refused(
                texts.isEmpty ? "\(origin): no QR code found in the picture" : "\(origin): \(texts.count) QR codes in the picture",
                hint: "walletbench qr decode \(origin) shows what is there")
        }
        return text
    }

    private static func engagement(_ text: String, _ edition: Edition) -> [String] {
        let review = EngagementReview(text: text, edition: edition)
        let findings = review.checks.checks.filter { $0.outcome.isViolation }.map { check in
            "\(check.outcome.word) \(check.id) \(check.name): \(check.reason ?? "")"
        }
        guard let engagement = review.engagement else { return ["no device engagement can be read from it"] + findings }
        let methods = (engagement.retrievalMethods ?? []).map(describe)
        return ["an mdoc device engagement, version \(engagement.version)"] + methods + findings
    }

    private static func describe(_ method: RetrievalMethod) -> String {
        switch method {
        case .nfc: return "reachable by NFC"
        case .wifiAware: return "reachable by Wi-Fi Aware"
        case .stream: return "reachable by a stream link of this program"
        case .other(let type, let version, _): return "reachable by a method of type \(type) version \(version), which is unknown"
        case .ble(let options):
            let modes = [
                options.supportsPeripheralServer ? "mdoc peripheral server mode \(uuid(options.peripheralServerUUID))" : nil,
                options.supportsCentralClient ? "mdoc central client mode \(uuid(options.centralClientUUID))" : nil,
            ]
            return "reachable by Bluetooth: \(modes.compactMap { $0 }.joined(separator: ", "))"
        }
    }

    private static func uuid(_ bytes: [UInt8]?) -> String {
        bytes.map { BluetoothUUID(bytes: $0)?.description ?? Hex.encode($0) } ?? "without UUID"
    }
}
