import Codec
import Credentials
import Crypto
import OpenID

/// What `verifier verify` is told of the request that a presentation answers.
struct VerifyTerms {
    static let options: [Option] = [
        .value("nonce", "N", "The nonce of the request"),
        .value("client-id", "C", "The full client_id of the request, with its prefix"),
        .value("response-uri", "U", "Its response_uri (or redirect_uri), which mdocs are bound to"),
        .value("origin", "O", "The origin of the page, for the Digital Credentials API"),
        .file("jwk", "K", "The key that the response was encrypted to, which mdocs are bound to; default: that of --decrypt-key"),
        .file("transcript", "F", "The SessionTranscript of an mdoc, in tag 24 or not, instead of what it is made of"),
        .file("query", "Q", "The DCQL query, or a request that has one; then it is judged whether the answer fits"),
        .value("vct", "TYPE", "A type that was asked for; any of several will do", isRepeatable: true),
        .value("transaction-data", "TEXT", "A transaction_data string exactly as sent", isRepeatable: true),
        .flag("no-key-binding", "Accept a presentation that is bound to no request"),
        .integer("window", "SECONDS", "How old the key binding may be", in: 0...315_360_000, default: 300),
    ]

    /// Nil when presentations need not be bound to a request.
    let binding: PresentationBinding?
    let query: DCQLQuery?
    private let ownTranscript: SessionTranscript?
    private let types: [String]
    private let transactionData: [String]
    private let window: Int64
    private let mdocNonce: String?

    init(_ invocation: Invocation, _ tokens: PresentedTokens) throws(CommandError) {
        ownTranscript = try invocation.string("transcript").map { path throws(CommandError) in try ReaderVerify.transcript(path) }
        query = try invocation.string("query").map { path throws(CommandError) in try Self.query(path) }
        types = invocation.strings("vct")
        transactionData = invocation.strings("transaction-data")
        window = Int64(invocation.integer("window") ?? 300)
        mdocNonce = tokens.envelope?.protected["apu"]?.stringValue.flatMap { try? Base64URL.decode($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let channel = try Self.channel(invocation, tokens, hasTranscript: ownTranscript != nil)
        let nonce = invocation.string("nonce")
        guard channel == nil || nonce != nil || ownTranscript != nil, channel != nil || nonce == nil else {
            throw .usage(
                "--nonce and --client-id (or --origin) belong together", hint: "both are what a presentation must be bound to")
        }
        guard channel != nil || invocation.flag("no-key-binding") && query == nil else {
            throw .usage(
                "a presentation is bound to a nonce and a client id",
                hint: query == nil
                    ? "give --nonce and --client-id, or --no-key-binding to accept one without" : "give --nonce and --client-id")
        }
        let thumbprint = try Self.thumbprint(invocation, tokens)
        binding = channel.map { PresentationBinding($0, nonce: nonce ?? "", keyThumbprint: thumbprint) }
    }

    /// For an SD-JWT without a query.
    var expectation: SDJWTVerifier.Expectation {
        let binding = binding.map {
            KeyBindingExpectation(audience: $0.audience, nonce: $0.nonce, transactionData: transactionData, window: window)
        }
        return .presentation(types: types.isEmpty ? nil : types, binding: binding)
    }

    /// For an mdoc without a query; nil when it need not be bound.
    var transcript: SessionTranscript? { ownTranscript ?? (try? binding?.transcript()) }

    /// What wallets make of the same request by mistake.
    var mistakes: [(name: String, transcript: SessionTranscript)] {
        ownTranscript == nil ? binding?.knownMistakes(mdocNonce: mdocNonce) ?? [] : []
    }

    /// For a `vp_token` with its query.
    func terms(_ query: DCQLQuery, _ binding: PresentationBinding) -> VPTokenVerifier.Terms {
        var terms = VPTokenVerifier.Terms(
            query: query, binding: binding, transactions: TransactionTypes.builtIn.transactions(transactionData), window: window,
            mdocNonce: mdocNonce)
        terms.transcript = ownTranscript
        return terms
    }

    // MARK: reading

    private static func channel(
        _ invocation: Invocation, _ tokens: PresentedTokens, hasTranscript: Bool
    ) throws(CommandError) -> PresentationBinding.Channel? {
        let (client, address) = (invocation.string("client-id"), invocation.string("response-uri"))
        if let origin = invocation.string("origin") {
            guard client == nil else {
                throw .usage(
                    "--origin and --client-id exclude each other", hint: "over the Digital Credentials API aud is the origin")
            }
            return .digitalCredentials(origin: origin)
        }
        if hasTranscript, client == nil {
            if let token = tokens.presentations.first(where: \.isSDJWT) {
                throw .usage(
                    "\(token.origin): an SD-JWT is bound to no transcript", hint: "give --nonce and --client-id, or --origin")
            }
            return .redirect(clientID: "", responseURI: "")
        }
        guard let client else { return nil }
        if address == nil, !hasTranscript, let mdoc = tokens.presentations.first(where: { !$0.isSDJWT }) {
            throw .usage(
                "\(mdoc.origin): an mdoc is bound to the address of the answer too",
                hint: "give it with --response-uri, or --transcript")
        }
        return .redirect(clientID: client, responseURI: address ?? "")
    }

    private static func thumbprint(_ invocation: Invocation, _ tokens: PresentedTokens) throws(CommandError) -> [UInt8]? {
        if let path = invocation.string("jwk") { return try KeyFile.publicKey(path).jwkThumbprint }
        guard tokens.envelope != nil, let path = invocation.string("decrypt-key") else { return nil }
        return try KeyFile.privateKey(path).publicKey.jwkThumbprint
    }

    private static func query(_ argument: String) throws(CommandError) -> DCQLQuery {
        let input = try InputReader.read(argument)
        let json = try input.json(as: "a DCQL query")
        do { return try DCQLQuery(json["dcql_query"] ?? json) } catch { throw .refused("\(input.origin): no DCQL query: \(error)") }
    }
}
