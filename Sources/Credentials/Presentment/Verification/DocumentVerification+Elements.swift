import Codec
import Crypto

extension DocumentVerification {
    /// R22.element, R27: what the values themselves have to be.
    mutating func checkElements(_ signer: SignerChain?) {
        checkDateForms()
        checkIssuerNames(signer)
    }

    private mutating func checkDateForms() {
        guard let definition = DocumentDefinition.of(document.docType) else { return list.notRun("R22.element", subject, .profile) }
        let faults = presented.claims.compactMap { claim -> String? in
            guard let fault = definition.element(claim.element, in: claim.namespace)?.type.dateFault(in: claim.value) else {
                return nil
            }
            return "\(claim.element): \(fault) as its definition asks"
        }
        guard !faults.isEmpty else { return list.pass("R22.element", subject) }
        for fault in faults { list.fail("R22.element", subject, fault) }
    }

    /// R27: an mDL names the country and the jurisdiction of the authority that signed it.
    private mutating func checkIssuerNames(_ signer: SignerChain?) {
        let name = signer?.signer?.subject
        checkIssuerName("R27.country", "issuing_country", name?.country, hasSigner: name != nil)
        checkIssuerName("R27.jurisdiction", "issuing_jurisdiction", name?.stateOrProvince, hasSigner: name != nil)
    }

    private mutating func checkIssuerName(_ id: String, _ element: String, _ expected: String?, hasSigner: Bool) {
        guard document.docType == Self.mDL else { return list.notRun(id, subject, .profile) }
        let claim = presented.claims.first { $0.element == element && $0.namespace == Self.mDLNameSpace }
        guard let value = claim.flatMap({ try? $0.value.text() }) else { return list.notRun(id, subject, .notPresent) }
        guard hasSigner else { return list.notRun(id, subject, .needs(signerCause)) }
        guard let expected else {
            // A certificate without a state leaves the jurisdiction open; one without a country breaks its profile.
            return list.notRun(id, subject, .notPresent)
        }
        list.judge(id, subject, value == expected, [value, expected])
    }
}
