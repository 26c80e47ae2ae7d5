import Codec
import Crypto
import Ports

/// A certificate about to be made: keeps every rule of its profile until one is broken on purpose.
struct CertificateDraft {
    let profile: CertificateProfile
    let edition: Edition
    var builder: CertificateBuilder
    /// Nil for roots.
    let issuer: SigningIdentity?
    let random: any RandomSource

    /// Sets the subject; a root's issuer with it.
    mutating func setSubject(_ name: DistinguishedName) {
        builder.subject = name
        if profile == .iaca { builder.issuer = name }
    }

    /// Sets the subject's key, and its key identifier with it.
    mutating func setKey(spki: [UInt8], bits: [UInt8]) {
        builder.spki = spki
        builder[.subjectKeyIdentifier] = .subjectKeyIdentifier(HashAlgorithm.sha1.digest(bits))
    }
}

/// A rule that cannot be broken as asked; says why.
package struct UnbreakableRule: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
