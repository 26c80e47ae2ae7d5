import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

@Suite struct SignerChainTests {
    let time = TestPKI.time
    let mDL = "org.iso.18013.5.1.mDL"

    private func authority(seed: UInt64 = 3, curve: Curve = .p256) throws -> TestAuthority {
        try TestAuthority(at: time, random: SeededRandom(seed: seed), curve: curve)
    }

    /// The ids of the checks that ended in a violation, with their outcome.
    private func violations(_ chain: SignerChain, docType: String? = nil) -> [String: CheckOutcome] {
        checks(chain, docType: docType).filter(\.value.isViolation)
    }

    private func checks(_ chain: SignerChain, docType: String? = nil) -> [String: CheckOutcome] {
        var list = CheckList(edition: .first)
        chain.recordIssuerChecks(in: &list, docType: docType ?? mDL, subject: "document")
        return [String: CheckOutcome](list.checks.map { ($0.id, $0.outcome) }, uniquingKeysWith: { first, _ in first })
    }

    private func chain(_ signer: SigningIdentity, _ authority: TestAuthority, at moment: Timestamp? = nil) -> SignerChain {
        SignerVerifier(anchors: authority.anchors, edition: .first)
            .issuer(x5chain: [signer.certificate.der], docType: mDL, at: moment ?? time)
    }

    @Test(arguments: Curve.allCases.filter(\.canSign)) func aGoodChainPassesEveryCheck(_ curve: Curve) throws {
        let authority = try authority(curve: curve)
        let chain = chain(authority.documentSigner, authority)
        #expect(chain.isTrusted)
        #expect(chain.key == authority.documentSigner.key.publicKey)
        #expect(chain.anchor == authority.iaca.certificate)
        #expect(checks(chain).filter { $0.value != .pass }.isEmpty)
    }

    @Test(arguments: [
        (TestAuthority.ChainFault.fromUnknownRoot, ["R11.path"]), (.signatureBroken, ["R11.signature"]),
        (.expired, ["R11.validity"]), (.unknownCritical, ["R11.critical", "R12.unknown-critical"]),
    ]) func aChainFaultTripsItsCheckAlone(_ fault: TestAuthority.ChainFault, _ expected: [String]) throws {
        let authority = try authority()
        let chain = chain(try authority.signer(.ds, with: fault), authority)
        #expect(!chain.isTrusted)
        #expect(Set(violations(chain).keys) == Set(expected))
        #expect(violations(chain).values.allSatisfy { $0 == .fail })
    }

    @Test func brokenProfileRulesFailForTheMDLAndWarnForOthers() throws {
        let authority = try authority()
        let chain = chain(try authority.documentSigner(breaking: "key-usage"), authority)
        #expect(violations(chain) == ["R12.key-usage": .fail])
        #expect(violations(chain, docType: "eu.europa.ec.eudi.pid.1") == ["R12.key-usage": .warn])
        #expect(chain.isTrusted)
    }

    @Test func anotherCountryThanTheRootsFails() throws {
        let authority = try authority()
        let chain = chain(try authority.documentSigner(breaking: "country-equal"), authority)
        #expect(violations(chain) == ["R12.country-equal": .fail, "R13.country": .fail])
    }

    @Test func aRootSentAlongIsReportedAndNotTrustedForIt() throws {
        let authority = try authority()
        let stranger = try TestAuthority(at: time, random: SeededRandom(seed: 9), organization: "Erewhon")
        let verifier = SignerVerifier(anchors: authority.anchors, edition: .first)
        let known = verifier.issuer(
            x5chain: [authority.documentSigner.certificate.der, authority.iaca.certificate.der], docType: mDL, at: time)
        let unknown = verifier.issuer(
            x5chain: [stranger.documentSigner.certificate.der, stranger.iaca.certificate.der], docType: mDL, at: time)
        #expect(violations(known) == ["R10.root": .fail])
        #expect(violations(unknown) == ["R10.root": .fail, "R11.path": .fail])
    }

