package import Crypto

/// A certificate and the private key of its subject.
package struct SigningIdentity: Sendable {
    package let certificate: Certificate
    package let key: PrivateKey

    package init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }
}
