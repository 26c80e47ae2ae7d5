/// The error codes of an authorization response (OpenID4VP 1.0 §8.5; RFC 6749 §4.1.2.1).
public enum VPErrorCode: String, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case vpFormatsNotSupported = "vp_formats_not_supported"
    case invalidRequestURIMethod = "invalid_request_uri_method"
    case invalidTransactionData = "invalid_transaction_data"
    case walletUnavailable = "wallet_unavailable"

    /// What the specification means by it, in a sentence.
    public var meaning: String {
        switch self {
        case .invalidRequest: "the wallet finds the request malformed, or its client identifier prefix unsupported or violated"
        case .invalidClient: "client_metadata came although the wallet has metadata of this client"
        case .invalidScope: "the scope is unknown to the wallet"
        case .accessDenied:
            "the wallet has no credentials that satisfy the request, or the person did not consent or was not authenticated"
        case .vpFormatsNotSupported: "the wallet supports none of the formats"
        case .invalidRequestURIMethod: "request_uri_method is neither get nor post"
        case .invalidTransactionData: "transaction data is of an unknown type, malformed, or for a credential that is not there"
        case .walletUnavailable: "the wallet cannot respond"
        }
    }

    /// T50 to T68: the wallet's own policy on registration certificates, which denies access (RFC 6749 §4.1.2.1).
    private static func isRegistration(_ check: String) -> Bool {
        guard check.first == "T", let number = Int(check.dropFirst()) else { return false }
        return (50...68).contains(number)
    }

    /// The codes that a wallet's checks answer with; a check that is not named sends nothing (catalogue, column "Sends").
    static func code(of check: String) -> VPErrorCode? {
        switch check {
        case "VW2.value": .invalidRequestURIMethod
        case "VW1", "VW2.alone", "VW7", "VW9.prefix", "VW10.signed", "VW19", "VW20", "VW21.redirect-uri", "VW22.missing",
            "VW22.chars",
            "VW23.required", "VW23.chars", "VW24.none", "VW24.both", "VW25.formats", "VW26.key", "VW26.enc", "VW26.p256",
            "VW26.values", "VW26.reused", "VW28", "VD3.match":
            .invalidRequest
        case "VW16": .invalidClient
        case "VW24.scope": .invalidScope
        case "VW25.unsupported": .vpFormatsNotSupported
        case "VW27.decode", "VW27.type", "VW27.shape", "VW27.ids", "VW27.binding", "VW27.mdoc": .invalidTransactionData
        case "VW29", "VW30": .accessDenied
        default: check.hasPrefix("VQ") ? .invalidRequest : isRegistration(check) ? .accessDenied : nil
        }
    }
}
