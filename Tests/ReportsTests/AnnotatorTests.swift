import Codec
import Ports
import Reports
import TestSupport
import Testing

/// Looking into annotated trees.
extension Annotation {
    /// The first line with this label, from the top down.
    func first(_ label: String) -> Annotation? {
        self.label == label ? self : children.lazy.compactMap { $0.first(label) }.first
    }

    /// Every line.
    var all: [Annotation] { [self] + children.flatMap(\.all) }
}

@Suite struct CBORAnnotatorTests {
    private func annotate(_ name: String, in file: String = "cbor/annex-d.json") throws -> Annotation {
        CBORAnnotator().annotate(try CBOR(decoding: try Fixture.hex(name, in: file)))
    }

    @Test(arguments: [
        ("device_engagement", "DeviceEngagement"), ("device_request", "DeviceRequest"), ("device_response", "DeviceResponse"),
        ("session_transcript", "SessionTranscriptBytes"),
    ])
    func namesTheMessagesOfTheStandard(name: String, label: String) throws {
        #expect(try annotate(name).label == label)
    }

    @Test(arguments: [("session_establishment", "SessionEstablishment"), ("session_data", "SessionData")])
    func namesTheMessagesOfASession(name: String, label: String) throws {
        #expect(try annotate(name, in: "inspect/messages.json").label == label)
    }

    @Test func explainsTheTermination() throws {
        let status = try annotate("session_data", in: "inspect/messages.json").first("status")
        #expect(status?.value == "20 — session termination")
        #expect(status?.offset == 1)
    }

    @Test func namesEverythingInAResponse() throws {
        let tree = try annotate("device_response")
        let labels = Set(tree.all.map(\.label))
        #expect(
            labels.isSuperset(of: [
                "documents", "issuerSigned", "name space org.iso.18013.5.1", "elementIdentifier", "issuerAuth", "alg (1)",
                "payload",
            ]))
        #expect(
            labels.isSuperset(of: [
                "valueDigests", "digestID 12", "deviceKey", "crv (-1)", "validityInfo", "deviceMac", "tag", "status",
            ]))
        #expect(tree.first("payload")?.value?.contains("MobileSecurityObject, org.iso.18013.5.1.mDL") == true)
        #expect(tree.first("deviceKey")?.value?.contains("public key on P-256") == true)
        #expect(tree.first("x5chain (33)")?.first("subject")?.value == "C=US,CN=utopia ds")
        #expect(!labels.contains { $0.contains("unknown") })
        #expect(tree.all.contains { $0.value?.hasSuffix("JPEG picture") == true })
    }

    /// Each offset with its length cuts out exactly the item that the line is about.
    @Test func offsetsPointIntoTheBytes() throws {
        let bytes = try Fixture.hex("device_response", in: "cbor/annex-d.json")
        let tree = try annotate("device_response")
        let name = try #require(tree.all.first { $0.label == "elementValue" && $0.value == "\"Doe\"" })
        let range = try #require(name.offset)..<(try #require(name.offset) + (try #require(name.length)))
        #expect(Array(bytes[range]) == CBOR.text("elementValue").encoded + CBOR.text("Doe").encoded)
        #expect(tree.all.allSatisfy { ($0.offset ?? 0) + ($0.offset == nil ? 0 : $0.length ?? 0) <= bytes.count })
    }

    @Test func explainsTheRetrievalMethod() throws {
        let text = try #require(try Fixture.json("inspect/messages.json")["engagement_text"]?.stringValue)
        let tree = CBORAnnotator().annotate(try CBOR(decoding: try Base64URL.decode(String(text.dropFirst(5)))))
        #expect(tree.first("[0]")?.value?.contains("Bluetooth low energy, mdoc central client mode") == true)
        #expect(tree.first("UUID of central client mode (11)")?.value?.hasSuffix("— a4688f46-47eb-441c-a3e9-b493deea4524") == true)
        #expect(tree.first("EDeviceKeyBytes")?.value?.contains("COSE_Key, public key on P-256") == true)
        #expect(tree.first("peripheral server mode (0)")?.value == "false")
    }

    @Test func saysThatAPointIsNotOnItsCurve() throws {
        var bytes = try Fixture.hex("device_engagement", in: "cbor/annex-d.json")
        bytes[0x20] ^= 1
        let key = CBORAnnotator().annotate(try CBOR(decoding: bytes)).first("EDeviceKeyBytes")
        #expect(key?.value?.contains("not usable") == true)
    }

    @Test func namesAVICALAndItsCertificates() throws {
        let tree = CBORAnnotator().annotate(try CBOR(decoding: try Fixture.bytes("inspect/vical.cbor")))
        #expect(tree.label == "VICAL in COSE_Sign1")
        #expect(tree.first("vicalProvider")?.value == "\"AAMVA\"")
        #expect(tree.first("certificateInfos")?.children.isEmpty == false)
        #expect(tree.all.contains { $0.label == "certificate" && $0.first("signed by its own key")?.value == "yes" })
    }

    @Test func remarksOnMembersThatDoNotFit() throws {
        let odd = CBOR.map([(.text("version"), .text("1.0")), (.text("docRequests"), .int(5)), (.text("x"), .int(1))])
        let tree = CBORAnnotator().annotate(odd)
        #expect(tree.label == "DeviceRequest")
        #expect(tree.first("docRequests")?.value == "5 — expected array, found uint")
        #expect(tree.first("\"x\" (unknown)") != nil)
    }

    @Test func plainCBORKeepsItsShape() throws {
        let tree = CBORAnnotator().annotate(try CBOR(decoding: try Hex.decode("a20182f5f6613a9fff")))
        #expect(tree.label == "CBOR")
        #expect(tree.children.map(\.label) == ["1", ":", "note"])
        #expect(tree.first("note")?.value == "not in preferred encoding, first at offset 0x7")
    }

    @Test func documentsInDocumentsEnd() throws {
        var bytes: [UInt8] = [0]
        for _ in 0..<2000 { bytes = CBOR.tag(24, .bytes(bytes)).encoded }
        let item = try CBOR(decoding: bytes)
        #expect(CBORAnnotator().annotate(item).all.count < 100)
        #expect(try CBORDiagnostic.parse(CBORDiagnostic.format(item)) == bytes)
    }

    @Test func damagedMessagesDoNoHarm() throws {
        let bytes = try Fixture.hex("device_response", in: "cbor/annex-d.json")
        let random = SeededRandom(seed: 3)
        for _ in 0..<150 {
            var changed = bytes
            for place in random.bytes(6) { changed[Int(place) * bytes.count / 256] = random.bytes(1)[0] }
            if let item = try? CBOR(decoding: changed) { #expect(!CBORAnnotator().annotate(item).label.isEmpty) }
        }
    }
}

