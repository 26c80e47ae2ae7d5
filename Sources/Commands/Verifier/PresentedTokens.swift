import Codec
import Credentials

/// The SD-JWTs in what a person gives as a token.
struct PresentedTokens {
    let texts: [String]

    init(_ argument: String, key: String?) throws(CommandError) {
        let input = try InputReader.read(argument)
        switch input.content {
        case .sdJWT(let text): texts = [text]
        case .jwe(let text): texts = try Self.inside(try Self.decrypt(text, key, input.origin), input.origin)
        case .json(let text):
            let json = try input.json(as: "a vp_token")
            texts = json["payload"] == nil ? try Self.inside(json, input.origin) : [text]
        case .jws: throw .refused("\(input.origin): a JWS without ~, which is no SD-JWT")
        case .cbor:
            throw .refused("\(input.origin): CBOR", hint: "walletbench reader verify takes a DeviceResponse with its transcript")
        default: throw input.wrong("an SD-JWT, a vp_token or an encrypted response")
        }
    }

    /// `{"vp_token": {"<id>": ["<presentation>", …]}}`, or the vp_token alone.
    private static func inside(_ json: JSON, _ origin: String) throws(CommandError) -> [String] {
        guard let token = (json["vp_token"] ?? json).objectValue else { throw .refused("\(origin): vp_token is no JSON object") }
        var texts: [String] = []
        for (id, presentations) in token {
            guard let list = presentations.arrayValue, !list.isEmpty else {
                throw .refused("\(origin): \(id): a list of presentations expected")
            }
            for (place, presentation) in list.enumerated() {
                if presentation.objectValue != nil {
                    texts.append(presentation.encoded())
                    continue
                }
                guard let text = presentation.stringValue, text.contains("~") else {
                    throw .refused(
                        "\(origin): \(id)[\(place)] is no SD-JWT", hint: "an mdoc is verified with: walletbench reader verify")
                }
                texts.append(text)
            }
        }
        return texts
    }

    private static func decrypt(_ text: String, _ key: String?, _ origin: String) throws(CommandError) -> JSON {
        guard let key else {
            throw .usage("\(origin): an encrypted response", hint: "give its private key with --decrypt-key FILE")
        }
        let privateKey = try KeyFile.privateKey(key)
        do { return try JSON.decode(JWE(compact: text).decrypt(with: privateKey)) } catch { throw .refused("\(origin): \(error)") }
    }
}
