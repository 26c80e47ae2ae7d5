import Codec
import Credentials
import Crypto
import Ports
import Vault

/// A stored document together with what its bytes say, as lists and views show it.
struct HeldDocument: Sendable {
    let stored: StoredDocument
    /// The copy that is looked at.
    let copy: StoredDocument.Copy?
    let issuerSigned: IssuerSigned?
    /// The claims of an SD-JWT VC; nil for an mdoc.
    let sdJWT: ProcessedSDJWT?
    let mso: MobileSecurityObject?
    /// What a person should know, such as "expired at 2026-01-01T00:00:00Z".
    let warnings: [String]

    /// Reads a copy: the one named, else the one that would be presented next, else the first.
    /// - Parameter keys: the names of the keys in the key store.
    static func read(
        _ stored: StoredDocument, copy wanted: String? = nil, from vault: Vault, keys: Set<KeyID>, at time: Timestamp
    ) async throws(CommandError) -> HeldDocument {
        let copy =
            wanted.flatMap { id in stored.copies.first { $0.id == id } } ?? stored.copyToPresent(at: time) ?? stored.copies.first
        if let wanted, copy?.id != wanted {
            throw .refused(
                "document \(stored.id) has no copy \(wanted)",
                hint: "its copies are \(stored.copies.map(\.id).joined(separator: ", "))")
        }
        var fault: String?
        var issuerSigned: IssuerSigned?
        var sdJWT: ProcessedSDJWT?
        if let copy, stored.format == SDJWTVC.mediaType {
            do {
                let bytes = try await vault.bytes(of: copy, in: stored)
                sdJWT = try SDJWT(compact: String(decoding: bytes, as: UTF8.self)).processed()
            } catch { fault = "cannot be read: \(error)" }
        }
        if let copy, stored.format == "mso_mdoc" {
            do {
                issuerSigned = try IssuerSigned(CBOR(decoding: try await vault.bytes(of: copy, in: stored)))
            } catch { fault = "cannot be read: \(error)" }
        }
        let mso = issuerSigned.flatMap { try? $0.readableSecurityObject() }
        return HeldDocument(
            stored: stored, copy: copy, issuerSigned: issuerSigned, sdJWT: sdJWT, mso: mso,
            warnings: (fault.map { [$0] } ?? []) + warnings(stored, mso, keys, time) + warnings(sdJWT, time)
                + (await IssuanceStore.warnings(of: stored.id, in: vault)).map { "when it was issued: \($0)" })
    }

    /// Every document of the vault.
    static func all(in vault: Vault, random: any RandomSource, at time: Timestamp) async throws(CommandError) -> [HeldDocument] {
        let keys = try await keyNames(vault, random)
        var all: [HeldDocument] = []
        for stored in try await vaultCall({ () async throws(VaultError) in try await vault.documents() }) {
            all.append(try await read(stored, from: vault, keys: keys, at: time))
        }
        return all
    }

    static func keyNames(_ vault: Vault, _ random: any RandomSource) async throws(CommandError) -> Set<KeyID> {
        do throws(KeyStoreError) {
            return Set(try await VaultKeyStore(vault: vault, random: random).keys().map(\.id))
        } catch { throw CommandError(error) }
    }

    private static func warnings(_ sdJWT: ProcessedSDJWT?, _ time: Timestamp) -> [String] {
        let expiry = sdJWT?.claims["exp"]?.intValue.map { Timestamp(secondsSince1970: $0) }
        return expiry.map { $0 < time ? ["expired at \($0)"] : [] } ?? []
    }

    private static func warnings(
        _ stored: StoredDocument, _ mso: MobileSecurityObject?, _ keys: Set<KeyID>, _ time: Timestamp
    ) -> [String] {
        var warnings: [String] = []
        if stored.state != .issued { warnings.append("not yet issued: \(stored.state.rawValue)") }
        if let validity = mso?.validityInfo {
            if let from = validity.validFrom.timestamp, time < from { warnings.append("not yet valid, from \(from)") }
            if let until = validity.validUntil.timestamp, until < time { warnings.append("expired at \(until)") }
            for (name, value) in validity.members where !value.isWellFormed {
                warnings.append("\(name) is not in the form YYYY-MM-DDThh:mm:ssZ: \(value.text)")
            }
        }
        let orphans = stored.copies.filter { copy in copy.keyID.map { !keys.contains(KeyID(rawValue: $0)) } ?? true }
        if !orphans.isEmpty {
            let which = orphans.map(\.id).joined(separator: ", ")
            warnings.append(
                orphans.count == stored.copies.count
                    ? "key missing: it can be looked at, not presented" : "key missing for copies \(which)")
        }
        if stored.isExhausted {
            warnings.append(
                stored.policy == .once
                    ? "exhausted: every copy has been presented once" : "exhausted: every copy belongs to a relying party")
        }
        if let reason = stored.renewalReason(at: time) {
            warnings.append("fresh copies are due, \(reason): walletbench holder refresh \(stored.id)")
        }
        return warnings
    }
}

extension HeldDocument {
    /// Members of `holder list --json` and the head of `holder show --json`.
    var summary: JSONObject {
        var object: JSONObject = [
            "id": .string(stored.id), "format": .string(stored.format), "type": .string(stored.type),
            "displayName": .string(stored.displayName), "issuer": stored.issuer.map { .string($0) } ?? .null,
            "state": .string(stored.state.rawValue), "policy": .string(stored.policy.rawValue),
            "added": .string(stored.added.rfc3339), "copies": .integer(Int64(stored.copies.count)),
            "copiesLeft": .integer(Int64(stored.copiesLeft)),
        ]
        object["uses"] = .integer(Int64(stored.copies.reduce(0) { $0 &+ $1.uses }))
        object["validity"] =
            mso.map { mso in .object(JSONObject(mso.validityInfo.members.map { ($0.name, .string($0.value.text)) })) }
            ?? sdJWT.map { .object(JSONObject($0.validity.map { ($0.name, .string($0.time.rfc3339)) })) } ?? .null
        object["warnings"] = .array(warnings.map { .string($0) })
        return object
    }

    /// "2 of 3 left", "4 in turn", "the newest of 2", or "1 of 3 for another relying party".
    var copiesText: String {
        switch stored.policy {
        case .once: "\(stored.copiesLeft) of \(stored.copies.count) left"
        case .limitedTime: stored.copiesLeft == 0 ? "no copy to present" : "the newest of \(stored.copiesLeft)"
        case .perRelyingParty: "\(stored.copiesLeft) of \(stored.copies.count) for other relying parties"
        case .rotate: stored.copiesLeft == 0 ? "no copy to present" : "\(stored.copiesLeft) in turn"
        }
    }
}

extension CommandError {
    /// What the key store says.
    init(_ error: KeyStoreError) {
        switch error {
        case .storage(let what): self.init(what, exit: .environment)
        case .locked, .wrongPassphrase: self.init("\(error)", hint: "give the key's passphrase", exit: .environment)
        default: self.init("\(error)", hint: "walletbench holder key list shows the keys")
        }
    }
}

extension ProcessedSDJWT {
    /// The dates that the credential has, under the names of an mdoc's.
    var validity: [(name: String, time: Timestamp)] {
        [("signed", "iat"), ("validFrom", "nbf"), ("validUntil", "exp")].compactMap { name, claim in
            claims[claim]?.intValue.map { (name, Timestamp(secondsSince1970: $0)) }
        }
    }
}