@Suite struct DERAnnotatorTests {
    @Test func explainsACertificate() throws {
        let tree = DERAnnotator.annotate(try Fixture.hex("iaca_certificate", in: "inspect/messages.json"))
        #expect(tree.first("subject")?.value == "C=US,CN=utopia iaca")
        #expect(tree.first("basic constraints")?.value == "CA, path length 0 (critical)")
        #expect(tree.first("key usage")?.value == "keyCertSign+cRLSign (critical)")
        #expect(tree.first("signed by its own key")?.value == "yes")
        #expect(tree.first("validity")?.value == "2020-10-01T00:00:00Z to 2029-09-29T00:00:00Z")
    }

    @Test func explainsACRL() throws {
        let tree = DERAnnotator.annotate(try Fixture.hex("crl", in: "inspect/messages.json"))
        #expect(tree.label == "CertificateRevocationList")
        #expect(tree.first("revoked certificates")?.children.isEmpty == false)
    }

    @Test func neverShowsAPrivateKey() {
        let secret = [UInt8](repeating: 0x5a, count: 32)
        let key = DERWriter.encode { writer in
            writer.sequence { writer in
                writer.integer(0)
                writer.sequence { writer in
                    writer.oid("1.2.840.10045.2.1")
                    writer.oid("1.2.840.10045.3.1.7")
                }
                writer.octetString(
                    DERWriter.encode {
                        $0.sequence {
                            $0.integer(1); $0.octetString(secret)
                        }
                    })
            }
        }
        let tree = DERAnnotator.annotate(key)
        #expect(tree.label == "PrivateKeyInfo")
        #expect(tree.first("algorithm")?.value == "EC, P-256")
        #expect(!tree.json.encoded().contains("5a5a5a5a"))
    }

    @Test func showsOtherDERAsItIs() throws {
        let tree = DERAnnotator.annotate(try Hex.decode("300802010506032a0304"))
        #expect(tree.children.map(\.value) == ["INTEGER 5", "OBJECT IDENTIFIER 1.2.3.4"])
        #expect(tree.children.map(\.offset) == [2, 5])
        #expect(DERAnnotator.annotate([0x30, 0x05, 0x02]).value?.hasPrefix("damaged") == true)
    }
}

@Suite struct JOSEAnnotatorTests {
    private func text(_ name: String) throws -> String {
        try #require(try Fixture.json("inspect/messages.json")[name]?.stringValue)
    }

    @Test func placesDisclosuresAtTheirDigests() throws {
        let tree = JOSEAnnotator.annotateSDJWT(try text("sd_jwt"))
        #expect(tree.label == "SD-JWT")
        let digest = tree.first("payload")?.all.first { $0.value == "UqQ87jFp23NRl1MaFsOiS5HX5tIkSat2GnlcDQVo8u8 — disclosure 1" }
        #expect(digest?.children.map(\.label) == ["gender"])
        #expect(tree.first("disclosures")?.children.map { $0.value?.contains("stands nowhere") } == [false, false, false])
        #expect(tree.first("payload")?.all.contains { $0.value?.hasSuffix("not disclosed, or a decoy") == true } == true)
    }

