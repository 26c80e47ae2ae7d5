import Codec
public import Crypto
public import Ports

/// A CRL with its entries by serial number: looked up without going through all of them.
public struct RevocationList: Sendable {
    public let list: CertificateRevocationList
    private let revokedAt: [[UInt8]: Timestamp]

    public init(_ list: CertificateRevocationList) {
        self.list = list
        revokedAt = Dictionary(
            (list.entries ?? []).map { ($0.serialNumber, $0.revokedAt) }, uniquingKeysWith: { first, _ in first })
    }

    var size: Int { list.der.count * 2 }

    /// When the certificate was revoked.
    public func revocation(of certificate: Certificate) -> Timestamp? { revokedAt[certificate.serialNumber] }

    /// Whether it is its issuer's, and says something at `time`: T40.issuer, T40.signature, T41.
    ///
    /// - Parameter known: the highest number that was seen of this list before.
    func admit(
        for certificate: Certificate, issuer: Certificate, known: [UInt8]?, skew: Int64, at time: Timestamp,
        in checks: inout CheckList, _ subject: String
    ) -> Bool {
        let first = checks.checks.count
        if let critical = (list.extensions + (list.entries ?? []).flatMap(\.extensions)).first(where: \.isCritical) {
            checks.fail("T40.issuer", subject, "critical extension \(critical.oid): not a full list of the certificate's issuer")
        } else {
            checks.judge("T40.issuer", subject, list.issuer == certificate.issuer && list.issuer == issuer.subject)
        }
        let maySign = issuer.keyUsage.map { $0.contains(.cRLSign) } ?? true
        checks.judge("T40.signature", subject, maySign && list.isSigned(by: issuer))
        let isCurrent =
            list.thisUpdate <= time.adding(seconds: skew) && list.nextUpdate.map { $0 > time.adding(seconds: -skew) } ?? false
        checks.judge("T41.current", subject, isCurrent, [list.nextUpdate?.rfc3339 ?? "is missing; it"])
        if let known, let number = list.number, Self.isLess(number, known) {
            checks.fail("T41.number", subject, values: [Hex.encode(known), Hex.encode(number)])
        } else {
            checks.pass("T41.number", subject)
        }
        let broken = RevocationListProfile.lint(list, issuer: issuer, at: time).findings.filter {
            !Self.saidElsewhere.contains($0.rule)
        }
        if broken.isEmpty {
            checks.pass("T41.profile", subject)
        } else {
            checks.fail("T41.profile", subject, broken.map { "CRL breaks rule \($0.id): \($0.message)" }.joined(separator: "; "))
        }
        return checks.checks[first...].allSatisfy { !$0.isUndetermined }
    }

    /// Rules that have a check of their own.
    private static let saidElsewhere: Set<String> = ["issuer-bytes", "signature", "current"]

    /// Unsigned big-endian numbers.
    static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        let (x, y) = (a.drop { $0 == 0 }, b.drop { $0 == 0 })
        return x.count != y.count ? x.count < y.count : x.lexicographicallyPrecedes(y)
    }

    /// The http(s) and other URIs at which a certificate says that its CRL is.
    static func locations(in certificate: Certificate) -> [String] {
        (certificate.crlDistributionPoints ?? []).flatMap { point in
            point.names.compactMap { if case .uri(let uri) = $0 { uri } else { nil } }
        }
    }
}
