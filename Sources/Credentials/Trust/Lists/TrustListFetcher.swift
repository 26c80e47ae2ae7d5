import Codec
import Crypto
public import Ports

/// Fetches trust lists by their address, and follows their pointers to the lists behind them: a few steps, each list once, each signed by
/// whom the pointer names.
///
/// With an archive a list is fetched once a day, or when its next update is due; its copy serves while nothing newer is to be had, and an
/// older list never takes its place.
public struct TrustListFetcher: Sendable {
    public let verifier: TrustListVerifier
    public let source: any ResourceSource
    public let archive: (any ListArchive)?

    /// How many steps away from the first list another may be.
    public static let depthLimit = 3
    /// How many lists are read in all.
    public static let countLimit = 64
    /// Seconds after which a list is fetched again, whatever it says.
    public static let longest: Int64 = 86_400

    public init(verifier: TrustListVerifier, source: any ResourceSource, archive: (any ListArchive)? = nil) {
        self.verifier = verifier
        self.source = source
        self.archive = archive
    }

    /// The lists behind `list`, and T3.pointer for every pointer that leads nowhere.
    public func followed(_ list: TrustList, at time: Timestamp) async -> (lists: [TrustList], checks: CheckList) {
        var checks = CheckList(edition: verifier.edition)
        var found: [TrustList] = []
        var seen: Set<String> = []
        var next = list.isUsable ? list.pointers : []
        for _ in 0..<Self.depthLimit where !next.isEmpty {
            var further: [TrustList.Pointer] = []
            for pointer in next where seen.insert(pointer.uri).inserted && seen.count <= Self.countLimit {
                let answer = await fetch(pointer.uri, at: time, &checks) { bytes throws(TrustListError) in
                    var list = try EntityList(bytes).verified(by: verifier, for: nil, also: pointer.signers, at: time)
                    list.locations.append(pointer.uri)
                    return list
                }
                switch answer {
                case .success(let list):
                    checks.pass("T3.pointer", pointer.uri)
                    found.append(list)
                    if list.isUsable { further += list.pointers }
                case .failure(let error):
                    checks.fail("T3.pointer", pointer.uri, "pointer \(pointer.uri) not reachable: \(error.description)")
                }
            }
            next = further
        }
        if let pointer = next.first(where: { !seen.contains($0.uri) }) {
            checks.fail(
                "T3.pointer", pointer.uri, "pointer \(pointer.uri) is more than \(Self.depthLimit) steps away and not followed")
        }
        return (found, checks)
    }

    /// The list at an address: VICAL, RICAL or list of trusted entities.
    ///
    /// - Parameter wanted: what the list is to be used for; nil: whatever it is for.
    /// - Returns: the list, and T5 where a copy had to serve.
    public func list(
        at uri: String, for wanted: TrustRole? = nil, at time: Timestamp
    ) async -> (list: Result<TrustList, TrustListError>, checks: CheckList) {
        var checks = CheckList(edition: verifier.edition)
        let list = await fetch(uri, at: time, &checks) { bytes throws(TrustListError) in
            try verifier.verify(bytes, for: wanted, at: time)
        }
        return (list, checks)
    }

    private typealias Reading = ([UInt8]) throws(TrustListError) -> TrustList

    private func fetch(
        _ uri: String, at time: Timestamp, _ checks: inout CheckList, _ read: Reading
    ) async -> Result<TrustList, TrustListError> {
        let name = "trust list \(uri)"
        let copy = await archive?.recall(name)
        let known = copy.flatMap { try? read($0.bytes) }.flatMap { $0.isUsable ? $0 : nil }
        if let known, let copy, !Self.isDue(known, fetchedAt: copy.fetchedAt, at: time) { return .success(known) }
        func fallBack(_ why: String) -> TrustList? {
            guard let known, let copy else { return nil }
            checks.noteCopy(of: copy.fetchedAt, why, uri, at: time)
            return known
        }
        do throws(ResourceError) {
            let resource = try await source.fetch(uri, accept: Self.types, limit: StatusChecker.sizeLimit)
            let result = Result { () throws(TrustListError) in try read(resource.bytes) }
            guard case .success(let list) = result, list.isUsable else {
                return fallBack("what is there now cannot be relied upon").map { .success($0) } ?? result
            }
            if let known, !list.mayReplace(known) {
                return .success(fallBack("what is there now is older: \(list.name)") ?? known)
            }
            if !resource.isCopy {
                await archive?.keep(KeptList(resource.bytes, contentType: resource.contentType, fetchedAt: time), as: name)
            }
            return result
        } catch { return fallBack(error.reason).map { .success($0) } ?? .failure(TrustListError(error.reason)) }
    }

    private static let types = ["application/jwt", "application/jose", "application/cose", "application/cbor", "*/*"]

    /// Whether a list that was fetched then is to be fetched again.
    public static func isDue(_ list: TrustList, fetchedAt: Timestamp, at time: Timestamp) -> Bool {
        time.seconds(since: fetchedAt) > longest || list.nextUpdate.map { $0 <= time } ?? false
    }
}
