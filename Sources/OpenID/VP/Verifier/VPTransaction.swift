public import Codec
public import Credentials
public import Crypto
public import Ports

/// One request of a verifier and its answer: used once, gone when it expires, bound to the browser session that made it.
///
/// A value that is kept as JSON in the record store, so that a restart in the middle loses nothing. The private key that the response
/// is encrypted to lies in the verifier's key store; the record has its public part and its name.
public struct VPTransaction: Sendable, Identifiable {
    /// What became of it.
    public enum Status: String, Sendable, Hashable {
        case waiting
        /// A `vp_token` came and was judged.
        case answered
        /// The wallet answered with an error.
        case refused
    }

    /// Random, 128 bits in hexadecimal: part of the addresses of this transaction.
    public let id: String
    public let created: Timestamp
    public let expires: Timestamp
    /// 128 random bits each, in base64url.
    public let state: String
    public let nonce: String
    public let clientID: String
    /// `response_uri` or `redirect_uri`; empty over the Digital Credentials API.
    public let responseURI: String
    public let query: DCQLQuery
    public let mode: ResponseMode
    public let formats: VPFormats
    public let encryptions: [JWEEncryption]
    /// The strings of `transaction_data` as sent.
    public let transactionData: [String]
    public let verifierInfo: [JSON]
    public let passing: VPOrder.Passing
    public let scope: String?
    public let origins: [String]
    public let clientName: String?
    public let isSameDevice: Bool
    /// The session of the browser that made it; nil when nobody's. Only a hash of it is kept.
    public let sessionHash: String?
    /// The key of this request alone, to which the response is encrypted; nil when it is not.
    public let encryptionKey: PublicKey?
    /// Its name in the verifier's key store.
    let encryptionKeyID: KeyID?
    /// What a QR code or a button holds.
    public internal(set) var link = ""

    public private(set) var status = Status.waiting
    /// How often the request object was fetched.
    public internal(set) var fetches = 0
    public private(set) var answered: Timestamp?
    /// The report of the answer, as `--json` prints it.
    public private(set) var report: JSON?
    /// The error code that the wallet sent.
    public private(set) var error: String?
    /// The `vp_token` that was judged, and what else backs the report; JSON.
    public private(set) var evidence: JSON?
    /// What has to come back with the browser; nil where nothing has to.
    public private(set) var responseCode: String?
    /// Whether the browser came back with it.
    public private(set) var isReturned = false
    /// Answers that were refused before they counted, the last few: `{"time", "error", "checks"}`.
    public private(set) var attempts: [JSON] = []

    /// The most refused answers that are kept.
    static let attemptLimit = 5

    /// Makes a transaction with everything fresh.
    /// - Parameter encryption: the key of this request, in a mode that encrypts.
    init(
        _ order: VPOrder, id: String, clientID: String, responseURI: String, session: String?, encryption: KeyInfo?,
        at time: Timestamp, random: any RandomSource
    ) {
        self.id = id
        created = time.wholeSeconds
        expires = time.wholeSeconds.adding(seconds: order.lifetime)
        state = Base64URL.encode(random.bytes(16))
        nonce = Base64URL.encode(random.bytes(16))
        self.clientID = clientID
        self.responseURI = responseURI
        query = order.query
        mode = order.mode
        formats = order.formats
        encryptions = order.encryptions
        transactionData = order.transactionData.map { Base64URL.encode(Array(JSON.object($0).encoded().utf8)) }
        verifierInfo = order.verifierInfo
        passing = order.passing
        scope = order.scope
        origins = order.origins
        clientName = order.clientName
        isSameDevice = order.isSameDevice
        sessionHash = session.map(Self.hash)
        encryptionKey = encryption?.publicKey
        encryptionKeyID = encryption?.id
    }

    /// Whether nobody can answer any more.
    public func isExpired(at time: Timestamp) -> Bool { time >= expires }

    /// Whether the session is the one that made the transaction.
    public func belongs(to session: String?) -> Bool { sessionHash == nil || session.map(Self.hash) == sessionHash }

    static func hash(_ session: String) -> String { Base64URL.encode(HashAlgorithm.sha256.digest(Array(session.utf8))) }

    /// What presentations are bound to, for an answer over the given channel.
    ///
    /// - Parameter origin: the page that received the answer over the Digital Credentials API.
    public func binding(origin: String? = nil) -> PresentationBinding {
        let channel: PresentationBinding.Channel =
            mode.way == .digitalCredentials
            ? .digitalCredentials(origin: origin ?? origins.first ?? "")
            : .redirect(clientID: clientID, responseURI: responseURI)
        return PresentationBinding(channel, nonce: nonce, keyThumbprint: encryptionKey?.jwkThumbprint)
    }

    mutating func restore(
        status: Status, answered: Timestamp?, report: JSON?, error: String?, evidence: JSON?, responseCode: String?,
        isReturned: Bool, attempts: [JSON]
    ) {
        (self.status, self.answered, self.report, self.error) = (status, answered, report, error)
        (self.evidence, self.responseCode, self.isReturned, self.attempts) = (evidence, responseCode, isReturned, attempts)
    }

    // MARK: events

    /// Takes the answer. The first wins: what is here already is never overwritten.
    /// - Returns: whether it was taken.
    mutating func complete(_ outcome: VPOutcome, at time: Timestamp) -> Bool {
        guard status == .waiting, !isExpired(at: time) else { return false }
        status = outcome.error == nil ? .answered : .refused
        answered = time.wholeSeconds
        report = outcome.report
        error = outcome.error
        evidence = outcome.evidence
        responseCode = outcome.responseCode
        return true
    }

    /// Remembers an answer that did not count.
    mutating func note(_ attempt: JSON) {
        attempts = attempts.suffix(Self.attemptLimit - 1) + [attempt]
    }

    /// The browser comes back: once, with the code, in the session that began.
    /// - Returns: whether all of this is so.
    mutating func redeem(_ code: String) -> Bool {
        guard let responseCode, !isReturned, ConstantTime.equal(Array(responseCode.utf8), Array(code.utf8)) else { return false }
        isReturned = true
        return true
    }
}

/// What an answer comes to.
struct VPOutcome: Sendable {
    var report: JSON
    var error: String?
    var evidence: JSON
    var responseCode: String?
}
