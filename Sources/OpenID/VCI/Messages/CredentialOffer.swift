package import Codec
import Credentials
package import Ports

/// A credential offer (OpenID4VCI 1.0 §4.1.1).
///
///     { "credential_issuer": URL, "credential_configuration_ids": [ + tstr ], ? "grants": { ? "authorization_code": {…},
///       ? "urn:ietf:params:oauth:grant-type:pre-authorized_code": { "pre-authorized_code": tstr, ? "tx_code": {…} } } }
package struct CredentialOffer: Sendable, Equatable {
    package var issuer: String
    package var configurationIDs: [String]
    package var authorizationCode: AuthorizationCode?
    package var preAuthorized: PreAuthorized?

    /// The grant that begins at the authorization endpoint.
    package struct AuthorizationCode: Sendable, Equatable {
        package var issuerState: String?
        package var authorizationServer: String?
        package init(issuerState: String? = nil, authorizationServer: String? = nil) {
            self.issuerState = issuerState
            self.authorizationServer = authorizationServer
        }
    }

    /// The grant that begins at the token endpoint.
    package struct PreAuthorized: Sendable, Equatable {
        package var code: String
        package var transactionCode: TransactionCode?
        package var authorizationServer: String?
        package init(code: String, transactionCode: TransactionCode? = nil, authorizationServer: String? = nil) {
            self.code = code
            self.transactionCode = transactionCode
            self.authorizationServer = authorizationServer
        }
    }

    /// What is known of the code that the person gets by another way.
    package struct TransactionCode: Sendable, Equatable {
        package var isText: Bool
        package var length: Int?
        package var description: String?
        package init(isText: Bool = false, length: Int? = nil, description: String? = nil) {
            self.isText = isText
            self.length = length
            self.description = description
        }
    }

    package init(
        issuer: String, configurationIDs: [String], authorizationCode: AuthorizationCode? = nil, preAuthorized: PreAuthorized? = nil
    ) {
        self.issuer = issuer
        self.configurationIDs = configurationIDs
        self.authorizationCode = authorizationCode
        self.preAuthorized = preAuthorized
    }

    /// The grant types' names.
    package static let authorizationCodeGrant = "authorization_code"
    package static let preAuthorizedGrant = "urn:ietf:params:oauth:grant-type:pre-authorized_code"
    /// Schemes that announce an offer.
    package static let schemes = ["openid-credential-offer", "haip-vci"]

    /// What an offer's link says: the offer itself, or where it is.
    package enum Link: Sendable, Equatable {
        case value(String)
        case reference(WebURL)
    }

    /// Reads a link of any scheme, https included.
    package static func link(_ text: String) throws(OfferError) -> Link {
        let url: WebURL
        let fields: FormFields
        do {
            url = try WebURL(text)
            fields = try FormFields(url.query ?? "")
        } catch { throw OfferError("IW1.form", "no credential offer: \(error)") }
        guard fields.repeated == nil else { throw OfferError("IW1.form", "\(fields.repeated ?? "") is repeated") }
        switch (fields["credential_offer"], fields["credential_offer_uri"]) {
        case (let value?, nil): return .value(value)
        case (nil, let reference?):
            let target: WebURL
            do { target = try WebURL(reference) } catch { throw OfferError("IW1.form", "credential_offer_uri: \(error)") }
            return .reference(target)
        default: throw OfferError("IW1.form", "not exactly one of credential_offer, credential_offer_uri")
        }
    }

    /// Reads the JSON of an offer; members it does not know are ignored.
    package init(_ json: JSON) throws(OfferError) {
        guard let object = json.objectValue else { throw OfferError("IW1.json", "the offer is a JSON \(json.typeName), no object") }
        guard let issuer = object["credential_issuer"]?.stringValue else {
            throw OfferError("IW1.json", "credential_issuer missing or mistyped")
        }
        guard let list = object["credential_configuration_ids"]?.arrayValue else {
            throw OfferError("IW1.json", "credential_configuration_ids missing or mistyped")
        }
        let identifiers = list.compactMap(\.stringValue)
        guard identifiers.count == list.count else { throw OfferError("IW1.json", "credential_configuration_ids holds no strings") }
        guard !list.isEmpty, Set(identifiers).count == list.count else {
            throw OfferError("IW1.ids", "credential_configuration_ids is empty, or names one twice")
        }
        self.init(issuer: issuer, configurationIDs: identifiers)
        guard let grants = object["grants"] else { return }
        guard let members = grants.objectValue else { throw OfferError("IW1.json", "grants missing or mistyped") }
        if let grant = members[Self.authorizationCodeGrant] {
            guard grant.objectValue != nil else { throw OfferError("IW1.json", "grants.authorization_code missing or mistyped") }
            authorizationCode = AuthorizationCode(
                issuerState: try Self.text(grant, "issuer_state"), authorizationServer: try Self.text(grant, "authorization_server")
            )
        }
        if let grant = members[Self.preAuthorizedGrant] {
            guard let code = grant["pre-authorized_code"]?.stringValue, !code.allSatisfy(\.isWhitespace) else {
                throw OfferError("IW1.json", "pre-authorized_code missing or mistyped")
            }
            preAuthorized = PreAuthorized(
                code: code, transactionCode: try grant["tx_code"].map { (json) throws(OfferError) in try TransactionCode(json) },
                authorizationServer: try Self.text(grant, "authorization_server"))
        }
    }

    private static func text(_ json: JSON, _ name: String) throws(OfferError) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.stringValue else { throw OfferError("IW1.json", "\(name) missing or mistyped") }
        return text
    }

    /// The JSON of the offer.
    package var json: JSONObject {
        var grants = JSONObject()
        if let authorizationCode {
            var grant = JSONObject()
            if let state = authorizationCode.issuerState { grant["issuer_state"] = .string(state) }
            if let server = authorizationCode.authorizationServer { grant["authorization_server"] = .string(server) }
            grants[Self.authorizationCodeGrant] = .object(grant)
        }
        if let preAuthorized {
            var grant: JSONObject = ["pre-authorized_code": .string(preAuthorized.code)]
            if let code = preAuthorized.transactionCode { grant["tx_code"] = .object(code.json) }
            if let server = preAuthorized.authorizationServer { grant["authorization_server"] = .string(server) }
            grants[Self.preAuthorizedGrant] = .object(grant)
        }
        var object: JSONObject = [
            "credential_issuer": .string(issuer), "credential_configuration_ids": .array(configurationIDs.map { .string($0) }),
        ]
        if !grants.isEmpty { object["grants"] = .object(grants) }
        return object
    }

    /// A link that carries the offer itself.
    package static func link(by value: JSONObject, scheme: String = schemes[0]) -> String {
        "\(scheme)://?\((["credential_offer": JSON.object(value).encoded()] as FormFields).encoded)"
    }

    /// A link that says where the offer is.
    package static func link(to url: String, scheme: String = schemes[0]) -> String {
        "\(scheme)://?\((["credential_offer_uri": url] as FormFields).encoded)"
    }
}

