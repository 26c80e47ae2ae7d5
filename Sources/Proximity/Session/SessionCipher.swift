public import Credentials
public import Crypto

/// Session encryption (ISO/IEC 18013-5:2021 §9.1.1.5): AES-256-GCM under one key a direction, with a counter that advances with every
/// message. IV = 8 bytes identifier (0 for messages of the reader, 1 for those of the mdoc) ‖ 4 bytes counter from 1, no associated data.
public struct SessionCipher: Sendable {
    /// A message that does not open. `diagnosis` is what would have opened it.
    public struct Failure: Error, Sendable, Hashable {
        /// What would have opened the message.
        public enum Diagnosis: Sendable, Hashable {
            /// The sender's counter stands elsewhere.
            case counter(UInt32)
            /// The sender used the other role's IV identifier.
            case otherIdentifier
            /// The sender used the other direction's key.
            case otherKey
            /// Altered, or under a key of another session.
            case none
        }

        /// Which message of its direction, from 1.
        public let ordinal: UInt32
        /// What would have opened it.
        public let diagnosis: Diagnosis

        /// A failure of message `ordinal`.
        public init(ordinal: UInt32, diagnosis: Diagnosis) { (self.ordinal, self.diagnosis) = (ordinal, diagnosis) }
    }

    /// A mistake made on purpose when sealing, to see what the peer makes of it.
    public enum Misuse: Sendable, Hashable {
        case repeatedCounter, swappedIdentifier
    }

    /// Whose messages `seal` makes.
    public let role: MdocRole
    private let sending: AESGCM
    private let receiving: AESGCM
    private var sent: UInt32 = 0
    private var received: UInt32 = 0

    /// Derives SKReader and SKDevice: HKDF-SHA-256 over `sharedSecret` with SHA-256(SessionTranscriptBytes) as salt.
    /// - Parameter sharedSecret: Z, the x coordinate of the agreement of both ephemeral keys; the caller erases it.
    public init(role: MdocRole, sharedSecret: [UInt8], transcript: SessionTranscript) throws(CryptoError) {
        let salt = transcript.hash
        func key(of sender: MdocRole) throws(CryptoError) -> AESGCM {
            let info = sender == .reader ? "SKReader" : "SKDevice"
            var bytes = try HKDF.sha256(ikm: sharedSecret, salt: salt, info: Array(info.utf8), length: 32)
            defer { bytes.erase() }
            return try AESGCM(key: bytes)
        }
        self.role = role
        (sending, receiving) = (try key(of: role), try key(of: role.peer))
    }

    /// Messages opened so far.
    public var receivedCount: UInt32 { received }

    /// Encrypts the next message of this role.
    /// - Returns: ciphertext with its 16-byte tag.
    /// - Throws: `.invalidParameter` when the counter has no value left.
    public mutating func seal(_ plaintext: [UInt8], misuse: Misuse? = nil) throws(CryptoError) -> [UInt8] {
        guard sent < .max else { throw .invalidParameter("the message counter of the session is exhausted") }
        if misuse != .repeatedCounter { sent += 1 }
        return try sending.seal(plaintext, nonce: Self.nonce(of: misuse == .swappedIdentifier ? role.peer : role, sent))
    }

    /// Decrypts the peer's next message. A message that does not open leaves the counter where it is.
    public mutating func open(_ ciphertext: [UInt8]) throws(Failure) -> [UInt8] {
        guard received < .max else { throw Failure(ordinal: received, diagnosis: .none) }
        let ordinal = received + 1
        do {
            let plaintext = try receiving.open(ciphertext, nonce: Self.nonce(of: role.peer, ordinal))
            received = ordinal
            return plaintext
        } catch {
            throw Failure(ordinal: ordinal, diagnosis: diagnose(ciphertext, ordinal))
        }
    }

    private func diagnose(_ ciphertext: [UInt8], _ ordinal: UInt32) -> Failure.Diagnosis {
        func opens(_ key: AESGCM, _ sender: MdocRole, _ counter: UInt32) -> Bool {
            (try? key.open(ciphertext, nonce: Self.nonce(of: sender, counter))) != nil
        }
        if opens(receiving, role, ordinal) { return .otherIdentifier }
        let nearby = (ordinal > 24 ? ordinal - 24 : 0)...(ordinal < .max - 8 ? ordinal + 8 : ordinal)
        if let counter = nearby.first(where: { opens(receiving, role.peer, $0) }) { return .counter(counter) }
        return opens(sending, role.peer, ordinal) || opens(sending, role, ordinal) ? .otherKey : .none
    }

    /// - Returns: 12 bytes.
    static func nonce(of sender: MdocRole, _ counter: UInt32) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, sender == .reader ? 0 : 1] + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }
}

extension SessionCipher.Failure.Diagnosis {
    /// A clause that follows "does not decrypt"; empty when nothing is known.
    var explanation: String {
        switch self {
        case .counter(let counter): "; it would with counter \(counter)"
        case .otherIdentifier: "; it would with the other role's IV identifier"
        case .otherKey: "; it would with the key of the other direction"
        case .none: ""
        }
    }
}
