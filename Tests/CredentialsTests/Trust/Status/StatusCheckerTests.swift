import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// Every T check of status lists, tripped by a list that breaks its rule alone; and what policies make of it.
@Suite struct StatusCheckerTests {
    private func row(_ id: String, _ report: PresentationReport) -> Check? { report.checks.first { $0.id == id } }

    private func isOpen(_ check: Check?) -> Bool { check?.isUndetermined ?? false }

    @Test func aListThatSaysValidCompletesTheReport() async throws {
        let stage = try StatusStage()
        let resource = Resource(try await stage.maker().cwt(stage.list), contentType: "application/statuslist+cwt")
        let report = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), [StatusStage.uri: resource])
        #expect(report.documents.first?.status == "valid")
        #expect(row("R28.status", report)?.outcome == .pass)
        #expect(row("R28.mdl-values", report)?.outcome == .pass)
        #expect(report.checks.filter { $0.id.hasPrefix("T1") && $0.outcome != .pass && !$0.isUndetermined }.map(\.id) == [])
        #expect(report.checks.filter { $0.id == "R28.status" }.count == 1)
    }

    @Test(arguments: [(UInt8(1), 1, "invalid"), (2, 2, "suspended")])
    func revokedAndSuspendedFailUnderEveryPolicy(value: UInt8, bits: Int, word: String) async throws {
        var stage = try StatusStage()
        stage.list = StatusList(bits: bits, count: 64)
        stage.list.set(value, at: 7)
        let resource = Resource(try await stage.maker().cwt(stage.list))
        for policy in [TrustPolicy.enforce, .warning] {
            let report = try await stage.completed(
                StatusReference(.index(7), uri: StatusStage.uri), [StatusStage.uri: resource], policy: policy)
            #expect(report.documents.first?.status == word)
            #expect(row("R28.status", report)?.outcome == .fail)
            #expect(row("T19.value", report)?.outcome == .fail)
            #expect(report.verdict == .fail)
        }
    }

    static let openFaults: [(StatusListMaker.Fault, String)] = [
        (.type, "T11.typ"), (.signature, "T12.signature"), (.algorithm, "T12.alg"), (.chain, "T12.chain"),
        (.wrongSubject, "T14"), (.issuedLater, "T15.iat"), (.expired, "T15.exp"), (.bits, "T17.bits"), (.zlib, "T17.zlib"),
        (.limit, "T17.limit"),
    ]

    @Test(arguments: openFaults) func aListThatCannotBeUsedIsNeitherGoodNorRevoked(
        _ fault: StatusListMaker.Fault, _ check: String
    ) async throws {
        let stage = try StatusStage()
        let resource = Resource(try await stage.maker(fault).cwt(stage.list))
        let reference = StatusReference(.index(7), uri: StatusStage.uri)
        let strict = try await stage.completed(reference, [StatusStage.uri: resource])
        #expect(isOpen(row(check, strict)), "\(String(describing: row(check, strict)))")
        #expect(isOpen(row("R28.status", strict)))
        #expect(strict.documents.first?.status == "undetermined")
        #expect(strict.verdict == .undetermined)
        let others = strict.checks.filter { $0.isUndetermined && $0.id.hasPrefix("T1") && $0.id != check }
        #expect(others.map(\.id) == [], "a fault trips its own check alone")
        let lenient = try await stage.completed(reference, [StatusStage.uri: resource], policy: .warning)
        #expect(row("R28.status", lenient)?.outcome == .warn)
        #expect(lenient.verdict == .pass)
    }

    @Test(arguments: [(StatusListMaker.Fault.shortType, "T11.short"), (.noExpiry, "T15.exp-present")])
    func whatIsOnlyUntidyWarns(_ fault: StatusListMaker.Fault, _ check: String) async throws {
        let stage = try StatusStage()
        let resource = Resource(try await stage.maker(fault).cwt(stage.list))
        let report = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), [StatusStage.uri: resource])
        #expect(row(check, report)?.outcome == .warn)
        #expect(report.documents.first?.status == "valid")
    }

    @Test func theListOfAnMdocIsACWT() async throws {
        let stage = try StatusStage()
        let resource = Resource(try await stage.maker().jwt(stage.list), contentType: "application/statuslist+jwt")
        let report = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), [StatusStage.uri: resource])
        #expect(isOpen(row("T10.form", report)))
        #expect(report.documents.first?.status == "undetermined")
    }

    @Test func theDocumentSignerItselfMayNotSignTheList() async throws {
        let stage = try StatusStage()
        let own = try await stage.maker(signer: stage.stage.authority.documentSigner).cwt(stage.list)
        let report = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), [StatusStage.uri: Resource(own)])
        #expect(isOpen(row("T13.signer", report)))
    }

    @Test func aSignerUnderAnotherRootSpeaksOnlyWhereTheDocumentNamesIt() async throws {
        let stage = try StatusStage()
        let stranger = try TestPKI.authority(seed: 9, organization: "Erewhon")
        let signer = try stranger.maker.endEntity(.status, issuer: stranger.iaca)
        let resources = [StatusStage.uri: Resource(try await stage.maker(signer: signer).cwt(stage.list))]
        let plain = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), resources)
        #expect(isOpen(row("T13.signer", plain)))
        let named = try await stage.completed(
            StatusReference(.index(7), uri: StatusStage.uri, certificate: stranger.iaca.certificate.der), resources)
        #expect(row("T13.signer", named)?.outcome == .pass)
        #expect(named.documents.first?.status == "valid")
    }

    @Test func anIndexOutsideTheListRejectsTheDocument() async throws {
        let stage = try StatusStage()
        let resources = [StatusStage.uri: Resource(try await stage.maker().cwt(stage.list))]
        let reference = StatusReference(.index(1024), uri: StatusStage.uri)
        let report = try await stage.completed(reference, resources)
        #expect(row("T18", report)?.outcome == .fail)
        #expect(report.verdict == .fail)
        #expect(try await stage.completed(reference, resources, policy: .warning).verdict == .pass)
    }

    @Test func applicationStatusesWarnUnlessTheSettingsKnowThem() async throws {
        var stage = try StatusStage()
        stage.list = StatusList(bits: 4, count: 64)
        stage.list.set(0x0C, at: 7)
        stage.list.set(0x0B, at: 8)
        let source = MemorySource([StatusStage.uri: Resource(try await stage.maker().cwt(stage.list))])
        let pid = PresentationStage.pid
        let plain = try await stage.report(StatusReference(.index(7), uri: StatusStage.uri).cbor, docType: pid)
        func completed(_ policy: StatusPolicy, _ report: PresentationReport) async -> PresentationReport {
            await StatusChecker(policy: policy, source: source, edition: .first).completed(report)
        }
        let unknown = await completed(StatusPolicy(.enforce), plain)
        #expect(unknown.documents.first?.status == "application:0x0C")
        #expect(row("R28.status", unknown)?.outcome == .warn)
        #expect(row("R28.status", await completed(StatusPolicy(.enforce, meanings: [0x0C: true]), plain))?.outcome == .pass)
        #expect(row("R28.status", await completed(StatusPolicy(.enforce, meanings: [0x0C: false]), plain))?.outcome == .fail)
        let reserved = try await stage.report(StatusReference(.index(8), uri: StatusStage.uri).cbor, docType: pid)
        #expect(isOpen(row("T19.reserved", await completed(StatusPolicy(.enforce), reserved))))
    }

    @Test func anIdentifierThatIsListedIsRevoked() async throws {
        let stage = try StatusStage()
        let resources = [StatusStage.uri: Resource(try await stage.maker().cwt(identifiers: [[1], [2]]))]
        let listed = try await stage.completed(StatusReference(.identifier([2]), uri: StatusStage.uri), resources)
        #expect(row("T32", listed)?.outcome == .fail)
        #expect(listed.documents.first?.status == "invalid")
        let other = try await stage.completed(StatusReference(.identifier([3]), uri: StatusStage.uri), resources)
        #expect(other.documents.first?.status == "valid")
        let wrong = [StatusStage.uri: Resource(try await stage.maker(.identifierClaim).cwt(identifiers: []))]
        #expect(isOpen(row("T30", try await stage.completed(StatusReference(.identifier([3]), uri: StatusStage.uri), wrong))))
    }

    @Test func nothingIsFetchedForADocumentOfAStranger() async throws {
        let stage = try StatusStage()
        let report = try await stage.report(StatusReference(.index(7), uri: StatusStage.uri).cbor)
        let source = CountingSource(.failure(ResourceError("", "is never asked")))
        let strangers = PresentationVerifier(signers: SignerVerifier(anchors: .none, edition: .first))
        _ = strangers
        var document = try #require(report.documents.first)
        let query = try #require(document.statusQuery)
        document.statusQuery = StatusQuery(
            subject: query.subject, type: query.type, claim: query.claim, form: .cwt, signer: query.signer, isGenuine: false,
            cause: "R11.path")
        let completed = await StatusChecker(policy: StatusPolicy(.enforce), source: source, edition: .first).completed(
            PresentationReport(at: report.at, checks: CheckList(edition: .first), documents: [document]))
        #expect(isOpen(row("R28.status", completed)))
        #expect(!completed.checks.contains { $0.id == "T10.fetch" })
    }

    @Test func policyOffLeavesTheRowsAsTheyAre() async throws {
        let stage = try StatusStage()
        let report = try await stage.completed(StatusReference(.index(7), uri: StatusStage.uri), [:], policy: .off)
        #expect(row("R28.status", report)?.outcome == .notRun(.policyOff))
        let overridden = StatusChecker(
            policy: StatusPolicy(.off, byType: ["org.iso.18013.5.1.mDL": .enforce]), source: MemorySource([:]), edition: .first)
        let completed = await overridden.completed(try await stage.report(StatusReference(.index(7), uri: StatusStage.uri).cbor))
        #expect(isOpen(row("T10.fetch", completed)))
    }

    // MARK: CRLs

    private func revocationReport(_ list: [UInt8]?, memory: StatusMemory = StatusMemory()) async throws -> PresentationReport {
        let stage = try StatusStage()
        let uri = "https://pki.utopia.example/test.crl"
        let source = MemorySource(list.map { [uri: Resource($0)] } ?? [:])
        let checker = StatusChecker(
            policy: StatusPolicy(.enforce), source: source, cache: StatusCache(memory: memory), edition: .first)
        return await checker.completed(try await stage.report(nil))
    }

    @Test func aRevokedSignerFails() async throws {
        let authority = try StatusStage().stage.authority
        let list = try authority.maker.revocationList(
            of: authority.iaca, revoking: [authority.documentSigner.certificate.serialNumber])
        let report = try await revocationReport(list.der)
        #expect(row("R11.revoked", report)?.outcome == .fail)
        let clean = try await revocationReport(try authority.maker.revocationList(of: authority.iaca).der)
        #expect(row("R11.revoked", clean)?.outcome == .pass)
    }

    @Test(arguments: [("signature", "T40.signature"), ("current", "T41.current"), ("issuer-bytes", "T40.issuer")])
    func aCRLThatCannotBeUsedLeavesItOpen(rule: String, check: String) async throws {
        let authority = try StatusStage().stage.authority
        let report = try await revocationReport(
            try authority.maker.revocationList(of: authority.iaca, breaking: rule).der)
        #expect(isOpen(row(check, report)))
        #expect(isOpen(row("R11.revoked", report)))
    }

    @Test func noCRLLeavesItOpen() async throws {
        let report = try await revocationReport(nil)
        #expect(isOpen(row("T40.fetch", report)))
        #expect(isOpen(row("R11.revoked", report)))
        #expect(isOpen(row("T40.fetch", try await revocationReport([0x30, 0x00]))))
    }

    @Test func aNumberThatGoesBackWarns() async throws {
        let authority = try StatusStage().stage.authority
        let list = try authority.maker.revocationList(of: authority.iaca, number: 3).der
        let uri = "https://pki.utopia.example/test.crl"
        let later = try await revocationReport(list, memory: StatusMemory(numbers: [uri: [0, 4]]))
        #expect(row("T41.number", later)?.outcome == .warn)
        let earlier = try await revocationReport(list, memory: StatusMemory(numbers: [uri: [2]]))
        #expect(row("T41.number", earlier)?.outcome == .pass)
    }
}
