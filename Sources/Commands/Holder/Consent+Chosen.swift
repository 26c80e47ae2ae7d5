import Credentials

extension Consent {
    /// The credentials that the person chose.
    var chosen: [HeldCredential] {
        selection.choices.compactMap { choice in
            let entry = proposal.entries.first { $0.request.id == choice.requestID }
            return entry?.options.first { $0.number == choice.option }?.credential
        }
    }
}

extension KeyGate.Use {
    init(_ credential: HeldCredential) {
        self.init(type: credential.type, name: credential.name, keyID: credential.keyID)
    }
}