    @Test func withoutAnchorsThePathIsNotRun() throws {
        let authority = try authority()
        let chain = SignerVerifier(anchors: .none, edition: .first)
            .issuer(x5chain: [authority.documentSigner.certificate.der], docType: mDL, at: time)
        #expect(checks(chain)["R11.path"] == .notRun(.noAnchors))
        #expect(checks(chain)["R11.signature"] == .notRun(.noAnchors))
        #expect(checks(chain)["R11.validity"] == .pass)
        #expect(violations(chain).isEmpty)
        #expect(!chain.isTrusted)
    }

    @Test func anchorsForOtherDocumentTypesDoNotCount() throws {
        let authority = try authority()
        let anchors = TrustAnchors([
            TrustAnchor(authority.iaca.certificate, role: .documents, docTypes: ["org.iso.23220.photoid.1"]),
            TrustAnchor(authority.readerAuthority.certificate, role: .documents, docTypes: [mDL]),
        ])
        let chain = SignerVerifier(anchors: anchors, edition: .first)
            .issuer(x5chain: [authority.documentSigner.certificate.der], docType: mDL, at: time)
        #expect(violations(chain) == ["R11.path": .fail])
    }

    @Test func anUnreadableCertificateFailsWithItsPlace() throws {
        let authority = try authority()
        let der = Array(authority.documentSigner.certificate.der.dropLast())
        let chain = SignerVerifier(anchors: authority.anchors, edition: .first).issuer(x5chain: [der], docType: mDL, at: time)
        #expect(chain.key == nil)
        #expect(chain.unreadable?.place == 0)
        #expect(violations(chain) == ["R11.path": .fail, "R12.der": .fail])
    }

    @Test func anIntermediateExceedsThePathLengthOfARoot() throws {
        let authority = try authority()
        let middle = try authority.maker.endEntity(.ds, "TEST Intermediate", issuer: authority.iaca) { builder in
            builder[.basicConstraints] = .basicConstraints(.init(isCA: true))
            builder[.keyUsage] = .keyUsage(.keyCertSign)
        }
        let leaf = try authority.maker.endEntity(.ds, issuer: middle)
        let chain = SignerVerifier(anchors: authority.anchors, edition: .first)
            .issuer(x5chain: [leaf.certificate.der, middle.certificate.der], docType: mDL, at: time)
        #expect(chain.result.findings.map(\.kind) == [.pathTooLong(allowed: 0)])
        #expect(violations(chain)["R11.path"] == .fail)
    }

    @Test func anEndEntityCannotIssue() throws {
        let authority = try authority()
        let leaf = try authority.maker.endEntity(.ds, issuer: authority.documentSigner)
        let chain = SignerVerifier(anchors: authority.anchors, edition: .first)
            .issuer(x5chain: [leaf.certificate.der, authority.documentSigner.certificate.der], docType: mDL, at: time)
        #expect(chain.result.findings.map(\.kind).contains(.notAuthority))
        #expect(!chain.isTrusted)
    }

    @Test func validityIsToleratedByTheSkewAndNoLonger() throws {
        let authority = try authority()
        let end = authority.documentSigner.certificate.notAfter
        #expect(chain(authority.documentSigner, authority, at: end.adding(seconds: 60)).isTrusted)
        #expect(!chain(authority.documentSigner, authority, at: end.adding(seconds: 61)).isTrusted)
    }

    @Test(arguments: [
        (TestAuthority.ChainFault.fromUnknownRoot, ["H8.path": CheckOutcome.fail]), (.signatureBroken, ["H8.path": .fail]),
        (.expired, ["H8.validity": .fail]), (.unknownCritical, ["H8.critical": .fail, "H8.unknown-critical": .warn]),
    ]) func aReadersChainFaultTripsItsCheckAlone(_ fault: TestAuthority.ChainFault, _ expected: [String: CheckOutcome]) throws {
        let authority = try authority()
        let signer = try authority.signer(.reader, with: fault)
        let chain = SignerVerifier(anchors: authority.anchors, edition: .first)
            .reader(x5chain: [signer.certificate.der], at: time)
        var list = CheckList(edition: .first)
        chain.recordReaderChecks(in: &list, enforce: false, subject: "docRequest 0")
        let found = list.checks.filter(\.outcome.isViolation).map { ($0.id, $0.outcome) }
        #expect([String: CheckOutcome](found, uniquingKeysWith: { first, _ in first }) == expected)
    }
}

