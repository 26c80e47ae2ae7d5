import Codec
import OpenID
import Testing

struct CredentialOfferTests {
    /// An offer with this pre-authorized code.
    private func offer(code: JSON) -> JSON {
        [
            "credential_issuer": "https://issuer.example", "credential_configuration_ids": ["pid"],
            "grants": ["urn:ietf:params:oauth:grant-type:pre-authorized_code": ["pre-authorized_code": code]],
        ]
    }

    @Test func aPreAuthorizedCodeIsKeptAsItCame() throws {
        #expect(try CredentialOffer(offer(code: " a b ")).preAuthorized?.code == " a b ")
    }

    @Test(arguments: ["", "     ", "\t\n", 7, nil] as [JSON])
    func aBlankPreAuthorizedCodeIsRefused(code: JSON) {
        let error = #expect(throws: OfferError.self) { try CredentialOffer(offer(code: code)) }
        #expect(error?.check == "IW1.json")
    }
}
