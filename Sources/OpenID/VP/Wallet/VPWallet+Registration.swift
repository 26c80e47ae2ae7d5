public import Credentials
public import Ports

extension VPWallet {
    /// What the verifier of a request is registered for (ETSI TS 119 475; T50 to T68): one report for each registration certificate in
    /// `verifier_info`, bound to the certificate that authenticated the request; empty where nobody looks. Their status is not known yet.
    ///
    /// - Parameter time: the moment for which validity is judged.
    public func registrations(of resolution: VPResolution, at time: Timestamp) -> [RegistrationReport] {
        guard let verifier = settings.registrations, let claim = resolution.registration else { return [] }
        return verifier.verify(claim.attestations, access: claim.access, asking: claim.subjects, at: time)
    }

    /// The refusal of a request whose verifier's registration the policy does not accept; nil where it does.
    public func refusal(of request: VPRequest, for registration: RegistrationReport?) -> VPRefusal? {
        registration?.refusal.map { refusal(of: request, $0.check, $0.reason) }
    }
}
