public import Codec
import Crypto
public import Ports

/// Judges a `vp_token` of OpenID4VP: its shape, every presentation in it by the verifier of its format, and whether all of them
/// answer the query (§8.6). Queries are judged on verified claims only.
public struct VPTokenVerifier: Sendable {
    public var mdoc: PresentationVerifier
    public var sdJWT: SDJWTVerifier
    /// Decide `trusted_authorities` of type `etsi_tl`.
    public var lists = EntityLists.none

    public init(mdoc: PresentationVerifier, sdJWT: SDJWTVerifier) {
        self.mdoc = mdoc
        self.sdJWT = sdJWT
    }

    /// Both verifiers over the same anchors.
    public init(signers: SignerVerifier, rule: VerdictRule = VerdictRule(), isHAIP: Bool = false) {
        mdoc = PresentationVerifier(signers: signers, rule: rule)
        sdJWT = SDJWTVerifier(signers: signers, rule: rule, isHAIP: isHAIP)
    }

    /// What the request asked for.
    public struct Terms: Sendable {
        public var query: DCQLQuery
        public var binding: PresentationBinding
        /// The strings of `transaction_data`, as sent, each with the ids that may authorise it and the element by which an mdoc does.
        public var transactions: [Transaction]
        /// The algorithms that the request listed; nil leaves them unchecked.
        public var formats: VPFormats?
        /// How old a key binding may be, in seconds.
        public var window: Int64
        /// `apu` of an encrypted response, for the diagnosis of old handovers.
        public var mdocNonce: String?
        /// What device authentication covers, where it is known otherwise than by `binding`.
        public var transcript: SessionTranscript?

        public init(
            query: DCQLQuery, binding: PresentationBinding, transactions: [Transaction] = [], formats: VPFormats? = nil,
            window: Int64 = 300, mdocNonce: String? = nil
        ) {
            self.query = query
            self.binding = binding
            self.transactions = transactions
            self.formats = formats
            self.window = window
            self.mdocNonce = mdocNonce
        }
    }

    /// One string of `transaction_data` that was sent.
    public struct Transaction: Sendable, Hashable {
        public let text: String
        public let credentialIDs: [String]
        public let element: ElementReference?

        public init(text: String, credentialIDs: [String], element: ElementReference?) {
            self.text = text
            self.credentialIDs = credentialIDs
            self.element = element
        }
    }

    /// Judges the value of `vp_token`.
    ///
    /// - Parameter time: the moment for which validity is judged.
    public func verify(_ token: JSON, _ terms: Terms, at time: Timestamp) -> PresentationReport {
        var verification = VPTokenVerification(self, terms, time)
        verification.run(token)
        return verification.report
    }
}
