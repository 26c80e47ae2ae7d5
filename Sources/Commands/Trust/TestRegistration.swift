import Codec
import Credentials
import Crypto
import Ports

extension TestCertificates {
    /// The access certificate of a test relying party: a reader certificate that names who is registered.
    mutating func makeAccessCertificate() throws -> Made {
        let issuer = try authority(.readers)
        let serverNames = serverNames
        let made = try maker.endEntity(.reader, "TEST Relying Party", issuer: issuer, curve: curve) { builder in
            builder.subject = builder.subject.adding("2.5.4.97", RegistrationMaker.identifier)
            if !serverNames.isEmpty { builder[.subjectAlternativeName] = .subjectAlternativeName(serverNames) }
        }
        let paths = try folder.write(made.certificate, key: made.key, as: "wrpac")
        note(paths)
        return Made(item: .certificate(made.certificate), issuer: issuer.certificate, path: paths[0], keyPath: paths[2])
    }

    /// What a registration certificate is to be like.
    struct RegistrationOrder {
        var entry = RegistrationMaker.Entry()
        var fault: RegistrationFault?
    }

    /// A registration certificate for that party, as JWT and as CWT, with a status list that says it is valid.
    mutating func makeRegistration(_ order: RegistrationOrder) async throws -> (jwt: [UInt8], cwt: [UInt8]) {
        var root = try authority(.registrars)
        if order.fault == .untrusted {
            root = try CertificateMaker(at: maker.time, random: maker.random, edition: maker.edition, organization: "Erewhon")
                .authority("TEST Registrar CA")
        }
        let signer = try maker.endEntity(.status, "TEST Registrar", issuer: root)
        let nonce: SignatureNonce = maker.random.isDeterministic ? .deterministic : .random
        var registration = RegistrationMaker(registrar: signer, at: maker.time, nonce: nonce)
        if case .content(let fault)? = order.fault { registration.fault = fault }
        var entry = order.entry
        let index = Int(maker.random.bytes(2).reduce(0) { $0 << 8 | UInt32($1) })
        entry.status = StatusReference(.index(index), uri: "https://registry.utopia.example/status/registrations")
        try await writeStatuses(entry.status, order.fault, signer, nonce)
        return (try await registration.jwt(entry), try await registration.cwt(entry))
    }

    /// The registrar's list, where `--status-source` and a home of its own find it.
    private func writeStatuses(
        _ reference: StatusReference?, _ fault: RegistrationFault?, _ signer: SigningIdentity, _ nonce: SignatureNonce
    ) async throws {
        guard let reference, case .index(let index) = reference.mechanism else { return }
        var list = StatusList(bits: 2, count: 65_536)
        if case .status(let value, _)? = fault { list.set(value, at: index) }
        let maker = StatusListMaker(signer: signer, uri: reference.uri, at: maker.time, nonce: nonce)
        let isThere = fault != .listDown
        try folder.write(isThere ? await maker.jwt(list) : [], to: "registrations.jwt")
        try folder.write(isThere ? await maker.cwt(list) : [], to: "registrations.cwt")
    }
}