    @Test func saysWhereADisclosureHasNoPlace() throws {
        let token = try text("sd_jwt")
        let stray = Base64URL.encode(Array(#"["salt","name","value"]"#.utf8))
        let tree = JOSEAnnotator.annotateSDJWT(token + stray + "~bm8~")
        #expect(
            tree.first("disclosures")?.children.dropFirst(3).map(\.value) == [
                "claim \"name\" at its digest stands nowhere", "no JSON array of 2 or 3 in base64url: bm8",
            ])
    }

    @Test func checksThatTheKeyBindingFits() throws {
        let token = try text("sd_jwt_kb")
        #expect(JOSEAnnotator.annotateSDJWT(token).first("key binding JWT")?.children.last?.value == "fits what stands before")
        let parts = token.split(separator: "~", omittingEmptySubsequences: false)
        let shorter = (parts.prefix(1) + parts.dropFirst(2)).joined(separator: "~")
        #expect(
            JOSEAnnotator.annotateSDJWT(shorter).first("key binding JWT")?.children.last?.value?.hasPrefix("does not fit") == true)
    }

    @Test func aTokenThatRefersToItselfEnds() {
        // No hash can be found that fits, but the algorithm named may be unknown and the digests absent.
        let payload = Base64URL.encode(Array(#"{"_sd_alg":"none","_sd":["a","a"],"x":[{"...":"a"}]}"#.utf8))
        let tree = JOSEAnnotator.annotateSDJWT("eyJhIjoxfQ.\(payload).~WyJzIiwibiIsMV0~")
        #expect(tree.first("disclosures")?.value?.contains("not known here") == true)
    }

    @Test func datesOfClaimsAreRead() {
        let payload = Base64URL.encode(Array(#"{"exp":1883000000,"n":1}"#.utf8))
        let tree = JOSEAnnotator.annotateJWS("eyJhbGciOiJFUzI1NiJ9.\(payload).AAAA")
        #expect(tree.first("exp")?.value == "1883000000 — 2029-09-01T23:33:20Z")
        #expect(tree.first("alg")?.value == "\"ES256\"")
        #expect(tree.first("signature")?.value == "3 bytes")
    }

    @Test func neverShowsThePrivatePartOfAKey() {
        let jwk = JSONAnnotator.annotate(["keys": [["kty": "EC", "crv": "P-256", "x": "AAAA", "d": "SECRET"]]])
        #expect(jwk.first("d")?.value == "private, not shown")
        let key = CBOR.map([(.int(1), .int(2)), (.int(-1), .int(1)), (.int(-4), .bytes([UInt8](repeating: 0x5a, count: 32)))])
        #expect(!CBORAnnotator().annotate(key).json.encoded().contains("5a5a"))
    }

    @Test func aJWEShowsItsHeaderOnly() {
        let tree = JOSEAnnotator.annotateJWE("eyJhbGciOiJFQ0RILUVTIn0..AAAA.AAAAAAAA.AAA")
        #expect(tree.first("alg")?.value == "\"ECDH-ES\"")
        #expect(tree.first("ciphertext")?.value == "6 bytes")
    }
}

@Suite struct AnnotationTextTests {
    @Test func linesHaveOffsetNameValueAndClause() {
        let tree = Annotation(
            "A", "x", clause: "1.2", offset: 0, children: [Annotation("b", "y"), Annotation("c", nil, offset: 0x12345)])
        #expect(AnnotationText(tree).lines.map(\.text) == ["0x00000  A: x  [1.2]", "           b: y", "0x12345    c"])
        #expect(AnnotationText(Annotation("A", children: [Annotation("b")])).lines.map(\.text) == ["A", "  b"])
    }

    @Test func controlCharactersOfAPeerAreShownByNumber() {
        #expect(AnnotationText(Annotation("a\u{1b}[31m", "b\u{202e}")).lines.map(\.text) == ["a\\u{1b}[31m: b\\u{202e}"])
    }

    @Test func tracesAreExplainedLineByLine() {
        let event = TraceEvent(
            sequence: 0, time: Timestamp(secondsSince1970: 0), session: "s", role: "reader", layer: "session", name: "SessionData",
            direction: .received,
            bytes: [0xa1, 0x66, 0x73, 0x74, 0x61, 0x74, 0x75, 0x73, 0x14])
        let line = event.json.encoded()
        let tree = JSONAnnotator.annotateTrace("\(line)\n\(line)\n")
        #expect(tree?.children.count == 2)
        #expect(tree?.children.first?.first("status")?.value == "20 — session termination")
        #expect(JSONAnnotator.annotateTrace(line + "\n{}") == nil)
        var start = event
        (start.name, start.bytes) = ("State", [1])
        #expect(JSONAnnotator.annotateTrace(start.json.encoded())?.children.first?.children == [Annotation("bytes", "01")])
    }
}
