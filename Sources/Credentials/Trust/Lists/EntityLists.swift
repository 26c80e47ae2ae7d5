import Crypto
public import Ports

/// Lists of trusted entities (ETSI TS 119 602) by the addresses they are known by: what decides `trusted_authorities` of type `etsi_tl`
/// (OpenID4VP 1.0 §6.1.1). An address stands for the list there and for all lists that it points to.
public struct EntityLists: Sendable {
    private var issuers: [String: [Certificate]] = [:]
    /// Where something is missing: who is not found there may be on what could not be had.
    private var incomplete: Set<String> = []

    public static let none = EntityLists()

    public init() {}

    /// A list, its own addresses and those of lists that point to it. One that cannot be relied upon says nothing about anybody.
    public mutating func add(_ list: TrustList, at addresses: some Sequence<String>) {
        guard case .lote = list.kind else { return }
        for address in addresses {
            issuers[address, default: []] += list.anchors.filter { $0.role == .documents }.map(\.certificate)
            if !list.isUsable { incomplete.insert(address) }
        }
    }

    /// Lists behind these addresses could not be had.
    public mutating func note(incomplete addresses: some Sequence<String>) { incomplete.formUnion(addresses) }

    /// Which of the lists name an issuer.
    ///
    /// - Parameter chain: its certificates as they came with a credential, DER, leaf first.
    public func listing(of chain: [[UInt8]], at time: Timestamp) -> EntityListing {
        guard !issuers.isEmpty else { return .none }
        let certificates = chain.compactMap { try? Certificate(der: $0) }
        let isWhole = !certificates.isEmpty && certificates.count == chain.count
        let naming = issuers.filter { _, entities in
            guard isWhole else { return false }
            return certificates.contains(where: entities.contains)
                || ChainVerifier(anchors: entities, policy: .mdoc).verify(chain: certificates, at: time).isTrusted
        }
        return EntityListing(naming: Set(naming.keys), others: Set(issuers.keys).subtracting(naming.keys).subtracting(incomplete))
    }
}

/// What the lists in use say of one issuer.
public struct EntityListing: Sendable {
    /// Addresses of lists that name it.
    let naming: Set<String>
    /// Addresses of lists that are known whole and do not.
    let others: Set<String>

    /// No list is known.
    public static let none = EntityListing(naming: [], others: [])

    /// Whether a list at one of the addresses names it; nil when that depends on lists that are not known.
    func isNamed(by addresses: [String]) -> Bool? {
        if addresses.contains(where: naming.contains) { return true }
        return addresses.allSatisfy(others.contains) ? false : nil
    }
}
