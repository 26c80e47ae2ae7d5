import Codec
import Crypto
public import Ports

/// Follows the pointers of a list to the lists behind it: a few steps, each list once, each signed by whom the pointer names.
public struct TrustListFetcher: Sendable {
    public let verifier: TrustListVerifier
    public let source: any ResourceSource

    /// How many steps away from the first list another may be.
    public static let depthLimit = 3
    /// How many lists are read in all.
    public static let countLimit = 64

    public init(verifier: TrustListVerifier, source: any ResourceSource) {
        self.verifier = verifier
        self.source = source
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
                switch await fetch(pointer, at: time) {
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

    private func fetch(_ pointer: TrustList.Pointer, at time: Timestamp) async -> Result<TrustList, TrustListError> {
        do throws(ResourceError) {
            let resource = try await source.fetch(
                pointer.uri, accept: ["application/jwt", "application/jose"], limit: StatusChecker.sizeLimit)
            return Result { () throws(TrustListError) in
                var list = try EntityList(resource.bytes).verified(by: verifier, for: nil, also: pointer.signers, at: time)
                list.locations.append(pointer.uri)
                return list
            }
        } catch { return .failure(TrustListError(error.reason)) }
    }
}
