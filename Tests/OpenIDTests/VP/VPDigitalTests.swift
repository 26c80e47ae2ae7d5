import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

@testable import OpenID

/// The Digital Credentials API offline: several signatures, and ISO/IEC TS 18013-7 Annex C.
struct VPDigitalTests {
    private func multiSigned(_ faults: [String] = []) async throws -> VPResolution {
        let stage = try await VPStage()
        var order = VPOrder(try DCQLQuery(VPStage.both))
        order.mode = .dcAPIJWT
        order.origins = [VPStage.origin]
        let verifier = try stage.verifier(try await stage.identity(), faults: faults)
        let transaction = try await verifier.begin(order)
        let request = try await verifier.multiSignedRequest(transaction, others: [try await stage.identity(.did)])
        let input = try RequestInput(JSON.object(["digital": ["requests": [request]]]).encoded())
        guard case .resolved(let resolution) = stage.wallet().open(input, origin: VPStage.origin, at: VPStage.time) else {
            throw VPExchangeTests.Mismatch()
        }
        return resolution
    }

    private func violations(_ resolution: VPResolution) -> [String] {
        resolution.checks.checks.filter(\.outcome.isViolation).map(\.id)
    }

    @Test func aRequestOfTwoIdentitiesIsKnownByTheFirst() async throws {
        let resolution = try await multiSigned()
        #expect(violations(resolution) == [])
        guard case .success(let request) = resolution.result else { throw VPExchangeTests.Mismatch() }
        #expect(request.client.identifier.prefix == .x509Hash)
        #expect(request.binding.audience == "origin:\(VPStage.origin)")
    }

    @Test func oneWrongSignatureOfTwoIsAWarning() async throws {
        let resolution = try await multiSigned(["multisigned-one-invalid"])
        #expect(violations(resolution) == ["VD4.one"])
        guard case .success(let request) = resolution.result else { throw VPExchangeTests.Mismatch() }
        #expect(request.client.identifier.prefix == .decentralizedIdentifier)
    }

    @Test func aClientIdentifierOutsideTheProtectedHeaderIsRefused() async throws {
        let resolution = try await multiSigned(["multisigned-header"])
        #expect(violations(resolution) == ["VD4.header"])
        #expect(!resolution.isSuccess)
    }

    // MARK: Annex C

