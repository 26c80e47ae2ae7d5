package import Credentials
package import Ports

/// The public key infrastructure of the tests: the same bytes in every run.
package enum TestPKI {
    /// 2026-11-30T12:00:00Z, when it was made and when tests verify.
    package static let time = Timestamp(secondsSince1970: 1_796_040_000)

    /// - Parameters:
    ///   - seed: another seed gives other keys.
    ///   - organization: another name gives an authority that trusts of the first one do not cover.
    package static func authority(seed: UInt64 = 1, organization: String = "Utopia") throws -> TestAuthority {
        try TestAuthority(at: time, random: SeededRandom(seed: seed), organization: organization)
    }
}