@Suite struct SignerCacheTests {
    let time = TestPKI.time
    let mDL = "org.iso.18013.5.1.mDL"

    @Test func remembersAGoodChainUntilItsValidityEnds() throws {
        let authority = try TestAuthority(at: time, random: SeededRandom(seed: 5))
        let cache = SignerCache()
        let verifier = SignerVerifier(anchors: authority.anchors, edition: .first, cache: cache)
        let x5chain = [authority.documentSigner.certificate.der]
        let first = verifier.issuer(x5chain: x5chain, docType: mDL, at: time)
        let second = verifier.issuer(x5chain: x5chain, docType: mDL, at: time.adding(days: 1))
        #expect(first.key === second.key)
        #expect(cache.count == 1)
        let late = verifier.issuer(x5chain: x5chain, docType: mDL, at: time.adding(days: 500))
        #expect(!late.isTrusted)
        #expect(cache.count == 0)
    }

    @Test func aChangeOfTrustForgets() throws {
        let authority = try TestAuthority(at: time, random: SeededRandom(seed: 5))
        let cache = SignerCache()
        let x5chain = [authority.documentSigner.certificate.der]
        let trusting = SignerVerifier(anchors: authority.anchors, edition: .first, cache: cache)
        #expect(trusting.issuer(x5chain: x5chain, docType: mDL, at: time).isTrusted)
        let distrusting = SignerVerifier(
            anchors: TrustAnchors([TrustAnchor(authority.readerAuthority.certificate, role: .documents)]), edition: .first,
            cache: cache)
        #expect(!distrusting.issuer(x5chain: x5chain, docType: mDL, at: time).isTrusted)
    }

    @Test func aSignerOfDocumentsIsNoReader() throws {
        let authority = try TestAuthority(at: time, random: SeededRandom(seed: 5))
        let verifier = SignerVerifier(anchors: authority.anchors, edition: .first)
        let x5chain = [authority.documentSigner.certificate.der]
        #expect(verifier.issuer(x5chain: x5chain, docType: mDL, at: time).isTrusted)
        #expect(!verifier.reader(x5chain: x5chain, at: time).isTrusted)
    }

    @Test func untrustedChainsAreNotRemembered() throws {
        let authority = try TestAuthority(at: time, random: SeededRandom(seed: 5))
        let cache = SignerCache()
        let verifier = SignerVerifier(anchors: .none, edition: .first, cache: cache)
        _ = verifier.issuer(x5chain: [authority.documentSigner.certificate.der], docType: mDL, at: time)
        #expect(cache.count == 0)
    }

    @Test func theLeastRecentlyUsedSignerGoesFirst() throws {
        let authority = try TestAuthority(at: time, random: SeededRandom(seed: 5))
        let cache = SignerCache(capacity: 2)
        let verifier = SignerVerifier(anchors: authority.anchors, edition: .first, cache: cache)
        let signers = try (0..<3).map { _ in try authority.maker.endEntity(.ds, issuer: authority.iaca).certificate.der }
        let first = verifier.issuer(x5chain: [signers[0]], docType: mDL, at: time)
        let second = verifier.issuer(x5chain: [signers[1]], docType: mDL, at: time)
        #expect(verifier.issuer(x5chain: [signers[0]], docType: mDL, at: time).key === first.key)
        _ = verifier.issuer(x5chain: [signers[2]], docType: mDL, at: time)
        #expect(cache.count == 2)
        #expect(verifier.issuer(x5chain: [signers[0]], docType: mDL, at: time).key === first.key)
        #expect(verifier.issuer(x5chain: [signers[1]], docType: mDL, at: time).key !== second.key)
    }
}
