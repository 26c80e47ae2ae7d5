public import Codec

/// What a report says of one document that was presented.
public struct PresentedDocument: Sendable {
    /// How the holder proved possession of the device key.
    public enum HolderBinding: String, Sendable {
        case signature, mac, none
        case keyBindingJWT = "kb-jwt"
    }

    /// The signer as its certificate names it.
    public struct Issuer: Sendable, Hashable {
        public let subject: String
        /// SHA-256 of the certificate, 32 bytes.
        public let sha256: [UInt8]

        public init(subject: String, sha256: [UInt8]) {
            self.subject = subject
            self.sha256 = sha256
        }
    }

    /// Whom the verdict about the signer rests upon.
    public struct Trust: Sendable, Hashable {
        /// `home`, `command line`, or the trust list that names the anchor; nil: no anchor was found.
        public var source: String?
        /// `enforce`, `warning` or `off`.
        public var policy: String
        /// The root.
        public var anchor: Issuer?
    }

    /// The dates of the mobile security object, each as its text.
    public struct Validity: Sendable, Hashable {
        public var signed: String?
        public var validFrom: String?
        public var validUntil: String?

        public init(signed: String? = nil, validFrom: String? = nil, validUntil: String? = nil) {
            self.signed = signed
            self.validFrom = validFrom
            self.validUntil = validUntil
        }
    }

    /// `mso_mdoc` or `dc+sd-jwt`.
    public let format: String
    /// docType or vct.
    public let type: String
    /// Whether the signer's certificate leads to a trusted anchor; nil when that was not checked.
    public var trusted: Bool?
    public var issuer: Issuer?
    /// Who vouches for the signer; nil where nothing was asked.
    public var trust: Trust?
    public var validity: Validity?
    public var claims: [PresentedClaim]
    /// The processed payload of an SD-JWT VC; nil for an mdoc.
    public var payload: JSONObject?
    public var holderBinding: HolderBinding
    /// `valid`, `invalid`, `suspended`, `application:0x0C`, `undetermined`, `none`.
    public var status: String
    /// What there is to find out about its status; nil where that was not asked for.
    var statusQuery: StatusQuery?

    public init(format: String, type: String) {
        self.format = format
        self.type = type
        self.claims = []
        self.holderBinding = .none
        self.status = "none"
    }
}

/// One data element of a presented document.
public struct PresentedClaim: Sendable {
    /// Who vouches for the value.
    public enum Source: Sendable, Hashable {
        case issuer, device
    }

    /// Empty for a claim of an SD-JWT VC.
    public let namespace: String
    public let element: String
    public let value: CBOR
    public let source: Source
    /// Whether the value is covered: its digest is in the signed object and matches, or the device was authorised to sign it.
    /// A claim that is not verified is never among the `claims` of a JSON report.
    public let isVerified: Bool

    public init(namespace: String, element: String, value: CBOR, source: Source, isVerified: Bool) {
        self.namespace = namespace
        self.element = element
        self.value = value
        self.source = source
        self.isVerified = isVerified
    }
}
