import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// Attestations of `verifier_info` and `issuer_info`: which of them count, and for which queries.
struct RegistrationTests {
    private let time = TestPKI.time
    private let access: Certificate
    private let registrar: SigningIdentity
    private let verifier: RegistrationVerifier

    init() throws {
        let maker = CertificateMaker(at: time, random: SeededRandom(seed: 7))
        let root = try maker.authority("TEST Registrar CA")
        registrar = try maker.endEntity(.status, "TEST Registrar", issuer: root)
        access = try maker.endEntity(.reader, "TEST Relying Party", issuer: maker.authority("TEST Reader CA")) { builder in
            builder.subject = builder.subject.adding("2.5.4.97", RegistrationMaker.identifier)
        }.certificate
        verifier = RegistrationVerifier(
            signers: SignerVerifier(anchors: TrustAnchors([.init(root.certificate, role: .registrars)]), edition: .first),
            leg: .presentation)
    }

    private func certificate(_ fault: RegistrationMaker.Fault? = nil, naming purpose: String = "a") async throws -> [UInt8] {
        var maker = RegistrationMaker(registrar: registrar, at: time, nonce: .deterministic)
        maker.fault = fault
        var entry = RegistrationMaker.Entry()
        entry.purpose = purpose
        return try await maker.jwt(entry)
    }

    private static func subject(_ id: String, _ type: String) -> RegistrationSubject {
        RegistrationSubject(id: id, format: "dc+sd-jwt", types: [type], paths: [["family_name"]])
    }

    private func reports(
        _ entries: [JSON],
        asking subjects: [RegistrationSubject] = [subject("one", "urn:eudi:pid:1"), subject("two", "urn:eudi:pid:1")]
    ) -> [RegistrationReport] {
        verifier.verify(
            entries.compactMap(RegistrationAttestation.init), access: .certificate(access), asking: subjects, at: time)
    }

    private func warnings(_ reports: [RegistrationReport]) -> [String: Int] {
        // The certificates have no status here, which is a warning of the whole request.
        reports.reduce(into: [:]) { found, report in
            for (key, texts) in report.warnings where key != "" { found[key, default: 0] += texts.count }
        }
    }

    @Test func otherFormatsAreNotLookedAt() {
        let reports = reports([["format": "jwt", "data": "x"]])
        #expect(reports.count == 1)
        #expect(reports[0].checks.check("T68", "registration")?.outcome == .notRun(.notPresent))
    }

    @Test func credentialIDsSayWhichQueriesAreCovered() async throws {
        let certificate = try await certificate()
        #expect(warnings(reports([RegistrationAttestation.entry(certificate)])).isEmpty)
        #expect(warnings(reports([RegistrationAttestation.entry(certificate, for: ["one"])])) == ["two": 1])
        #expect(warnings(reports([RegistrationAttestation.entry(certificate, for: ["one", "two"])])).isEmpty)
        // Spellings of older texts for the whole request.
        #expect(warnings(reports([RegistrationAttestation.entry(certificate, for: ["global"])])).isEmpty)
        #expect(warnings(reports([RegistrationAttestation.entry(certificate, for: [""])])).isEmpty)
    }

    @Test func oneCertificateForEachQueryIsJudgedAlone() async throws {
        let good = try await certificate(naming: "first")
        let bad = try await certificate(.notBound, naming: "second")
        let reports = reports([
            RegistrationAttestation.entry(good, for: ["one"]), RegistrationAttestation.entry(bad, for: ["two"]),
        ])
        #expect(reports.count == 2)
        #expect(reports[0].checks.check("T62", "registration")?.outcome == .pass)
        #expect(reports[1].checks.check("T62", "registration 2")?.outcome == .warn)
        let whole = reports[0].merging(reports[1])
        #expect(whole.json["purpose"] == "first; second")
        #expect(whole.warnings[""]?.contains { $0.hasPrefix("notBoundToAccessCertificate") } == true)
    }

    @Test func dataThatIsNoTextIsNoCertificate() {
        let reports = reports([["format": "registration_cert", "data": ["a": 1]]])
        #expect(reports[0].checks.check("T59", "registration")?.outcome == .warn)
        #expect(reports[0].certificate == nil && reports[0].shown == .null)
    }

    @Test func whatIsAskedBeyondIsNamedByQueryAndPath() async throws {
        let reports = reports(
            [RegistrationAttestation.entry(try await certificate(.overAsking))], asking: [Self.subject("one", "urn:eudi:pid:1")])
        let texts = try #require(reports[0].warnings["one"])
        #expect(texts == ["overAskedClaims: query one asks beyond registration: family_name"])
    }

    @Test func enforcementNamesWhatItStopsAt() async throws {
        var strict = verifier
        strict.policy = .enforce
        let entry = RegistrationAttestation.entry(try await certificate(.expired))
        let report = strict.verify(
            [entry].compactMap(RegistrationAttestation.init), access: .certificate(access), asking: [], at: time)[0]
        #expect(!report.isGranted)
        #expect(report.refusal?.check == "T50")
        #expect(report.refusal?.reason.hasPrefix("expired: ") == true)
    }
}
