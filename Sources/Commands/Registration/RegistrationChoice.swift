import Codec
import Credentials
import Crypto
import Ports

/// What a verifier or an issuer sends about its registration: the certificate of the command line, or with a fault one that is made for
/// the occasion; and the access certificate of the home, which it is bound to.
struct RegistrationChoice: Sendable {
    /// A JWT; nil: there is none to send.
    let certificate: [UInt8]?
    /// Nil where the home has none, or nothing is registered.
    let access: SigningIdentity?
    let fault: RegistrationFault?

    static func option(_ who: String, _ member: String) -> Option {
        .file(
            "registration", "FILE",
            "The \(who)'s registration certificate (JWT), sent in \(member); the home's access certificate (trust make wrpac) signs"
        )
    }

    /// Nothing is said about a registration.
    static let none = RegistrationChoice()

    private init() { (certificate, access, fault) = (nil, nil, nil) }

    /// - Throws: exit code 1 when the file is no certificate in the form of a JWT.
    init(_ invocation: Invocation, as role: RegistrationFault.Role) async throws {
        let context = invocation.context
        fault = context.faults.lazy.compactMap { RegistrationFault($0.name) }.first { $0.roles.contains(role) }
        let path = invocation.string("registration")
        guard fault != nil || path != nil else {
            (certificate, access) = (nil, nil)
            return
        }
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
        if fault != nil, try made.folder.identity("wrpac") == nil { _ = try made.makeAccessCertificate() }
        access = try made.folder.identity("wrpac")
        if let path {
            certificate = try Self.read(path)
        } else if fault == .absent {
            certificate = nil
        } else {
            var order = TestCertificates.RegistrationOrder(fault: fault)
            if role == .issuer { order.entry = .issuer }
            certificate = try await made.makeRegistration(order).jwt
        }
    }

    private static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let bytes = try Files.read(path, limit: 1 << 20)
        guard StatusForm(of: bytes) == .jwt else {
            throw .refused(
                "\(path): a registration certificate goes over OpenID as a JWT", hint: "trust make wrprc writes wrprc.jwt as well")
        }
        return bytes
    }
}

/// What the registration of whoever asks or issues is worth to a wallet.
enum RegistrationPolicy {
    static func options(_ who: String, default policy: TrustPolicy) -> [Option] {
        [
            .choice(
                "registration-policy", TrustPolicy.allCases.map(\.rawValue), "What the \(who)'s registration certificate is worth",
                default: policy.rawValue),
            .flag(
                "require-registration",
                "\(who == "issuer" ? "An" : "A") \(who) without a registration certificate breaks that policy"),
        ]
    }

    static func verifier(_ invocation: Invocation, _ anchors: TrustAnchors, leg: RegistrationLeg) -> RegistrationVerifier {
        let context = invocation.context
        return RegistrationVerifier(
            signers: SignerVerifier(anchors: anchors, edition: context.edition, skew: Int64(context.skew)), leg: leg,
            policy: invocation.string("registration-policy").flatMap(TrustPolicy.init),
            isRequired: invocation.flag("require-registration"))
    }
}
