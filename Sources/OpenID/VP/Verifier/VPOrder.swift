public import Codec
public import Credentials

/// What a person asks a verifier to ask.
public struct VPOrder: Sendable {
    /// How the request gets to the wallet.
    public enum Passing: String, Sendable, Hashable, CaseIterable {
        /// All of it in the link.
        case value
        /// A link to `request_uri`, fetched by GET.
        case get
        /// A link to `request_uri`, fetched by POST with `wallet_nonce` and `wallet_metadata`.
        case post
    }

    public var query: DCQLQuery
    /// A scope in place of the query, which then says what it stands for.
    public var scope: String?
    public var mode = ResponseMode.directPostJWT
    public var passing = Passing.get
    /// Objects with `type` and `credential_ids`.
    public var transactionData: [JSONObject] = []
    /// Entries as they go.
    public var verifierInfo: [JSON] = []
    /// Seconds until the transaction expires.
    public var lifetime: Int64 = 300
    /// The most that `lifetime` may be: a week, in seconds.
    static let longestLifetime: Int64 = 604_800
    /// Whether the wallet is on the device of the browser: the answer then carries a `redirect_uri` with a `response_code`.
    public var isSameDevice = false
    /// Of the link: `openid4vp`, `haip-vp`, or an https address.
    public var scheme = "openid4vp"
    /// `encrypted_response_enc_values_supported`.
    public var encryptions: [JWEEncryption] = [.a128GCM, .a256GCM]
    public var formats = VPFormats.own
    /// Pages that may ask over the Digital Credentials API.
    public var origins: [String] = []
    /// `client_metadata.client_name`.
    public var clientName: String?

    public init(_ query: DCQLQuery) { self.query = query }

    /// Reads what a request file or a form of the page says:
    ///
    ///     { "dcql_query": {…}, "response_mode"?, "request_uri_method"?: "get|post|none", "transaction_data"?: [{…}],
    ///       "verifier_info"?: […], "same_device"?: bool, "lifetime"?: seconds, "scheme"?, "client_name"?,
    ///       "expected_origins"?: […], "vp_formats_supported"?, "encrypted_response_enc_values_supported"?: […], "scope"? }
    ///
    /// A DCQL query alone is one, too.
    public init(_ json: JSON) throws(Malformed) {
        guard let object = json.objectValue else { throw Malformed("a request is a JSON object, not a \(json.typeName)") }
        guard let query = object["dcql_query"] ?? (object["credentials"].map { _ in json }) else {
            throw Malformed("there is no dcql_query")
        }
        do { self.init(try DCQLQuery(query)) } catch { throw Malformed("\(error)") }
        guard object["dcql_query"] != nil else { return }
        if let unknown = object.keys.first(where: { !Self.members.contains($0) }) {
            throw Malformed("\(unknown) is not known here")
        }
        try read(object)
    }

    private static let members: Set<String> = [
        "dcql_query", "response_mode", "request_uri_method", "transaction_data", "verifier_info", "same_device", "lifetime",
        "scheme",
        "client_name", "expected_origins", "vp_formats_supported", "encrypted_response_enc_values_supported", "scope",
    ]

    private mutating func read(_ object: JSONObject) throws(Malformed) {
        if let text = try Self.text(object, "response_mode") {
            guard let mode = ResponseMode(rawValue: text) else { throw Malformed("response_mode \(text) is not known") }
            self.mode = mode
        }
        if let text = try Self.text(object, "request_uri_method") {
            guard let passing = text == "none" ? Passing.value : Passing(rawValue: text) else {
                throw Malformed("request_uri_method is get, post or none")
            }
            self.passing = passing
        }
        if let value = object["same_device"] {
            guard let flag = value.boolValue else { throw Malformed("same_device is true or false") }
            isSameDevice = flag
        }
        if let value = object["lifetime"] {
            guard let seconds = value.intValue, (1...604_800).contains(seconds) else {
                throw Malformed("lifetime is 1 to 604800 seconds")
            }
            lifetime = seconds
        }
        if let value = object["transaction_data"] {
            let objects = value.arrayValue?.compactMap(\.objectValue) ?? []
            guard !objects.isEmpty, objects.count == value.arrayValue?.count else {
                throw Malformed("transaction_data is a list of objects")
            }
            transactionData = objects
        }
        if let value = object["verifier_info"] {
            guard let list = value.arrayValue, !list.isEmpty else { throw Malformed("verifier_info is a list with entries") }
            verifierInfo = list
        }
        if let value = object["expected_origins"] { origins = try Self.texts(value, "expected_origins") }
        if let value = object["encrypted_response_enc_values_supported"] {
            let names = try Self.texts(value, "encrypted_response_enc_values_supported")
            encryptions = names.compactMap(JWEEncryption.init)
            guard encryptions.count == names.count else {
                throw Malformed("encrypted_response_enc_values_supported names an unknown one")
            }
        }
        if let value = object["vp_formats_supported"] {
            do { formats = try VPFormats(value) } catch { throw Malformed("vp_formats_supported: \(error)") }
        }
        scheme = try Self.text(object, "scheme") ?? scheme
        clientName = try Self.text(object, "client_name")
        scope = try Self.text(object, "scope")
    }

    private static func text(_ object: JSONObject, _ name: String) throws(Malformed) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw Malformed("\(name) is a text") }
        return text
    }

    private static func texts(_ value: JSON, _ name: String) throws(Malformed) -> [String] {
        let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard !texts.isEmpty, texts.count == value.arrayValue?.count else { throw Malformed("\(name) is a list of texts") }
        return texts
    }

    /// Why a request cannot be made.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Whether the response comes over the Digital Credentials API.
    public var isDigital: Bool { mode.way == .digitalCredentials }
}
