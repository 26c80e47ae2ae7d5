import Codec
import Credentials
import OpenID
import Ports
import Vault

/// `holder poll` and `holder refresh`: what goes on after the first issuance.
extension Accepting {
    /// Polls every deferred document, or one.
    func poll(_ id: String?) async throws -> ExitCode {
        var results = try await store.orphans(at: context.clock.now()).map { orphan in
            IssuanceResult(
                configurationID: orphan.type, document: orphan,
                failure: IssuanceError(
                    "the wallet ended before it had written down how to ask for it", .wallet, hint: "accept a new offer"))
        }
        let waiting = try await store.deferred(id)
        var checks = IssuanceSession(wallet)
        for (document, state) in waiting {
            for deferred in state.deferred {
                do {
                    checks = try await IssuanceSession(wallet, resuming: state)
                    results.append(try await poll(document, deferred, &checks))
                } catch let error as IssuanceError {
                    results.append(IssuanceResult(configurationID: deferred.configurationID, document: document, failure: error))
                }
            }
        }
        if waiting.isEmpty { console.talk("no document is deferred") }
        return answer(results, checks)
    }

    func poll(
        _ document: StoredDocument, _ first: DeferredIssuance, _ session: inout IssuanceSession
    ) async throws -> IssuanceResult {
        var deferred = first
        while true {
            let left = deferred.notBefore.seconds(since: context.clock.now())
            // Whole seconds are cut off: a part of one may be left.
            if context.clock.now() < deferred.notBefore {
                guard invocation.flag("wait") else {
                    return IssuanceResult(configurationID: deferred.configurationID, document: document, deferred: deferred)
                }
                try await Task.sleep(for: .seconds(min(left + 1, 3600)))
            }
            do throws(IssuanceError) {
                switch try await session.poll(deferred) {
                case .deferred(let next):
                    deferred = next
                    try await store.keep(session, deferred: [next], for: document.id)
                    guard invocation.flag("wait") else {
                        return IssuanceResult(configurationID: next.configurationID, document: document, deferred: next)
                    }
                case .delivered(let credentials):
                    let stored = try await complete(document, credentials, &session)
                    if let id = credentials.notificationID { try await session.notify(id, .accepted) }
                    return IssuanceResult(
                        configurationID: deferred.configurationID, document: stored, delivered: credentials)
                }
            } catch {
                if error.code == "credential_request_denied" { try await store.forget(document.id) }
                return IssuanceResult(configurationID: deferred.configurationID, document: document, failure: error)
            }
        }
    }

    /// Fresh copies of a document; without a name, of every document for which they are due.
    func refresh(_ id: String?) async throws -> ExitCode {
        let ids: [String]
        if let id { ids = [id] } else { ids = try await store.due(at: context.clock.now()) }
        if ids.isEmpty { console.talk("no document wants fresh copies") }
        var results: [IssuanceResult] = []
        var last = IssuanceSession(wallet)
        for id in ids {
            let (document, state, configuration) = try await store.issued(id)
            do throws(IssuanceError) {
                results.append(try await refresh(document, state, configuration, &last))
            } catch {
                // One that is named and cannot be refreshed is an error; of many, each has its own row.
                guard ids.count > 1 else { throw CommandError(error) }
                results.append(IssuanceResult(configurationID: configuration, document: document, failure: error))
            }
        }
        return answer(results, last)
    }

    private func refresh(
        _ document: StoredDocument, _ state: IssuanceState, _ configuration: String, _ session: inout IssuanceSession
    ) async throws(IssuanceError) -> IssuanceResult {
        session = try await IssuanceSession(wallet, resuming: state)
        if session.token?.value == state.token.value {
            try await session.refresh()
            // A rotated refresh token is the only one that is good from now on: it is on disk before anything else happens.
            try await store.keep(session, deferred: [], for: document.id, configuration: configuration)
        }
        guard case .delivered(let credentials) = try await session.request(configuration) else {
            throw IssuanceError("the issuer defers the fresh copies", .issuer, hint: "try again later")
        }
        let stored = try await complete(document, credentials, &session)
        if let id = credentials.notificationID { try await session.notify(id, .accepted) }
        return IssuanceResult(configurationID: configuration, document: stored, delivered: credentials)
    }

    /// Adds copies to a document; the issuer is told when the person does not want them kept.
    private func complete(
        _ document: StoredDocument, _ credentials: DeliveredCredentials, _ session: inout IssuanceSession
    ) async throws(IssuanceError) -> StoredDocument {
        do throws(IssuanceError) { try await authenticate(credentials) } catch {
            if let id = credentials.notificationID { try? await session.notify(id, .failure, error.what) }
            throw error
        }
        return try await store.complete(document, credentials, session)
    }
}
