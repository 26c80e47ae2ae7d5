import Credentials

/// Something wrong with how a wallet fetches a request or sends its response; faults of the content are `ContentFault`s.
public struct VPResponseFault: Sendable, Identifiable {
    /// The name on the command line: "jwe-wrong-key".
    public let name: String
    public let summary: String
    /// Checks that may fail or warn along with those it must trip.
    public let also: [String]

    public var id: String { name }

    /// The ids of the checks that it must trip.
    public var trips: [String] { CheckCatalogue.rows.filter { $0.faults.contains(name) }.map(\.id) }

    private init(_ name: String, _ summary: String, also: [String] = []) {
        self.name = name
        self.summary = summary
        self.also = also
    }

    /// Every one. `VW31.status` goes with those that the verifier answers with an error.
    public static let all: [VPResponseFault] = [
        .init("response-method", "the response is sent as JSON", also: ["VW31.status"]),
        .init("response-form", "a parameter of the response stands there twice", also: ["VW31.status"]),
        .init("response-foreign-state", "the response goes to a transaction that is not there", also: ["VW31.status"]),
        .init("response-twice", "the response is sent twice", also: ["VW31.status"]),
        .init("response-late", "the response is sent after the transaction has expired", also: ["VW31.status", "VW18"]),
        .init("wallet-error", "the wallet answers access_denied though it could answer"),
        .init("wallet-error-known", "the wallet answers with an error code that nobody defines", also: ["VV3.error"]),
        .init("response-encrypted", "a plain response though encryption was asked for", also: ["VW31.status"]),
        .init("jwe-form", "response is no JWE", also: ["VW31.status"]),
        .init("jwe-alg", "alg of the JWE is not that of the key", also: ["VW31.status"]),
        .init("jwe-enc", "enc of the JWE is not among those listed", also: ["VW31.status"]),
        .init("jwe-kid", "kid of the JWE is another"),
        .init("jwe-wrong-key", "the response is encrypted to another key", also: ["VW31.status"]),
        .init("jwe-parameters-outside", "state stands outside of the JWE as well"),
        .init("state-returned", "state is another", also: ["VW31.status"]),
        .init("redirect-followed", "the wallet does not follow redirect_uri"),
        .init("redirect-session", "the browser comes back in another session"),
        .init("response-code", "the browser comes back with another response code"),
        .init("fetch-accept", "the request object is fetched with Accept: text/html"),
        .init("fetch-form", "the POST to request_uri is no form", also: ["VW3.http"]),
        .init("annex-c-hpke", "a response under Annex C is encrypted for another page"),
        .init("annex-c-transcript", "an mdoc under Annex C covers another handover", also: ["R24.signature"]),
        .init("wallet-metadata", "wallet_metadata is no JSON", also: ["VW3.http"]),
    ]
}
