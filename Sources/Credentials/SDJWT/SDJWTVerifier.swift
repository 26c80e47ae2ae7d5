public import Crypto
public import Ports

/// Judges an SD-JWT VC, on issuance or on presentation: checks S1 to S17 over the text as received, none of them stopping the
/// others where its input is there.
public struct SDJWTVerifier: Sendable {
    /// Verifies and remembers the chains in `x5c`; its tolerance serves every check of time.
    public var signers: SignerVerifier
    /// Keys that the caller vouches for, for issuers without `x5c`.
    public var issuerKeys: [PublicKey]
    /// How the checks become a verdict.
    public var rule: VerdictRule
    /// The stricter rules of HAIP 1.0.
    public var isHAIP: Bool
    /// Where type metadata comes from; nil leaves it aside.
    public var metadata: (any TypeMetadataSource)?
    /// Whether a credential without usable type metadata fails.
    public var requiresMetadata: Bool

    public init(
        signers: SignerVerifier, issuerKeys: [PublicKey] = [], rule: VerdictRule = VerdictRule(), isHAIP: Bool = false,
        metadata: (any TypeMetadataSource)? = nil, requiresMetadata: Bool = false
    ) {
        self.signers = signers
        self.issuerKeys = issuerKeys
        self.rule = rule
        self.isHAIP = isHAIP
        self.metadata = metadata
        self.requiresMetadata = requiresMetadata
    }

    /// What a recipient expects.
    public enum Expectation: Sendable {
        /// A wallet receives a credential: no key binding may be there.
        case issuance
        /// A verifier receives a presentation.
        /// - Parameters:
        ///   - types: the values of `vct` that were asked for; nil accepts any.
        ///   - binding: what the key binding JWT is to say; nil when the caller cannot know, which leaves it unchecked.
        case presentation(types: [String]?, binding: KeyBindingExpectation?)
    }

    /// Judges a text: compact, or the JSON serialisation.
    ///
    /// - Parameter time: the moment for which validity is judged.
    public func verify(_ text: String, expecting expectation: Expectation, at time: Timestamp) -> PresentationReport {
        var verification = SDJWTVerification(self, expectation, time)
        verification.run(text)
        return PresentationReport(
            at: time, rule: rule, checks: verification.list, documents: verification.presented.map { [$0] } ?? [])
    }
}

/// What the key binding JWT of a presentation is to say.
public struct KeyBindingExpectation: Sendable {
    /// The full client_id, or `origin:<origin>`.
    public var audience: String
    public var nonce: String
    /// The strings of `transaction_data`, as sent.
    public var transactionData: [String]
    /// How old `iat` may be, in seconds; the tolerance comes on top.
    public var window: Int64

    public init(audience: String, nonce: String, transactionData: [String] = [], window: Int64 = 300) {
        self.audience = audience
        self.nonce = nonce
        self.transactionData = transactionData
        self.window = window
    }
}
