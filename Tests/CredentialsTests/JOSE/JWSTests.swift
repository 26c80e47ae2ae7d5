import Codec
import Credentials
import Crypto
import Ports
import TestSupport
import Testing

/// Signed texts: published ones, and what must be refused.
@Suite struct JWSTests {
    private let fixture: JSON
    private let random = SeededRandom(seed: 5)

    init() throws { fixture = try Fixture.json("jose/rfc-examples.json") }

    @Test func publishedSignaturesVerifyAndOthersDoNot() throws {
        for entry in try #require(fixture["jws"]?.arrayValue) {
            let compact = try #require(entry["compact"]?.stringValue)
            let jws = try JWS(compact: compact)
            try jws.verify(with: JWK(#require(entry["key"])))
            #expect(String(decoding: jws.payload, as: UTF8.self) == entry["payload"]?.stringValue)
            #expect(jws.compact == compact)
            // Another payload under the same signature.
            let forged = try JWS(
                compact: "\(jws.protected.encoded).\(Base64URL.encode("other".utf8)).\(Base64URL.encode(jws.signature))")
            #expect(throws: JOSEError.invalidSignature) { try forged.verify(with: JWK(#require(entry["key"]))) }
        }
    }

    @Test func publishedJSONSerialisationsVerifyAndAreWrittenAgain() throws {
        for entry in try #require(fixture["jws"]?.arrayValue) {
            for form in ["json", "json_flat"] {
                guard let published = entry[form] else { continue }
                let read = try JWSSerialization(published)
                #expect(read.isFlattened == (form == "json_flat"))
                try read.signatures[0].verify(with: JWK(#require(entry["key"])))
                #expect(.object(read.json) == published)
            }
        }
    }

    @Test(arguments: ["none", "unknownCrit"]) func refusesNoneAndUnknownCritical(member: String) throws {
        let key = try PrivateKey.generate(.p256, random: random).publicKey
        let jws = try JWS(compact: #require(fixture[member]?.stringValue))
        #expect(throws: JOSEError.self) { try jws.verify(with: key) }
        let error = #expect(throws: JOSEError.self) { try jws.verify(with: key) }
        switch try #require(error) {
        case .algorithmUnsupported("none"), .criticalHeader: break
        case let other: Issue.record("refused for \(other)")
        }
    }

    @Test(arguments: [Curve.p256, .p384, .p521, .ed25519, .ed448]) func signsWhatVerifies(curve: Curve) async throws {
        let key = try PrivateKey.generate(curve, random: random)
        let jws = try await JWS.sign(Array("{}".utf8), header: ["typ": "test"], by: JWSSigner(key))
        let received = try JWS(compact: jws.compact)
        try received.verify(with: key.publicKey)
        #expect(received.protected.type == "test")
        let stranger = try PrivateKey.generate(curve, random: random)
        #expect(throws: JOSEError.invalidSignature) { try received.verify(with: stranger.publicKey) }
    }

    @Test func signsWithAKeyThatAStoreKeeps() async throws {
        let store = MemoryKeyStore(random: random)
        let key = try await store.create(KeyOptions())
        let jws = try await JWS.sign([1, 2], header: [:], by: JWSSigner(key, in: store, unlock: .automatic))
        try jws.verify(with: key.publicKey)
    }

    @Test func refusesAnAlgorithmOfAnotherCurve() async throws {
        let key = try PrivateKey.generate(.p256, random: random)
        let jws = try await JWS.sign([], header: ["alg": "ES384"], by: JWSSigner(key))
        #expect(throws: JOSEError.algorithmNotAllowed(.es384, .p256)) { try jws.verify(with: key.publicKey) }
    }

    @Test(arguments: [
        "", "a", "a.b", "a.b.c.d", ".e30.AA", "e30=.e30.AA", "e31.e30.AA", "W10.e30.AA",
        "eyJhbGciOiJFUzI1NiIsImFsZyI6Im5vbmUifQ.e30.AA",
        "e30.e30.A", "e30 .e30.AA",
    ]) func refusesWhatIsNoCompactSerialisation(text: String) {
        #expect(throws: JOSEError.self) { try JWS(compact: text) }
    }

    @Test(arguments: [
        #"{"signatures": []}"#, #"{"payload": "", "signatures": []}"#, #"{"payload": 1, "signature": ""}"#,
        #"{"payload": "", "protected": "e30"}"#, #"{"payload": "", "signature": "", "signatures": [{"signature": ""}]}"#,
        #"{"payload": "", "protected": "eyJhbGciOiJFUzI1NiJ9", "header": {"alg": "ES256"}, "signature": ""}"#,
        #"{"payload": "", "header": {"crit": ["x"]}, "signature": ""}"#, "[]",
    ]) func refusesMistypedJSONSerialisations(text: String) throws {
        let json = try JSON.decode(text)
        #expect(throws: JOSEError.self) { try JWSSerialization(json) }
    }

    @Test(arguments: [#"["b64"]"#, "[]", #""exp""#, #"["exp", "exp"]"#, #"["alg"]"#, "[1]"]) func refusesCritical(text: String)
        throws
    {
        let header = JOSEHeader(["alg": "ES256", "crit": try JSON.decode(text), "b64": false, "exp": 1])
        #expect(throws: JOSEError.self) { try header.checkCritical(understood: text == #"["b64"]"# ? [] : ["exp"]) }
    }

    @Test func acceptsCriticalThatIsUnderstood() throws {
        try JOSEHeader(["alg": "ES256", "crit": ["exp"], "exp": 1]).checkCritical(understood: ["exp"])
    }

    @Test func aKeyForAnotherUseVerifiesNothing() async throws {
        let key = try PrivateKey.generate(.p256, random: random)
        let jws = try await JWS.sign([], header: [:], by: JWSSigner(key))
        for (name, value) in [("use", "enc"), ("alg", "ES384"), ("alg", "ECDH-ES")] {
            var json = key.publicKey.jwk
            json.append(name, .string(value))
            let jwk = try JWK(.object(json))
            #expect(throws: JOSEError.self) { try jws.verify(with: jwk) }
        }
        var json = key.publicKey.jwk
        json.append("alg", "ES256")
        try jws.verify(with: JWK(.object(json)))
    }
}
