import Codec
import Credentials

/// What a person gives as a token: a whole `vp_token`, or one presentation of either format.
struct PresentedTokens {
    /// A presentation with the credential query that it stands under; nil for one that came alone.
    struct Presentation {
        let id: String?
        /// As in a `vp_token`: an SD-JWT as text or JSON, an mdoc as base64url of a DeviceResponse.
        let value: JSON

        var isSDJWT: Bool { value.objectValue != nil || value.stringValue?.contains("~") ?? false }
        /// For messages.
        let origin: String

        /// The DeviceResponse of an mdoc.
        func deviceResponse() throws(CommandError) -> [UInt8] {
            do { return try Base64URL.decode(value.stringValue ?? "") } catch {
                throw .refused("\(origin) is neither an SD-JWT nor base64url of a DeviceResponse: \(error)")
            }
        }
    }

    let presentations: [Presentation]
    /// The value of `vp_token`, where it was one.
    let token: JSON?
    /// What the token came encrypted in.
    let envelope: JWE?
    let origin: String

    /// - Parameter key: the file of the private key that opens an encrypted response.
    init(_ argument: String, key: String?) throws(CommandError) {
        let input = try InputReader.read(argument)
        origin = input.origin
        var (json, envelope): (JSON?, JWE?) = (nil, nil)
        switch input.content {
        case .sdJWT(let text): presentations = [Presentation(id: nil, value: .string(text), origin: input.origin)]
        case .cbor(let bytes):
            presentations = [Presentation(id: nil, value: .string(Base64URL.encode(bytes)), origin: input.origin)]
        case .jwe(let text):
            let opened = try Self.decrypt(text, key, input.origin)
            (json, envelope) = (opened.json, opened.jwe)
            presentations = try Self.inside(opened.json, input.origin)
        case .json:
            let read = try input.json(as: "a vp_token")
            if read["payload"] != nil {
                presentations = [Presentation(id: nil, value: read, origin: input.origin)]
            } else if let text = read["response"]?.stringValue {
                let opened = try Self.decrypt(text, key, input.origin)
                (json, envelope) = (opened.json, opened.jwe)
                presentations = try Self.inside(opened.json, input.origin)
            } else {
                json = read
                presentations = try Self.inside(read, input.origin)
            }
        case .jws: throw .refused("\(input.origin): a JWS without ~, which is no SD-JWT")
        default: throw input.wrong("an SD-JWT, a DeviceResponse, a vp_token or an encrypted response")
        }
        token = json.map { $0["vp_token"] ?? $0 }
        self.envelope = envelope
    }

    /// The `vp_token` for a query; a presentation that came alone goes under the one id of its format.
    func token(for query: DCQLQuery) throws(CommandError) -> JSON {
        if let token { return token }
        let wanted = presentations.first?.isSDJWT == true ? [SDJWTVC.mediaType, SDJWTVC.formerMediaType] : ["mso_mdoc"]
        let fitting = query.credentials.filter { wanted.contains($0.format) }
        guard fitting.count == 1, let id = fitting.first?.id else {
            throw .refused(
                "\(origin): one presentation, and the query has \(fitting.count) credentials of format \(wanted[0])",
                hint: "give the whole vp_token: {\"<id>\": [\"<presentation>\"]}")
        }
        return [id: .array(presentations.map(\.value))]
    }

    /// `{"vp_token": {"<id>": ["<presentation>", …]}}`, or the vp_token alone.
    private static func inside(_ json: JSON, _ origin: String) throws(CommandError) -> [Presentation] {
        guard let token = (json["vp_token"] ?? json).objectValue else { throw .refused("\(origin): vp_token is no JSON object") }
        var found: [Presentation] = []
        for (id, presentations) in token {
            guard let list = presentations.arrayValue, !list.isEmpty else {
                throw .refused("\(origin): \(id): a list of presentations expected")
            }
            for (place, value) in list.enumerated() {
                found.append(Presentation(id: id, value: value, origin: "\(origin): \(id)[\(place)]"))
            }
        }
        guard !found.isEmpty else { throw .refused("\(origin): the token holds no presentation") }
        return found
    }

    private static func decrypt(_ text: String, _ key: String?, _ origin: String) throws(CommandError) -> (json: JSON, jwe: JWE) {
        guard let key else {
            throw .usage("\(origin): an encrypted response", hint: "give its private key with --decrypt-key FILE")
        }
        let privateKey = try KeyFile.privateKey(key)
        do {
            let jwe = try JWE(compact: text)
            return (try JSON.decode(jwe.decrypt(with: privateKey)), jwe)
        } catch { throw .refused("\(origin): \(error)") }
    }
}
