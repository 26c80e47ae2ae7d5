package import Codec
import Credentials
import Ports

/// What a tester orders: an offer for a wallet.
package struct OfferOrder: Sendable {
    package var configurationIDs: [String]
    package var isPreAuthorized: Bool
    /// nil: no transaction code.
    package var transactionCode: String?
    package var isTextCode: Bool
    package var scheme: String
    package var lifetime: Int64

    package init(
        configurationIDs: [String], isPreAuthorized: Bool = true, transactionCode: String? = nil, isTextCode: Bool = false,
        scheme: String = CredentialOffer.schemes[0], lifetime: Int64 = 3600
    ) {
        self.configurationIDs = configurationIDs
        self.isPreAuthorized = isPreAuthorized
        self.transactionCode = transactionCode
        self.isTextCode = isTextCode
        self.scheme = scheme
        self.lifetime = lifetime
    }
}

/// An offer that was made.
package struct MadeOffer: Sendable {
    /// Names the issuance in the log.
    package let issuance: String
    package let offer: JSONObject
    /// Carries the offer itself.
    package let byValue: String
    /// Says where the offer is: short enough for a QR code.
    package let byReference: String
    package let transactionCode: String?
}

extension VCIIssuer {
    /// Makes an offer; the codes in it live as long as it does.
    package func makeOffer(_ order: OfferOrder) async throws -> MadeOffer {
        let settings = settings
        for id in order.configurationIDs where settings.configuration(id) == nil {
            throw MessageFinding("IW1.unknown", "there is no configuration \(id)")
        }
        let issuance = String(secret().prefix(12))
        var offer = CredentialOffer(issuer: settings.identifier, configurationIDs: order.configurationIDs)
        if order.isPreAuthorized {
            let code = secret()
            let hint = order.transactionCode.map {
                CredentialOffer.TransactionCode(
                    isText: order.isTextCode, length: $0.count, description: "The code is shown on the issuer's page")
            }
            offer.preAuthorized = .init(code: code, transactionCode: hint)
            var record: JSONObject = [
                "issuance": .string(issuance), "configurations": .array(order.configurationIDs.map { .string($0) }),
            ]
            if let transactionCode = order.transactionCode { record["tx"] = .string(DPoP.tokenHash(transactionCode)) }
            try await records.put(.preAuthorized, code, record, lifetime: order.lifetime)
        } else {
            let state = secret()
            offer.authorizationCode = .init(issuerState: state)
            try await records.put(
                .pending, "state/\(state)", ["issuance": .string(issuance)], lifetime: order.lifetime)
        }
        var json = offer.json
        faults.spoil(offer: &json)
        let id = String(secret().prefix(22))
        try await records.put(.offer, id, ["issuance": .string(issuance), "offer": .object(json)], lifetime: order.lifetime)
        log.add(clock.now(), issuance, "offer", 201, nil, "offer made: \(order.configurationIDs.joined(separator: ", "))", [])
        return MadeOffer(
            issuance: issuance, offer: json, byValue: CredentialOffer.link(by: json, scheme: order.scheme),
            byReference: faults.spoil(
                link: CredentialOffer.link(to: settings.endpoint("offer/\(id)"), scheme: order.scheme)),
            transactionCode: order.transactionCode)
    }
}