extension CredentialOffer.TransactionCode {
    init(_ json: JSON) throws(OfferError) {
        guard json.objectValue != nil else { throw OfferError("IW1.tx-code", "tx_code is no object") }
        switch json["input_mode"] {
        case nil, "numeric"?: isText = false
        case "text"?: isText = true
        default: throw OfferError("IW1.tx-code", "input_mode is neither numeric nor text")
        }
        if let value = json["length"] {
            guard let number = value.intValue, (1...256).contains(number) else {
                throw OfferError("IW1.tx-code", "length is no length")
            }
            length = Int(number)
        } else {
            length = nil
        }
        if let value = json["description"] {
            guard let text = value.stringValue, text.count <= 300 else {
                throw OfferError("IW1.tx-code", "description is no text of at most 300 characters")
            }
            description = text
        } else {
            description = nil
        }
    }

    var json: JSONObject {
        var object = JSONObject()
        if isText { object["input_mode"] = "text" } else { object["input_mode"] = "numeric" }
        if let length { object["length"] = .integer(Int64(length)) }
        if let description { object["description"] = .string(description) }
        return object
    }
}

/// Why an offer is none; `check` is the id in the catalogue.
package struct OfferError: Error, Sendable, Equatable, CustomStringConvertible {
    package let check: String
    package let what: String

    package init(_ check: String, _ what: String) {
        self.check = check
        self.what = what
    }

    package var description: String { what }
}
