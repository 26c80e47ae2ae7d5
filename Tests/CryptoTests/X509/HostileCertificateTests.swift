import Codec
import Crypto
import Ports
import TestSupport
import Testing

/// Whatever bytes come, reading ends with a value or an error, and what was read can be linted and verified.
@Suite struct HostileCertificateTests {
    private func published() throws -> [[UInt8]] {
        try PublishedCertificateTests.all().map(\.der)
    }

    /// Everything that may be done with a certificate that could be read. Returns whether it could.
    @discardableResult private func exercise(_ der: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(der: der) else { return false }
        for profile in CertificateProfile.allCases {
            _ = profile.lint(certificate, in: LintContext(issuer: certificate, newRoot: certificate, edition: .second)).findings
        }
        _ = certificate.subject.description
        _ = CertificateProfile(guessedFor: certificate)
        return true
    }

    @Test func noPrefixOfACertificateIsReadable() throws {
        for der in try published().prefix(4) {
            for length in 0..<der.count {
                #expect(throws: CertificateError.self) { try Certificate(der: Array(der[..<length])) }
            }
            #expect(throws: CertificateError.self) { try Certificate(der: der + [0]) }
        }
    }

    @Test func flippedBitsEndOrderly() throws {
        let der = try #require(try published().first)
        var readable = 0
        for position in der.indices {
            // The form bit, the lowest, and one that moves along: all eight take their time in a debug build.
            for bit in Set([0, 5, position % 8]) {
                var flipped = der
                flipped[position] ^= 1 << UInt8(bit)
                guard let certificate = try? Certificate(der: flipped) else { continue }
                readable += 1
                #expect(certificate != (try? Certificate(der: der)))
                if bit == 0, position % 4 == 0 { exercise(flipped) }
            }
        }
        #expect(readable > 0)
    }

    @Test func noFlippedBitUnderTheSignatureVerifies() throws {
        let der = try #require(try published().first)
        let certificate = try Certificate(der: der)
        for position in stride(from: 4, to: 4 + certificate.signedBytes.count, by: 7) {
            var flipped = der
            flipped[position] ^= 0x04
            guard let other = try? Certificate(der: flipped) else { continue }
            #expect(!other.isSigned(by: certificate))
        }
    }

    @Test func randomDamageEndsOrderly() throws {
        let random = SeededRandom(seed: 42)
        let originals = try published()
        for round in 0..<1000 {
            var der = originals[round % originals.count]
            for _ in 0...Int(random.bytes(1)[0] % 4) {
                let place = random.bytes(3)
                der[(Int(place[0]) << 8 | Int(place[1])) % der.count] = place[2]
            }
            _ = try? Certificate(der: der)
            _ = try? CertificateRevocationList(der: der)
            if round % 50 == 0 { exercise(der) }
        }
    }

    @Test(arguments: [
        "30ffffffffffffffff", "3084ffffffff", "3080", "30847fffffff00", "1f8f8f8f8f8f8f", "30", "", "00", "308203e8308203",
        "3006020100020100", "30030101ff", "a0030201ff",
    ]) func hugeLengthsAndOddTagsAreRefused(_ hex: String) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: CertificateError.self) { try Certificate(der: bytes) }
        #expect(throws: CertificateError.self) { try CertificateRevocationList(der: bytes) }
    }

    @Test func deepNestingIsRefusedWithoutDescending() throws {
        var der: [UInt8] = [0x05, 0x00]
        for _ in 0..<2000 { der = DERWriter.encode { writer in writer.sequence { $0.raw(der) } } }
        #expect(throws: CertificateError.self) { try Certificate(der: der) }
        // The same below a certificate, where only the linter looks: in an extension that nobody knows.
        let base = try Certificate(der: try #require(try published().first))
        var builder = CertificateBuilder(
            serialNumber: [0x41, 1, 2, 3, 4, 5, 6, 7], signatureAlgorithm: .ecdsaWithSHA256, issuer: base.issuer,
            notBefore: base.notBefore, notAfter: base.notAfter, subject: base.subject, spki: base.spkiBytes)
        builder.extensions = [CertificateExtension("2.999.1", value: der)]
        let certificate = try builder.certificate(signature: [0x30, 0x00])
        #expect(exercise(certificate.der))
        #expect(CertificateProfile.iaca.lint(certificate, issuer: nil).contains { $0.id == "iaca.der" })
    }

    @Test(arguments: [
        "250230000000Z", "251301000000Z", "250101250000Z", "250101000000", "2501010000Z", "250101000000+0100", "25010100000aZ",
    ]) func datesThatDoNotExistAreRefused(_ text: String) throws {
        let der = try #require(try published().first)
        let base = try Certificate(der: der)
        let original = [UInt8](base.notBefore.utcTime.utf8)
        let place = try #require(der.indices.first { der[$0...].starts(with: original) })
        var changed = der
        let replacement = [UInt8](text.utf8).prefix(13)
        changed.replaceSubrange(place..<place + replacement.count, with: replacement)
        if text.utf8.count < 13 { changed[place + 12] = UInt8(ascii: "?") }
        #expect(throws: CertificateError.self) { try Certificate(der: changed) }
    }

    @Test func datesAtTheEndsOfTimeAreReadAndWritten() throws {
        let base = try Certificate(der: try #require(try published().first))
        let ends = [(1950, 1, 1), (2049, 12, 31), (2050, 1, 1), (9999, 12, 31)].compactMap {
            Timestamp(year: $0.0, month: $0.1, day: $0.2, hour: 23, minute: 59, second: 59)
        }
        #expect(ends.count == 4)
        for end in ends {
            let builder = CertificateBuilder(
                serialNumber: [1], signatureAlgorithm: .ecdsaWithSHA256, issuer: base.issuer, notBefore: ends[0], notAfter: end,
                subject: base.subject, spki: base.spkiBytes)
            let certificate = try builder.certificate(signature: [0x30, 0x00])
            #expect(certificate.notAfter == end)
            #expect(exercise(certificate.der))
        }
    }

    @Test func aSecondExtensionOfOneKindIsRefused() throws {
        let base = try Certificate(der: try #require(try published().first))
        var builder = CertificateBuilder(
            serialNumber: [1], signatureAlgorithm: .ecdsaWithSHA256, issuer: base.issuer, notBefore: base.notBefore,
            notAfter: base.notAfter, subject: base.subject, spki: base.spkiBytes)
        builder.extensions = [.keyUsage(.digitalSignature), .keyUsage(.keyCertSign)]
        #expect(throws: CryptoError.self) { try builder.certificate(signature: []) }
    }
}
