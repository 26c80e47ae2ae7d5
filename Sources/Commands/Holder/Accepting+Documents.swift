import Credentials
import OpenID
import Ports
import Vault

/// What comes of `holder accept`: each document is asked for, checked, stored, and the issuer told.
extension Accepting {
    /// Asks for each document; whether one fails changes nothing about the others.
    func take(_ ids: [String], _ session: inout IssuanceSession) async throws -> [IssuanceResult] {
        var results: [IssuanceResult] = []
        for id in ids {
            do throws(IssuanceError) {
                let issuance = try await session.request(id)
                results.append(try await keep(issuance, &session))
            } catch {
                results.append(IssuanceResult(configurationID: id, failure: error))
            }
        }
        if invocation.flag("wait") { results = try await waited(results, session) }
        return results
    }

    /// Stores what came, and tells the issuer.
    private func keep(_ issuance: Issuance, _ session: inout IssuanceSession) async throws(IssuanceError) -> IssuanceResult {
        switch issuance {
        case .deferred(let deferred):
            let document = try await store.add(deferred: deferred, session, context)
            return IssuanceResult(configurationID: deferred.configurationID, document: document, deferred: deferred)
        case .delivered(let credentials):
            let document: StoredDocument
            do throws(IssuanceError) {
                try await authenticate(credentials)
                document = try await store.add(credentials, session, context)
            } catch {
                // Keys of documents that are not kept would stay for ever.
                for id in credentials.copies.compactMap(\.keyID) { try? await store.wallet.keys.delete(id) }
                let why = error.party == .person ? error.what : "could not be stored"
                if let id = credentials.notificationID { try? await session.notify(id, .failure, why) }
                throw error
            }
            if let id = credentials.notificationID { try await session.notify(id, .accepted) }
            return IssuanceResult(configurationID: credentials.configuration.id, document: document, delivered: credentials)
        }
    }

    /// What the home's settings want to see before a document of this type is kept; its keys are sealed accordingly.
    func authenticate(_ credentials: DeliveredCredentials) async throws(IssuanceError) {
        do {
            try await gate.seal(credentials.copies.compactMap(\.keyID), of: credentials.configuration.type)
        } catch let refusal as KeyGate.Refusal {
            throw IssuanceError(refusal.description, .person, hint: refusal.hint)
        } catch { throw IssuanceError((error as? CommandError)?.what ?? "\(error)", .wallet) }
    }

    private func waited(_ results: [IssuanceResult], _ session: IssuanceSession) async throws -> [IssuanceResult] {
        var session = session
        var done: [IssuanceResult] = []
        for result in results {
            guard let document = result.document, let deferred = result.deferred else {
                done.append(result)
                continue
            }
            done.append(try await poll(document, deferred, &session))
        }
        return done
    }
}
