import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// A reader that signs requests, and the holder's verifier that trusts its root.
struct ReaderStage {
    static let time = TestPKI.time
    static let mDL = "org.iso.18013.5.1.mDL"
    static let nameSpace = "org.iso.18013.5.1"

    let authority: TestAuthority
    let transcript: SessionTranscript

    init(edition: Edition = .first) throws {
        authority = try TestAuthority(at: Self.time, random: SeededRandom(seed: 7), edition: edition)
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.null()
        encoder.null()
        encoder.text("test")
        transcript = try SessionTranscript(encoded: encoder.bytes)
    }

    static func items(
        _ elements: [String] = ["family_name"], info: DocRequestInfo? = nil
    ) -> Embedded<ItemsRequest> {
        Embedded(
            ItemsRequest(
                docType: mDL, nameSpaces: [(nameSpace, elements.map { ($0, false) })],
                requestInfo: info.map { info in CBOR(encoding: { $0.encode(info) }) }))
    }

    /// A docRequest signed by `identity`, by default the reader whose root the holder trusts.
    func signed(
        _ items: Embedded<ItemsRequest> = items(), by identity: SigningIdentity? = nil, algorithm: COSEAlgorithm = .es256,
        spoiling: Bool = false
    ) async throws -> DocRequest {
        let identity = identity ?? authority.reader
        let payload = ReaderAuthentication.bytes(transcript: transcript, itemsRequest: items)
        return DocRequest(itemsRequest: items, readerAuth: try await sign(payload, identity, algorithm, spoiling: spoiling))
    }

    func sign(
        _ payload: [UInt8], _ identity: SigningIdentity, _ algorithm: COSEAlgorithm = .es256, spoiling: Bool = false
    ) async throws -> COSESign1 {
        try await COSESign1.sign(
            payload, algorithm: algorithm, unprotected: COSEHeaders(x5chain: [identity.certificate.der]), detached: true
        ) { toBeSigned throws(CryptoError) in
            var signature = try identity.key.sign(toBeSigned, hash: algorithm.hash, nonce: .deterministic)
            if spoiling { signature[0] ^= 1 }
            return signature
        }
    }

    func verify(
        _ request: [UInt8], policy: ReaderPolicy = .warn, edition: Edition = .first, at time: Timestamp = time
    ) -> RequestReport {
        let readers = SignerVerifier(anchors: authority.anchors, edition: edition)
        return RequestVerifier(readers: readers, policy: policy).verify(request, over: transcript, at: time)
    }

    func verify(_ request: DeviceRequest, policy: ReaderPolicy = .warn, edition: Edition = .first) -> RequestReport {
        verify(request.encodedCBOR, policy: policy, edition: edition)
    }
}

extension RequestReport {
    /// `H7.doc fail`, `H8.eku warn`…
    var violations: [String] {
        checks.checks.filter { $0.outcome.isViolation }.map { "\($0.id) \($0.outcome.word)" }
    }

    func outcome(_ id: String, _ subject: String = "request") -> CheckOutcome? { checks.check(id, subject)?.outcome }
}

struct RequestVerifierTests {
    @Test(arguments: [ReaderPolicy.warn, .require])
    func aTrustedReaderPasses(policy: ReaderPolicy) async throws {
        let stage = try ReaderStage()
        let report = stage.verify(DeviceRequest(docRequests: [try await stage.signed()]), policy: policy)
        #expect(report.violations == [])
        #expect(report.outcome("H7.doc", "docRequest 0") == .pass)
        #expect(report.outcome("H8.path", "docRequest 0") == .pass)
        #expect(report.reader == RequestReport.Reader(name: "Utopia TEST Reader", isTrusted: true))
        #expect(report.responseStatus == nil)
        #expect(!report.isRefusedByPolicy)
    }

    @Test func aWrongSignatureFailsUnderEveryPolicyThatLooks() async throws {
        let stage = try ReaderStage()
        let request = DeviceRequest(docRequests: [try await stage.signed(spoiling: true)])
        let report = stage.verify(request)
        #expect(report.violations == ["H7.doc fail"])
        #expect(report.checks.check("H7.doc", "docRequest 0")?.reason == "reader signature of docRequest 0 invalid")
        #expect(report.readers == [RequestReport.Reader(name: "Utopia TEST Reader", isTrusted: false)])
        #expect(stage.verify(request, policy: .require).isRefusedByPolicy)
        #expect(stage.verify(request, policy: .off).violations == [])
        #expect(stage.verify(request, policy: .off).outcome("H7.doc", "docRequest 0") == .notRun(.policyOff))
    }

    @Test func aSignatureOverAnotherSessionFails() async throws {
        let stage = try ReaderStage()
        let request = DeviceRequest(docRequests: [try await stage.signed()])
        let other = try SessionTranscript(encoded: [0x83, 0xF6, 0xF6, 0xF6])
        let readers = SignerVerifier(anchors: stage.authority.anchors, edition: .first)
        let report = RequestVerifier(readers: readers).verify(request.encodedCBOR, over: other, at: ReaderStage.time)
        #expect(report.violations == ["H7.doc fail"])
    }

