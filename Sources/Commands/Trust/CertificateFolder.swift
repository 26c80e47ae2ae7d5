import Codec
import Credentials
import Crypto

/// A folder with test certificates and their keys: for each name `NAME.pem`, `NAME.der` and `NAME.key.pem`.
struct CertificateFolder {
    let path: String

    /// The one of a home, where `trust make` puts what it makes unless told otherwise, and `issuer mint` finds its signer.
    init(of home: Home) { path = home.file("trust/made") }

    init(path: String) { self.path = path }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The certificate and key of this name; nil where one of the two files is missing.
    /// - Throws: exit code 1 when one of them is unreadable or they do not belong together.
    func identity(_ name: String) throws(CommandError) -> SigningIdentity? {
        let (certificatePath, keyPath) = (file("\(name).pem"), file("\(name).key.pem"))
        guard Files.exists(certificatePath), Files.exists(keyPath) else { return nil }
        guard let certificate = try CertificateFile.certificates(certificatePath).first else { return nil }
        let key = try KeyFile.privateKey(keyPath)
        guard (try? certificate.publicKey()) == key.publicKey else {
            throw .refused("\(keyPath) is not the key of \(certificatePath)", hint: "name another folder with --out")
        }
        return SigningIdentity(certificate: certificate, key: key)
    }

    /// Writes a certificate, and its key where there is one.
    ///
    /// - Returns: the paths written: PEM, DER, key.
    /// - Throws: exit code 1 when another certificate than a test's is in the way.
    func write(_ certificate: Certificate, key: PrivateKey?, as name: String) throws(CommandError) -> [String] {
        try refuseToReplace(file("\(name).pem"))
        try makeFolder()
        var paths = [file("\(name).pem"), file("\(name).der")]
        try Files.write([UInt8](PEM.encode(certificate.der, label: "CERTIFICATE").utf8), to: paths[0])
        try Files.write(certificate.der, to: paths[1])
        if let key {
            paths.append(file("\(name).key.pem"))
            do {
                try Files.write([UInt8](try key.pem().utf8), to: paths[2], mode: 0o600)
            } catch let error as CommandError {
                throw error
            } catch {
                throw .refused("\(paths[2]): \(error)")
            }
        }
        return paths
    }

    /// Writes a CRL as PEM and DER, and as the file that certificates of its authority name.
    func write(
        _ list: CertificateRevocationList, as name: String, of authority: Certificate
    ) throws(CommandError) -> [String] {
        try makeFolder()
        let paths = [file("\(name).pem"), file("\(name).der"), file(CertificateMaker.crlName(of: authority))]
        try Files.write(list.der, to: paths[2])
        try Files.write([UInt8](PEM.encode(list.der, label: "X509 CRL").utf8), to: paths[0])
        try Files.write(list.der, to: paths[1])
        return paths
    }

    /// Writes something else: a list.
    func write(_ bytes: [UInt8], to name: String) throws(CommandError) {
        try makeFolder()
        try Files.write(bytes, to: file(name))
    }

    private func makeFolder() throws(CommandError) { try Home(path: path, source: "--out").make() }

    private func refuseToReplace(_ path: String) throws(CommandError) {
        guard Files.exists(path), let old = try CertificateFile.certificates(path).first else { return }
        guard old.subject.description.contains("TEST") || old.subject.attribute(.commonName) == nil else {
            throw .refused("\(path) holds \"\(old.subject)\", which is no test certificate", hint: "name another folder with --out")
        }
    }
}
