import Codec
package import Crypto
package import Ports

/// The rules of status lists alone, for published vectors: a JWT that is signed by a key at hand and not by a chain.
package enum StatusTrial {
    /// - Returns: the checks that would leave the status open.
    package static func open(_ token: StatusToken, uri: String, keys: [PublicKey], at time: Timestamp) -> [String] {
        let query = StatusQuery(
            subject: "vector", type: "vector", claim: .absent, form: token.form, signer: nil, isGenuine: true, cause: "S5",
            keys: keys)
        let judge = StatusJudge(
            query: query, reference: StatusReference(.index(0), uri: uri), edition: .first, skew: 60, time: time)
        var list = CheckList(edition: .first)
        _ = judge.admit(token, in: &list, "vector")
        return list.checks.filter(\.isUndetermined).map(\.id)
    }
}
