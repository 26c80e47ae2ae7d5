import Codec
import Crypto
import TestSupport
import Testing

/// Keys in the files that other programs write: known answers made with the `openssl` command line.
@Suite struct OpenSSLKeyTests {
    private let fixture: JSON
    private let keys: [JSON]

    init() throws {
        fixture = try Fixture.json("crypto/openssl-keys.json")
        keys = try #require(fixture["keys"]?.arrayValue)
        #expect(keys.count == 6)
    }

    private func text(_ json: JSON, _ member: String) throws -> String { try #require(json[member]?.stringValue) }

    @Test func readsWhatOpenSSLWrites() throws {
        for entry in keys {
            let curve = try #require(Curve(rawValue: text(entry, "curve")))
            let expected = try PublicKey(curve: curve, point: Hex.decode(text(entry, "point")))
            let key = try PrivateKey(pem: text(entry, "pkcs8"))
            #expect(key.publicKey == expected)
            #expect(try key.publicKey == PrivateKey(curve: curve, scalar: Hex.decode(text(entry, "d"))).publicKey)
            #expect(try PublicKey(pem: text(entry, "public")) == expected)
            #expect(expected.pem == (try text(entry, "public")))
            if curve.isWeierstrass {
                #expect(try PrivateKey(pem: text(entry, "sec1")).publicKey == expected)
                #expect(try PublicKey(pem: text(entry, "compressedPublic")) == expected)
            }
        }
    }

    @Test func writesWhatOpenSSLWrites() throws {
        for entry in keys {
            let key = try PrivateKey(pem: text(entry, "pkcs8"))
            #expect(try key.pem() == text(entry, "pkcs8"))
        }
    }

    @Test func jwksKeepTheKey() throws {
        for entry in keys {
            let key = try PrivateKey(pem: text(entry, "pkcs8"))
            #expect(try PrivateKey(jwk: .object(key.jwk())).publicKey == key.publicKey)
            #expect(try PublicKey(jwk: .object(key.publicKey.jwk)) == key.publicKey)
            #expect(key.publicKey.jwk["d"] == nil)
        }
    }

    // RFC 7638 §3.1 is an RSA key; RFC 8037 A.3 has the Ed25519 one.
    @Test func theThumbprintIsThatOfRFC8037() throws {
        let jwk: JSON = ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "use": "sig"]
        #expect(try Base64URL.encode(PublicKey(jwk: jwk).jwkThumbprint) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func verifiesOpenSSLSignatures() throws {
        let message = Array(try text(fixture, "message").utf8)
        let key = try PublicKey(pem: text(keys[0], "public"))
        let signature = try Hex.decode(text(fixture, "ecdsaP256DER"))
        #expect(key.verifyDER(signature: signature, message: message))
        let raw = try ECDSASignature.raw(fromDER: signature, curve: .p256)
        #expect(key.verify(signature: raw, message: message))
        #expect(try ECDSASignature.der(fromRaw: raw, curve: .p256) == signature)
    }

    @Test func verifiesRSASignaturesOfOpenSSL() throws {
        let rsa = try #require(fixture["rsa"])
        let block = try #require(PEM.blocks(in: text(rsa, "public")).first)
        let key = try RSAPublicKey(spki: block.bytes)
        let message = Array(try text(fixture, "message").utf8)
        let signature = try Hex.decode(text(rsa, "pkcs1Sha256"))
        #expect(key.bits == 2048)
        #expect(key.verifyPKCS1(signature: signature, message: message, hash: .sha256))
        #expect(!key.verifyPKCS1(signature: signature, message: message, hash: .sha384))
        #expect(!key.verifyPKCS1(signature: Array(signature.dropLast()), message: message, hash: .sha256))
        for bit in stride(from: 0, to: 2048, by: 101) {
            #expect(!key.verifyPKCS1(signature: signature.flippingBit(bit), message: message, hash: .sha256))
        }
        #expect(throws: CryptoError.self) { try PublicKey(spki: block.bytes) }
    }

    @Test func refusesEncryptedAndExplicitlyDescribedKeys() throws {
        #expect(throws: CryptoError.malformedKey("the key is encrypted; decrypt it first, for instance with openssl pkey")) {
            try PrivateKey(pem: text(fixture, "encrypted"))
        }
        #expect(throws: CryptoError.self) { try PublicKey(pem: text(fixture, "explicitParameters")) }
    }

    @Test func namesWhatIsThereInsteadOfAKey() throws {
        #expect(throws: CryptoError.malformedKey("no private key in the PEM text, only PUBLIC KEY")) {
            try PrivateKey(pem: text(keys[0], "public"))
        }
        #expect(throws: CryptoError.malformedKey("no private key in the PEM text")) { try PrivateKey(pem: "") }
        let rsa = try #require(fixture["rsa"])
        #expect(throws: CryptoError.self) { try RSAPublicKey(spki: PEM.blocks(in: text(keys[0], "public"))[0].bytes) }
        #expect(rsa["public"] != nil)
    }

    @Test func refusesPartsThatDoNotBelongTogether() throws {
        var jwk = try PrivateKey(pem: text(keys[0], "pkcs8")).jwk()
        let other = try PrivateKey.generate(.p256, random: CountingRandom(start: 9)).publicKey.jwk
        jwk["x"] = other["x"]
        jwk["y"] = other["y"]
        #expect(throws: CryptoError.malformedKey("private and public part of the JWK do not belong together")) {
            try PrivateKey(jwk: .object(jwk))
        }
    }

    @Test func cutKeyFilesAreRefused() throws {
        for entry in keys {
            let der = try PrivateKey(pem: text(entry, "pkcs8")).pkcs8()
            for length in der.indices {
                #expect(throws: CryptoError.self) { try PrivateKey(der: Array(der.prefix(length))) }
            }
        }
    }

    @Test func flippedBitsOfAnECKeyFileAreRefused() throws {
        let version = 5  // the last byte of version: 0 and 1 are both in use
        for entry in keys.prefix(2) {
            let der = try PrivateKey(pem: text(entry, "pkcs8")).pkcs8()
            for byte in der.indices where byte != version {
                #expect(throws: CryptoError.self, "byte \(byte)") { try PrivateKey(der: der.flippingBit(byte * 8)) }
            }
        }
    }

    @Test(arguments: ["kty", "crv", "x", "y"])
    func aJWKWithoutARequiredMemberIsRefused(_ member: String) throws {
        let jwk = try PublicKey(pem: text(keys[0], "public")).jwk
        let rest = JSONObject(jwk.members.filter { $0.key != member })
        #expect(throws: CryptoError.malformedKey("JWK without \(member)")) { try PublicKey(jwk: .object(rest)) }
    }
}
