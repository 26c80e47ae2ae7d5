import Codec
import Credentials
import OpenID
import Ports
import Vault

extension Accepting {
    /// Polls every deferred document, or one.
    func poll(_ id: String?) async throws -> ExitCode {
        let waiting = try await store.deferred(id)
        var results: [IssuanceResult] = []
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
            if left > 0 {
                guard invocation.flag("wait") else {
                    return IssuanceResult(configurationID: deferred.configurationID, document: document, deferred: deferred)
                }
                try await Task.sleep(for: .seconds(min(left, 3600)))
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

    /// Fresh copies of a document.
    func refresh(_ id: String) async throws -> ExitCode {
        let (document, state, configuration) = try await store.issued(id)
        do {
            var session = try await IssuanceSession(wallet, resuming: state)
            if session.token?.value == state.token.value { try await session.refresh() }
            let issuance = try await session.request(configuration)
            guard case .delivered(let credentials) = issuance else {
                throw IssuanceError("the issuer defers the fresh copies", .issuer, hint: "try again later")
            }
            let stored = try await complete(document, credentials, &session)
            if let id = credentials.notificationID { try await session.notify(id, .accepted) }
            return answer([IssuanceResult(configurationID: configuration, document: stored)], session)
        } catch let error as IssuanceError { throw CommandError(error) }
    }
}