    /// ANNEXC-DETERMINISTIC-001 of walt-id/waltid-identity (waltid-18013-7-verifier, Apache-2.0).
    @Test func thePublishedResponseOpens() throws {
        let info = try AnnexC.EncryptionInfo(
            "gmVkY2FwaaJlbm9uY2VQAAECAwQFBgcICQoLDA0OD3JyZWNpcGllbnRQdWJsaWNLZXmkAQIgASFYILO0LJXwA8VAp7-rI9YIJvj1wfEQ122YdEjwxUFeYAFEIlgg0u68CgTFZk_nslWFmYhDMQQ6vdBNf2vwy3QHKI_80Js"
        )
        let key = try PrivateKey(
            curve: .p256, scalar: try Hex.decode("9baeb7b14495d7b69cbe751a98c7ee4ad36b41053da880fe00baa4bb5ce31372"))
        let response =
            "gmVkY2FwaaJjZW5jWEEEG5gvoNUFmbbhxRtSl075PExgPLGtxDb9Hxu_VnVe03aaHuJ-vW219YofqLJJGUHZKgrrjcEmoLYT0ur35BJCBGpjaXBoZXJUZXh0WCXUGzq3WpzY3INchUZw8cbzbz8bWJueKZ4PLW0LEvhDmmQPAKOa"
        let bytes = try AnnexC.open(response, info, origin: "https://verifier.example", key: key)
        #expect(Hex.encode(bytes) == "a26776657273696f6e63312e306673746174757300")
        #expect(
            Hex.encode(try AnnexC.transcript(info, origin: "https://verifier.example").encoded)
                == "83f6f68265646361706958203ce0149e8bbf604186a904b8685614cbee8db6c0a64409f7330f2181586f197c")
    }

    private struct Annex {
        let stage: VPStage
        let key: PrivateKey
        let info: AnnexC.EncryptionInfo

        init() async throws {
            stage = try await VPStage()
            key = try PrivateKey.generate(.p256, random: stage.random)
            info = AnnexC.EncryptionInfo(key: key.publicKey, nonce: stage.random.bytes(16))
        }

        /// What a wallet would send from one page and for another.
        func response(signedFor origin: String, sealedFor place: String) async throws -> String {
            let presenter = Presenter(keyStore: stage.keyStore, deviceAuth: .signature)
            let element = ElementReference(nameSpace: "org.iso.18013.5.1", identifier: "family_name")
            let request = PresentationRequest(documents: [
                .init(id: "0", docType: "org.iso.18013.5.1.mDL", elements: [.init(element, intentToRetain: false)])
            ])
            let documents = stage.credentials.compactMap(\.mdoc)
            let proposal = presenter.propose(request, to: nil, from: documents)
            let consent = try #require(await Consent.obtain(for: proposal, from: AutomaticConsent(), at: VPStage.time))
            let transcript = try AnnexC.transcript(info, origin: origin)
            let presentation = try await presenter.deviceResponse(consent, over: transcript, unlock: .automatic)
            return try AnnexC.seal(
                presentation.bytes, info, origin: place, ephemeral: PrivateKey.generate(.p256, random: stage.random))
        }

        func verify(_ response: String, _ infoText: String? = nil) -> PresentationReport {
            AnnexC.verify(
                response, encryptionInfo: infoText ?? info.text, origin: VPStage.origin, key: key, request: nil,
                by: PresentationVerifier(signers: SignerVerifier(anchors: stage.authority.anchors, edition: .first)),
                at: VPStage.time)
        }
    }

    private func failures(_ report: PresentationReport) -> [String] { report.checks.filter { $0.outcome == .fail }.map(\.id) }

    @Test func aResponseUnderAnnexCIsSealedAndVerified() async throws {
        let annex = try await Annex()
        let report = annex.verify(try await annex.response(signedFor: VPStage.origin, sealedFor: VPStage.origin))
        #expect(failures(report) == [])
        #expect(report.verdict == .pass)
        #expect(report.checks.first { $0.id == "VD7.transcript" }?.outcome == .pass)
    }

    @Test func faultsOfAnnexCAreToldApart() async throws {
        let annex = try await Annex()
        let good = try await annex.response(signedFor: VPStage.origin, sealedFor: VPStage.origin)
        // annex-c-encryption-info
        #expect(failures(annex.verify(good, "gmVkY2FwaaA")) == ["VD7.info"])
        // annex-c-hpke
        let elsewhere = try await annex.response(signedFor: VPStage.origin, sealedFor: "https://other.example")
        #expect(failures(annex.verify(elsewhere)) == ["VD7.hpke"])
        // annex-c-transcript
        let replayed = try await annex.response(signedFor: "https://other.example", sealedFor: VPStage.origin)
        #expect(Set(failures(annex.verify(replayed))) == ["VD7.transcript", "R24.signature"])
    }

    // MARK: the verifier over Annex C

    /// The verifier asks, a wallet of this process answers for a page.
    private func exchanged(_ query: JSON, answeringFor origin: String = VPStage.origin) async throws -> (VPReceipt, VPTransaction?)
    {
        let stage = try await VPStage()
        let verifier = try stage.verifier(try await stage.identity())
        var order = VPOrder(try DCQLQuery(query))
        order.mode = .dcAPIJWT
        order.origins = [VPStage.origin]
        let transaction = try await verifier.begin(order)
        let data = try #require(verifier.annexCRequest(transaction)?["data"])
        let info = try AnnexC.EncryptionInfo(try #require(data["encryptionInfo"]?.stringValue))
        let request = try DeviceRequest(decoding: Base64URL.decode(try #require(data["deviceRequest"]?.stringValue)))
        let presenter = Presenter(keyStore: stage.keyStore, deviceAuth: .signature)
        let proposal = presenter.propose(
            try PresentationRequest(request, edition: .first), to: nil, from: stage.credentials.compactMap(\.mdoc))
        let consent = try #require(await Consent.obtain(for: proposal, from: AutomaticConsent(), at: VPStage.time))
        let transcript = try AnnexC.transcript(info, origin: origin)
        let presentation = try await presenter.deviceResponse(consent, over: transcript, unlock: .automatic)
        let response = try AnnexC.seal(
            presentation.bytes, info, origin: origin, ephemeral: PrivateKey.generate(.p256, random: stage.random))
        let answer: JSON = ["protocol": "org-iso-mdoc", "data": ["response": .string(response)]]
        let receipt = try await verifier.receive(digital: answer, origin: VPStage.origin, for: transaction.id)
        return (receipt, try await verifier.transaction(transaction.id))
    }

    @Test func theVerifierJudgesAnAnswerUnderAnnexC() async throws {
        let (receipt, transaction) = try await exchanged(["credentials": [VPStage.query(0)]])
        #expect(failures(receipt.report) == [] && receipt.report.verdict == .pass)
        #expect(receipt.report.checks.contains { $0.id == "VD7.transcript" && $0.outcome == .pass })
        #expect(transaction?.status == .answered)
    }

    @Test func anAnswerForAnotherPageDoesNotOpenAndChangesNothing() async throws {
        let (receipt, transaction) = try await exchanged(
            ["credentials": [VPStage.query(0)]], answeringFor: "https://other.example")
        #expect(failures(receipt.report) == ["VD7.hpke"] && !receipt.isKept)
        #expect(transaction?.status == .waiting)
    }

    @Test func whatAnnexCCannotAskIsNotAskedByIt() async throws {
        let stage = try await VPStage()
        let verifier = try stage.verifier(try await stage.identity())
        var sets = VPStage.both.objectValue ?? [:]
        sets["credentials"] = [VPStage.query(0)]
        sets["credential_sets"] = [["options": [["mdl"]]]]
        for query in [VPStage.both, .object(sets)] {
            var order = VPOrder(try DCQLQuery(query))
            (order.mode, order.origins) = (.dcAPIJWT, [VPStage.origin])
            #expect(verifier.annexCRequest(try await verifier.begin(order)) == nil)
        }
        var plain = VPOrder(try DCQLQuery(["credentials": [VPStage.query(0)]]))
        (plain.mode, plain.origins) = (.dcAPI, [VPStage.origin])
        #expect(verifier.annexCRequest(try await verifier.begin(plain)) == nil)
    }
}