    @Test(arguments: [(ReaderPolicy.warn, "H7.absent warn"), (.require, "H7.absent fail")])
    func anUnsignedRequestCountsByPolicy(policy: ReaderPolicy, violation: String) throws {
        let stage = try ReaderStage()
        let report = stage.verify(DeviceRequest(docRequests: [DocRequest(itemsRequest: ReaderStage.items())]), policy: policy)
        #expect(report.violations == [violation])
        #expect(report.isRefusedByPolicy == (policy == .require))
        #expect(report.readers == [nil])
    }

    @Test func anAlgorithmOfAnotherCurveFails() async throws {
        let stage = try ReaderStage()
        let report = stage.verify(DeviceRequest(docRequests: [try await stage.signed(algorithm: .es384)]))
        #expect(report.violations == ["H7.alg fail"])
        #expect(report.outcome("H7.doc", "docRequest 0") == .notRun(.needs("H7.alg")))
    }

    @Test func anAlgorithmOutsideTheProtectedHeaderFails() async throws {
        let stage = try ReaderStage()
        let signed = try #require(try await stage.signed().readerAuth)
        let chain = COSEHeaders(algorithm: .es256, x5chain: [stage.authority.reader.certificate.der])
        let moved = COSESign1(protected: .empty, unprotected: chain, payload: nil, signature: signed.signature)
        let report = stage.verify(DeviceRequest(docRequests: [DocRequest(itemsRequest: ReaderStage.items(), readerAuth: moved)]))
        #expect(report.violations == ["H7.alg fail"])
    }

    @Test(arguments: [(ReaderPolicy.warn, "warn"), (.require, "fail")])
    func aBrokenProfileNamesItsRule(policy: ReaderPolicy, word: String) async throws {
        let stage = try ReaderStage()
        let identity = try stage.authority.reader(breaking: "key-usage")
        let report = stage.verify(DeviceRequest(docRequests: [try await stage.signed(by: identity)]), policy: policy)
        #expect(report.violations == ["H8.key-usage \(word)"])
    }

    @Test(arguments: [(ReaderPolicy.warn, "warn"), (.require, "fail")])
    func aReaderOfAnUnknownAuthorityHasNoPath(policy: ReaderPolicy, word: String) async throws {
        let stage = try ReaderStage()
        let stranger = try TestPKI.authority(seed: 9, organization: "Nowhere").reader
        let report = stage.verify(DeviceRequest(docRequests: [try await stage.signed(by: stranger)]), policy: policy)
        #expect(report.violations == ["H8.path \(word)"])
        #expect(report.readers.first??.isTrusted == false)
    }

    @Test func anExpiredReaderIsNotValid() async throws {
        let stage = try ReaderStage()
        let request = DeviceRequest(docRequests: [try await stage.signed()]).encodedCBOR
        let later = ReaderStage.time.adding(seconds: 500 * 86400)
        #expect(stage.verify(request, policy: .require, at: later).violations == ["H8.validity fail"])
    }

    @Test func anUnknownCriticalExtensionFails() async throws {
        let stage = try ReaderStage()
        let identity = try stage.authority.reader(breaking: "unknown-critical")
        let report = stage.verify(DeviceRequest(docRequests: [try await stage.signed(by: identity)]), policy: .require)
        #expect(Set(report.violations) == ["H8.critical fail", "H8.unknown-critical fail"])
    }

    @Test func withoutAnchorsThePathIsNotRun() async throws {
        let stage = try ReaderStage()
        let request = DeviceRequest(docRequests: [try await stage.signed()]).encodedCBOR
        let report = RequestVerifier(readers: SignerVerifier(anchors: .none, edition: .first))
            .verify(request, over: stage.transcript, at: ReaderStage.time)
        #expect(report.outcome("H8.path", "docRequest 0") == .notRun(.noAnchors))
        #expect(report.outcome("H7.doc", "docRequest 0") == .pass)
        #expect(report.readers.first??.isTrusted == false)
    }
}

/// What the holder answers to requests that it cannot read.
struct RequestFormTests {
    private func request(_ version: String = "1.0", _ docRequest: CBOR, more: [(CBOR, CBOR)] = []) -> [UInt8] {
        CBOR.map([(.text("version"), .text(version)), (.text("docRequests"), .array([docRequest]))] + more).encoded
    }

    private var items: CBOR {
        CBOR(encoding: { $0.raw(ReaderStage.items().encoded) })
    }

    private func verify(_ bytes: [UInt8], edition: Edition = .first) throws -> RequestReport {
        try ReaderStage().verify(bytes, policy: .off, edition: edition)
    }

    @Test func brokenCBORIsRefusedWithStatus11() throws {
        let report = try verify([0xA2, 0x67])
        #expect(report.violations == ["H4.cbor fail"])
        #expect(report.responseStatus == 11)
        #expect(report.outcome("H5.shape") == .notRun(.needs("H4.cbor")))
        #expect(report.request == nil)
    }

