package import Codec
package import Crypto
import Ports

/// What a wallet keeps of an issuance, so that it can poll, refresh and notify later, after a restart too.
package struct IssuanceState: Sendable, Equatable {
    package var issuer: String
    package var server: String
    package var token: AccessToken
    package var dpopKey: KeyID?
    package var clientKey: KeyID?
    package var deferred: [DeferredIssuance]

    package var json: JSONObject {
        var object: JSONObject = [
            "issuer": .string(issuer), "server": .string(server), "token": .string(token.value), "dpop": .bool(token.isDPoP),
            "anonymous": .bool(token.isAnonymous),
            "identifiers": .object(
                JSONObject(
                    token.identifiers.sorted { $0.key < $1.key }.map {
                        (key: $0.key, value: .array($0.value.map { .string($0) }))
                    })),
            "deferred": .array(deferred.map { .object($0.json) }),
        ]
        if let expires = token.expires { object["expires"] = .integer(expires.secondsSince1970) }
        if let refresh = token.refreshToken { object["refresh"] = .string(refresh) }
        if let dpopKey { object["dpopKey"] = .string(dpopKey.rawValue) }
        if let clientKey { object["clientKey"] = .string(clientKey.rawValue) }
        return object
    }

    package init?(_ json: JSON) {
        guard let issuer = json["issuer"]?.stringValue, let server = json["server"]?.stringValue,
            let value = json["token"]?.stringValue, let isDPoP = json["dpop"]?.boolValue
        else { return nil }
        self.issuer = issuer
        self.server = server
        let identifiers = (json["identifiers"]?.objectValue ?? JSONObject()).map {
            ($0.key, $0.value.arrayValue?.compactMap(\.stringValue) ?? [])
        }
        token = AccessToken(
            value: value, isDPoP: isDPoP, expires: json["expires"]?.intValue.map { Timestamp(secondsSince1970: $0) },
            refreshToken: json["refresh"]?.stringValue, identifiers: Dictionary(identifiers) { first, _ in first },
            isAnonymous: json["anonymous"]?.boolValue ?? false)
        dpopKey = json["dpopKey"]?.stringValue.map(KeyID.init(rawValue:))
        clientKey = json["clientKey"]?.stringValue.map(KeyID.init(rawValue:))
        deferred = json["deferred"]?.arrayValue?.compactMap(DeferredIssuance.init) ?? []
    }

    init(issuer: String, server: String, token: AccessToken, dpopKey: KeyID?, clientKey: KeyID?, deferred: [DeferredIssuance]) {
        self.issuer = issuer
        self.server = server
        self.token = token
        self.dpopKey = dpopKey
        self.clientKey = clientKey
        self.deferred = deferred
    }
}

extension DeferredIssuance {
    var json: JSONObject {
        [
            "configuration": .string(configurationID), "transaction": .string(transactionID),
            "notBefore": .integer(notBefore.secondsSince1970), "keys": .array(keyIDs.map { .string($0.rawValue) }),
        ]
    }

    init?(_ json: JSON) {
        guard let configuration = json["configuration"]?.stringValue, let transaction = json["transaction"]?.stringValue,
            let notBefore = json["notBefore"]?.intValue
        else { return nil }
        self.init(
            configurationID: configuration, transactionID: transaction, notBefore: Timestamp(secondsSince1970: notBefore),
            keyIDs: json["keys"]?.arrayValue?.compactMap(\.stringValue).map(KeyID.init(rawValue:)) ?? [])
    }
}

extension IssuanceSession {
    /// What is to be kept.
    /// - Throws: when there is no token yet.
    package func state(deferred: [DeferredIssuance] = []) throws(IssuanceError) -> IssuanceState {
        guard let metadata, let server, let token else { throw IssuanceError("there is nothing to take up later yet", .wallet) }
        return IssuanceState(
            issuer: metadata.issuer, server: server.issuer, token: token, dpopKey: dpopKey?.id, clientKey: clientKey?.id,
            deferred: deferred)
    }

    /// Takes an issuance up where it was left: fetches the metadata again and finds the keys. An access token that has expired is
    /// refreshed where that is possible.
    package init(_ wallet: VCIWallet, resuming state: IssuanceState) async throws(IssuanceError) {
        self.init(wallet)
        try await resolve(issuer: state.issuer)
        server = try await fetchServer(state.server, nil)
        token = state.token
        do throws(KeyStoreError) {
            if let id = state.dpopKey { dpopKey = try await wallet.keys.info(id) }
            if let id = state.clientKey { clientKey = try await wallet.keys.info(id) }
        } catch {
            throw IssuanceError("a key of this issuance is gone: \(error)", .wallet, hint: "accept a new offer")
        }
        if let expires = token?.expires, wallet.now >= expires, token?.refreshToken != nil { try await refresh() }
    }
}
