public import Codec
import Ports

extension PresentationReport {
    /// The report as every command prints it with `--json`.
    ///
    /// - Parameter redacting: leaves out claim values, and the texts of checks that quote them.
    public func json(redacting: Bool = false) -> JSON {
        .object([
            "verdict": .string(verdict.rawValue),
            "at": .string(at.rfc3339),
            "checks": .array(checks.map { $0.json(redacting: redacting) }),
            "documents": .array(documents.map { $0.json(redacting: redacting) }),
            "missing": .array(missing.map(JSON.string)),
            "unrequested": .array(unrequested.map(JSON.string)),
            "warnings": .object(["": .array((redacting ? redactedWarnings : warnings).map(JSON.string))]),
        ])
    }

    private var redactedWarnings: [String] {
        checks.compactMap { $0.outcome == .warn ? "\($0.id) \($0.subject): \($0.reason(redacting: true) ?? $0.name)" : nil }
    }
}

extension Check {
    /// `{"id", "name", "outcome", "reason", "clause", "subject"}`.
    public func json(redacting: Bool = false) -> JSON {
        .object([
            "id": .string(id),
            "name": .string(name),
            "outcome": .string(outcome.word),
            "reason": reason(redacting: redacting).map(JSON.string) ?? .null,
            "clause": clause.map(JSON.string) ?? .null,
            "subject": .string(subject),
        ])
    }

    /// The reason; when redacting, the catalogue's text in place of one that quotes a claim's value.
    public func reason(redacting: Bool) -> String? {
        guard redacting, outcome.isViolation, Self.quotingValues.contains(id) else { return reason }
        return definition.message
    }

    private static let quotingValues: Set<String> = ["R27.country", "R27.jurisdiction", "R30.nearest"]
}

extension PresentedDocument {
    /// `{"format", "type", "trusted", "issuer", "validity", "claims", "holderBinding", "status"}`; claims that no digest or
    /// authorisation covers come apart, under `unverifiedClaims`.
    public func json(redacting: Bool = false) -> JSON {
        var object: JSONObject = [
            "format": .string(format),
            "type": .string(type),
            "trusted": trusted.map(JSON.bool) ?? .null,
            "issuer": issuer.map(\.json) ?? .null,
            "trust": trust.map(\.json) ?? .null,
            "validity": validity.map(\.json) ?? .null,
            "claims": claimsJSON(redacting: redacting),
            "holderBinding": .string(holderBinding.rawValue),
            "status": .string(status),
        ]
        let unverified = claims.filter { !$0.isVerified }
        if payload != nil {
            if !unverified.isEmpty { object.append("unverifiedClaims", payloadJSON(redacting: redacting)) }
        } else if !unverified.isEmpty {
            object.append("unverifiedClaims", Self.json(of: unverified, redacting: redacting))
        }
        return .object(object)
    }

    private func claimsJSON(redacting: Bool) -> JSON {
        guard payload != nil else { return Self.json(of: claims.filter(\.isVerified), redacting: redacting) }
        return claims.allSatisfy(\.isVerified) ? payloadJSON(redacting: redacting) : .object([:])
    }

    /// The claims of an SD-JWT VC as JSON; when redacting, of each member only that it is there.
    private func payloadJSON(redacting: Bool) -> JSON {
        .object(JSONObject((payload ?? JSONObject()).map { ($0.key, redacting ? .object(["redacted": .bool(true)]) : $0.value) }))
    }

    private static func json(of claims: [PresentedClaim], redacting: Bool) -> JSON {
        var namespaces = JSONObject()
        for namespace in claims.namespaces {
            var members = JSONObject()
            for claim in claims where claim.namespace == namespace && members[claim.element] == nil {
                members.append(claim.element, redacting ? .object(["redacted": .bool(true)]) : JSON(claim: claim.value))
            }
            namespaces.append(namespace, .object(members))
        }
        return .object(namespaces)
    }
}

extension Collection<PresentedClaim> {
    /// The namespaces in the order in which they come.
    public var namespaces: [String] {
        reduce(into: []) { if !$0.contains($1.namespace) { $0.append($1.namespace) } }
    }
}

extension PresentedDocument.Issuer {
    var json: JSON { .object(["subject": .string(subject), "sha256": .string(Hex.encode(sha256))]) }
}

extension PresentedDocument.Trust {
    var json: JSON {
        .object([
            "source": source.map(JSON.string) ?? .null, "policy": .string(policy), "anchor": anchor.map(\.json) ?? .null,
        ])
    }
}

extension PresentedDocument.Validity {
    var json: JSON {
        .object([
            "signed": signed.map(JSON.string) ?? .null,
            "validFrom": validFrom.map(JSON.string) ?? .null,
            "validUntil": validUntil.map(JSON.string) ?? .null,
        ])
    }
}