    @Test func anotherMajorVersionIsRefusedWithStatus10() throws {
        let report = try verify(request("2.0", .map([(.text("itemsRequest"), items)])))
        #expect(report.violations == ["H4.major fail"])
        #expect(report.responseStatus == 10)
        #expect(report.outcome("H4.cbor") == .pass)
    }

    @Test func anItemsRequestOutsideTag24IsRefusedWithStatus12() throws {
        let bare = CBOR(encoding: { $0.raw(Array(ReaderStage.items().content)) })
        let report = try verify(request("1.0", .map([(.text("itemsRequest"), bare)])))
        #expect(report.violations == ["H5.tag fail"])
        #expect(report.responseStatus == 12)
    }

    @Test func aMissingMemberIsRefusedWithStatus12AndNamed() throws {
        let empty = CBOR(encoding: { $0.embedded(CBOR.map([(.text("docType"), .text("x"))]).encoded) })
        let report = try verify(request("1.0", .map([(.text("itemsRequest"), empty)])))
        #expect(report.violations == ["H5.shape fail"])
        #expect(report.responseStatus == 12)
        #expect(report.checks.check("H5.shape", "request")?.reason?.contains("nameSpaces") == true)
    }

    @Test func aMinorVersionThatDoesNotFitWarns() throws {
        let report = try verify(request("1.1", .map([(.text("itemsRequest"), items)])))
        #expect(report.violations == ["H4.minor warn"])
        #expect(report.responseStatus == nil)
    }

    @Test func unknownMembersAreIgnored() throws {
        let report = try verify(
            request("1.0", .map([(.text("itemsRequest"), items), (.text("x"), .int(1))]), more: [(.int(7), .null)]))
        #expect(report.violations == [])
    }

    @Test func longHeadsWarn() throws {
        let good = request("1.0", .map([(.text("itemsRequest"), items)]))
        let report = try verify([0xB9, 0x00, 0x02] + good.dropFirst())
        #expect(report.violations == ["P13 warn"])
    }

    @Test func threeAgeQuestionsWarn() throws {
        let items = ReaderStage.items(["age_over_18", "age_over_21", "age_over_65"])
        let stage = try ReaderStage()
        let report = stage.verify(DeviceRequest(docRequests: [DocRequest(itemsRequest: items)]), policy: .off)
        #expect(report.violations == ["H11 warn"])
        let two = DocRequest(itemsRequest: ReaderStage.items(["age_over_18", "age_over_21"]))
        #expect(stage.verify(DeviceRequest(docRequests: [two]), policy: .off).outcome("H11", "docRequest 0") == .pass)
    }

    @Test func aUseCaseOfADocRequestThatIsNotThereIsRefusedInTheSecondEditionOnly() throws {
        let info = DeviceRequestInfo(useCases: [.init(mandatory: true, documentSets: [[4]])])
        let request = DeviceRequest(
            docRequests: [DocRequest(itemsRequest: ReaderStage.items())], deviceRequestInfo: Embedded(info))
        let report = try verify(request.encodedCBOR, edition: .second)
        #expect(report.violations == ["H12.shape fail"])
        #expect(report.responseStatus == 12)
        #expect(try verify(request.encodedCBOR).responseStatus == nil)
    }
}

struct SecondEditionRequestTests {
    private func request(_ stage: ReaderStage, spoiling: Bool = false) async throws -> DeviceRequest {
        let items = [ReaderStage.items(), ReaderStage.items(["portrait"])]
        let payload = ReaderAuthenticationAll.bytes(
            transcript: stage.transcript, itemsRequests: items, deviceRequestInfo: nil)
        let signature = try await stage.sign(payload, stage.authority.reader, spoiling: spoiling)
        return DeviceRequest(docRequests: items.map { DocRequest(itemsRequest: $0) }, readerAuthAll: [signature])
    }

    @Test func oneSignatureOverAllCountsForEach() async throws {
        let stage = try ReaderStage(edition: .second)
        let report = stage.verify(try await request(stage), policy: .require, edition: .second)
        #expect(report.violations.filter { !$0.hasPrefix("H8.") } == [])
        #expect(report.outcome("H7.all", "readerAuthAll 0") == .pass)
        #expect(report.outcome("H7.absent", "docRequest 1") == .pass)
        #expect(report.reader?.isTrusted == true)
    }

    @Test func aWrongOneFails() async throws {
        let stage = try ReaderStage(edition: .second)
        let report = stage.verify(try await request(stage, spoiling: true), edition: .second)
        #expect(report.violations.contains("H7.all fail"))
        #expect(report.reader?.isTrusted == false)
    }

    @Test func theFirstEditionIgnoresIt() async throws {
        let stage = try ReaderStage()
        let report = stage.verify(try await request(stage))
        #expect(report.violations == ["H7.absent warn", "H7.absent warn"])
        #expect(report.outcome("H7.all") == .notRun(.edition))
    }
}
