public import Codec
public import Credentials
public import Crypto
public import Ports

/// What a verifier is and wants; the same for all its transactions.
public struct VPVerifierSettings: Sendable {
    public var identity: VPIdentity
    /// What wallets see: addresses of requests and responses lie below it.
    public var publicURL: WebURL
    /// Judges what comes.
    public var tokens: VPTokenVerifier
    /// What is found out elsewhere about what was judged, before anybody hears of it: status lists, CRLs, trust lists.
    public var completion: (@Sendable (PresentationReport) async -> PresentationReport)?
    /// The stricter rules of HAIP 1.0.
    public var isHAIP = false
    public var transactionTypes = TransactionTypes.builtIn
    /// What attests the verifier: goes with every request, after what its order says.
    public var verifierInfo: [JSON] = []
    /// How old a key binding may be, in seconds.
    public var window: Int64 = 300
    /// What a response may hold, in bytes, before and after decompression.
    public var responseLimit = 8 << 20
    /// What is made wrong on purpose.
    public var faults = VPFaultSet.none

    public init(identity: VPIdentity, publicURL: WebURL, tokens: VPTokenVerifier) {
        self.identity = identity
        self.publicURL = publicURL
        self.tokens = tokens
    }
}

/// Why a request cannot be made or found.
public enum VPVerifierError: Error, Sendable, CustomStringConvertible {
    /// The order cannot be asked for; says why, and by HAIP's sentence where that is the reason.
    case order(String)
    case store(StoreError)
    case crypto(String)

    public var description: String {
        switch self {
        case .order(let what): what
        case .store(let error): "\(error)"
        case .crypto(let what): what
        }
    }
}

/// What happens to a transaction, for whoever watches.
public enum VPEvent: Sendable {
    case created
    /// The wallet fetched the request object.
    case fetched
    /// A response came and was judged; its rows in the order they were made.
    case judged(PresentationReport)
    /// It is over: see the transaction.
    case completed
    /// An answer that does not count.
    case rejected(PresentationReport)
    /// The browser came back with the response code.
    case returned
}

/// The verifier's side of OpenID4VP: makes transactions, answers `request_uri`, takes responses.
///
/// Its state is in the record store alone, so that several processes can serve the same transactions. Everything that a wallet sends
/// gets an answer; nothing that it sends can harm another transaction.
public struct VPVerifier: Sendable {
    public let settings: VPVerifierSettings
    let store: any RecordTable
    /// Where the keys are that responses are encrypted to, one for each transaction while it lasts.
    let keys: any KeyStore
    let clock: any Clock
    /// By which records of the store expire.
    let tableClock: any Clock
    let random: any RandomSource
    /// Told of every event; called outside of all locks.
    let notice: @Sendable (_ transaction: String, VPEvent) -> Void

    /// Where transactions are in the record store.
    public static let partition = "openid4vp"
    /// How long answers are kept after a transaction has ended, in seconds.
    static let retention: Int64 = 86_400

    /// - Parameters:
    ///   - keys: nil for keys in the record store, beside the transactions.
    ///   - clock: by which transactions expire.
    ///   - tableClock: by which the store forgets them, where that is another.
    public init(
        _ settings: VPVerifierSettings, store: any RecordTable, keys: (any KeyStore)? = nil, clock: any Clock,
        tableClock: (any Clock)? = nil, random: any RandomSource,
        notice: @escaping @Sendable (_ transaction: String, VPEvent) -> Void = { _, _ in }
    ) {
        self.settings = settings
        let tableClock = tableClock ?? clock
        self.store = store
        self.tableClock = tableClock
        self.keys =
            keys
            ?? RecordKeyStore(
                records: store, partition: "openid4vp-keys", lifetime: VPOrder.longestLifetime + Self.retention, clock: tableClock,
                random: random)
        self.clock = clock
        self.random = random
        self.notice = notice
    }

    // MARK: addresses

    /// Below the public URL: `request/<id>`, `response/<id>`, `return/<id>`.
    public func address(_ step: String, _ id: String) -> WebURL { settings.publicURL.appending(step).appending(id) }

    // MARK: transactions

