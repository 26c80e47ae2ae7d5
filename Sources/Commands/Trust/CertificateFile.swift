import Codec
import Crypto
import Ports

/// What a file of certificates and revocation lists holds.
enum CertificateFile {
    enum Item {
        case certificate(Certificate)
        case list(CertificateRevocationList)
        /// Labelled or looking like one of the two, and not readable as it.
        case unreadable(CertificateError)
    }

    /// Everything in a file, `-`, or a text, in order; PEM blocks of other kinds, such as keys, do not count.
    /// - Throws: exit code 1 when it holds neither certificate nor CRL, 3 when it cannot be read.
    static func items(_ argument: String) throws(CommandError) -> [Item] {
        let input = try InputReader.read(argument)
        let items =
            switch input.content {
            case .der(let bytes): [item(bytes)]
            case .pem(let blocks): blocks.compactMap { labels.contains($0.label) ? item($0.bytes) : nil }
            default: throw input.wrong("a certificate or CRL (PEM or DER)")
            }
        guard !items.isEmpty else {
            throw .refused("\(input.origin): no certificate or CRL in it", hint: "PEM blocks are labelled CERTIFICATE or X509 CRL")
        }
        return items
    }

    /// The certificates of a file.
    /// - Throws: as `items`, and exit code 1 when one cannot be read.
    static func certificates(_ argument: String) throws(CommandError) -> [Certificate] {
        var certificates: [Certificate] = []
        for item in try items(argument) {
            switch item {
            case .certificate(let certificate): certificates.append(certificate)
            case .unreadable(let error): throw .refused("\(argument): not a certificate: \(error)")
            case .list: continue
            }
        }
        guard !certificates.isEmpty else { throw .refused("\(argument): a CRL, where a certificate is needed") }
        return certificates
    }

    private static let labels: Set<String> = ["CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE", "X509 CRL"]

    private static func item(_ der: [UInt8]) -> Item {
        do {
            return .certificate(try Certificate(der: der))
        } catch {
            let list = try? CertificateRevocationList(der: der)
            return list.map { .list($0) } ?? .unreadable(error)
        }
    }
}

extension Certificate {
    /// The first 16 hexadecimal digits of the fingerprint: what commands name a certificate by.
    var shortID: String { Hex.encode(sha256.prefix(8)) }

    /// `{subject, sha256}` and what else says which certificate it is.
    var summaryJSON: JSONObject {
        [
            "subject": .string(subject.description), "issuer": .string(issuer.description), "sha256": .string(Hex.encode(sha256)),
            "serialNumber": .string(Hex.encode(serialNumber)), "notBefore": .string(notBefore.rfc3339),
            "notAfter": .string(notAfter.rfc3339),
        ]
    }
}