    /// Makes a transaction and the link that starts it.
    ///
    /// - Parameter session: a secret of the browser that asks; only that session can come back with the response code.
    public func begin(_ order: VPOrder, session: String? = nil) async throws(VPVerifierError) -> VPTransaction {
        try check(order)
        var order = order
        order.verifierInfo += settings.verifierInfo
        // Hexadecimal: it stands on command lines, where a dash in front would be an option.
        let id = Hex.encode(random.bytes(16))
        let address = order.isDigital ? "" : address(order.mode.way == .post ? "response" : "return", id).description
        var encryption: KeyInfo?
        if order.mode.isEncrypted {
            do { encryption = try await keys.create(KeyOptions()) } catch { throw .crypto("\(error)") }
        }
        var transaction = VPTransaction(
            order, id: id, clientID: settings.identity.clientID(for: address).text, responseURI: address, session: session,
            encryption: encryption, at: clock.now(), random: random)
        transaction.link = try await link(for: transaction, scheme: order.scheme)
        let record = transaction
        try await keep(record)
        notice(id, .created)
        return record
    }

    private func keep(_ transaction: VPTransaction) async throws(VPVerifierError) {
        do {
            try await store.write(
                transaction.encoded(), transaction.id, in: Self.partition,
                expiring: keptUntil(transaction))
        } catch { throw .store(error) }
    }

    /// The transaction of an id; nil when there is none (any more).
    public func transaction(_ id: String) async throws(VPVerifierError) -> VPTransaction? {
        guard Self.isIdentifier(id) else { return nil }
        do { return try await store.read(id, in: Self.partition).flatMap(VPTransaction.init(encoded:)) } catch {
            throw .store(error)
        }
    }

    /// When the store forgets a transaction: a day after it has ended.
    public func keptUntil(_ transaction: VPTransaction) -> Timestamp {
        let rest = max(0, transaction.expires.secondsSince1970 - clock.now().secondsSince1970)
        return tableClock.now().wholeSeconds.adding(seconds: rest + Self.retention)
    }

    /// Forgets a transaction and its key, whatever became of it.
    public func forget(_ id: String) async throws(VPVerifierError) {
        if let key = try await transaction(id)?.encryptionKeyID { await drop(key) }
        do { try await store.delete(id, in: Self.partition) } catch { throw .store(error) }
    }

    /// A key that stays behind is gone when its time is over.
    func drop(_ key: KeyID) async { try? await keys.delete(key) }

    /// Ids of all transactions.
    public func transactions() async throws(VPVerifierError) -> [String] {
        do { return try await store.keys(in: Self.partition) } catch { throw .store(error) }
    }

    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count <= 64 && !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }

    /// Changes a transaction in one step; nil when there is none.
    func update<R: Sendable>(
        _ id: String, _ body: @Sendable (inout VPTransaction) -> R
    ) async throws(VPVerifierError) -> R? {
        guard let known = try await transaction(id) else { return nil }
        do {
            return try await store.update(
                id, in: Self.partition, expiring: keptUntil(known)
            ) { record -> R? in
                guard var transaction = record.flatMap(VPTransaction.init(encoded:)) else { return nil }
                let result = body(&transaction)
                record = transaction.encoded()
                return result
            }
        } catch { throw .store(error) }
    }

    // MARK: what may be asked

    /// What the profile and the specification let a verifier ask.
    private func check(_ order: VPOrder) throws(VPVerifierError) {
        let isUnsigned = settings.identity.signer == nil
        if settings.isHAIP {
            guard case .x509Hash = settings.identity.kind, !isUnsigned || order.isDigital else {
                throw .order(HAIPRule.x509Hash.words)
            }
            if !order.isDigital, order.passing == .value { throw .order(HAIPRule.signedByReference.words) }
            if order.isDigital, order.mode != .dcAPIJWT { throw .order(HAIPRule.encryptedAPI.words) }
            if !order.isDigital, order.mode != .directPostJWT { throw .order(HAIPRule.encryptedPost.words) }
            if !Set(order.encryptions).isSuperset(of: [.a128GCM, .a256GCM]) { throw .order(HAIPRule.bothEncryptions.words) }
            if order.scope != nil { throw .order(HAIPRule.query.words) }
        }
        if isUnsigned, !order.isDigital, order.passing != .value {
            throw .order(
                "an unsigned request cannot be passed by request_uri: its request object would have to be signed (OpenID4VP 1.0 §5.10.1)"
            )
        }
        if order.isDigital, !isUnsigned, order.origins.isEmpty {
            throw .order("a signed request over the Digital Credentials API names expected_origins (OpenID4VP 1.0 §A.2)")
        }
        for (place, data) in order.transactionData.enumerated() {
            let text = Base64URL.encode(Array(JSON.object(data).encoded().utf8))
            do { _ = try TransactionItem(text, place: place, types: settings.transactionTypes, query: order.query) } catch {
                throw .order("transaction_data: \(error.reason) (\(error.check))")
            }
        }
    }
}
