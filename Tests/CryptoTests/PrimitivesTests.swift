import Crypto
import Testing

@Suite struct DigestTests {
    // FIPS 180-4 examples, "abc".
    @Test(arguments: [
        (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func digestsAreThoseOfFIPS180(_ algorithm: HashAlgorithm, _ expected: String) {
        let message = Array("abc".utf8)
        #expect(algorithm.digest(message) == hex(expected))
        #expect(algorithm.digest(message[...]) == hex(expected))
        #expect(algorithm.digest(parts: [[], [0x61], [0x62, 0x63]]) == hex(expected))
        #expect(message.withUnsafeBytes { algorithm.matches(hex(expected), $0) })
    }

    @Test func aDigestMatchesOnlyItsOwnBytesAndFullLength() {
        let message = Array("abc".utf8)
        let digest = HashAlgorithm.sha256.digest(message)
        for bit in 0..<256 {
            #expect(!message.withUnsafeBytes { HashAlgorithm.sha256.matches(digest.flippingBit(bit), $0) })
        }
        #expect(!message.withUnsafeBytes { HashAlgorithm.sha256.matches(Array(digest.dropLast()), $0) })
        #expect(!message.withUnsafeBytes { HashAlgorithm.sha256.matches([], $0) })
    }

    @Test func theEmptyMessageHasADigest() {
        #expect(HashAlgorithm.sha256.digest([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }
}

@Suite struct DerivationTests {
    // RFC 4231 test case 2.
    @Test func hmacIsThatOfRFC4231() {
        let key = Array("Jefe".utf8)
        let message = Array("what do ya want for nothing?".utf8)
        #expect(HMAC.sha256(key: key, message) == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
        #expect(
            HMAC.sha512(key: key, message)
                == hex(
                    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
                ))
        let tag = HMAC.sha256(key: key, message)
        #expect(HMAC.isValid(tag, .sha256, key: key, parts: [message]))
        #expect(!HMAC.isValid(Array(tag.prefix(16)), .sha256, key: key, parts: [message]))
    }

    // RFC 5869 A.1 and A.3.
    @Test func hkdfIsThatOfRFC5869() throws {
        let ikm = [UInt8](repeating: 0x0b, count: 22)
        #expect(
            try HKDF.sha256(ikm: ikm, salt: hex("000102030405060708090a0b0c"), info: hex("f0f1f2f3f4f5f6f7f8f9"), length: 42)
                == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
        #expect(
            try HKDF.sha256(ikm: ikm, salt: [], info: [], length: 42)
                == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test func hkdfRefusesMoreThan255Digests() throws {
        #expect(try HKDF.sha256(ikm: [1], salt: [], info: [], length: 255 * 32).count == 255 * 32)
        #expect(throws: CryptoError.self) { try HKDF.sha256(ikm: [1], salt: [], info: [], length: 255 * 32 + 1) }
        #expect(throws: CryptoError.self) { try HKDF.sha256(ikm: [1], salt: [], info: [], length: -1) }
    }

    // RFC 7518 Appendix C.
    @Test func concatKDFIsThatOfRFC7518() throws {
        let secret = hex("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
        let info =
            hex("00000007") + Array("A128GCM".utf8) + hex("00000005") + Array("Alice".utf8) + hex("00000003") + Array("Bob".utf8)
            + hex("00000080")
        #expect(try ConcatKDF.derive(secret: secret, otherInfo: info, length: 16) == hex("56aa8deaf8236d205c2228cd71a7101a"))
    }

    // RFC 7914 §12, second and third vectors.
    @Test func scryptIsThatOfRFC7914() throws {
        let derived = try Scrypt(cost: 1024, blockSize: 8, parallelisation: 16).derive(
            passphrase: Array("password".utf8), salt: Array("NaCl".utf8), length: 64)
        #expect(
            derived
                == hex(
                    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
                ))
    }

    @Test(arguments: [Scrypt(cost: 3, blockSize: 8, parallelisation: 1), Scrypt(cost: 1 << 30, blockSize: 8, parallelisation: 1)])
    func scryptRefusesBadOrHugeParameters(_ parameters: Scrypt) {
        #expect(throws: CryptoError.self) { try parameters.derive(passphrase: [1], salt: [2], length: 32) }
    }
}

@Suite struct CipherTests {
    // The Galois/Counter Mode of Operation (McGrew, Viega), test case 16.
    private let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    private let nonce = hex("cafebabefacedbaddecaf888")
    private let aad = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private let plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
    private let sealed = hex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
            + "76fc6ece0f4e1768cddf8853bb2d551b")

    @Test func gcmIsThatOfItsSpecification() throws {
        let cipher = try AESGCM(key: key)
        #expect(try cipher.seal(plaintext, nonce: nonce, aad: aad) == sealed)
        #expect(try cipher.open(sealed, nonce: nonce, aad: aad) == plaintext)
    }

    @Test func gcmRefusesEveryFlippedBit() throws {
        let cipher = try AESGCM(key: key)
        for bit in 0..<sealed.count * 8 {
            #expect(throws: CryptoError.authenticationFailed) {
                try cipher.open(sealed.flippingBit(bit), nonce: nonce, aad: aad)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed, nonce: nonce, aad: []) }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed, nonce: nonce.flippingBit(0), aad: aad) }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(Array(sealed.prefix(15)), nonce: nonce, aad: aad) }
    }

    @Test func gcmSealsTheEmptyMessage() throws {
        let cipher = try AESGCM(key: key)
        let sealed = try cipher.seal([], nonce: nonce)
        #expect(sealed.count == 16)
        #expect(try cipher.open(sealed, nonce: nonce).isEmpty)
    }

    @Test func ciphersRefuseKeysAndNoncesOfWrongLength() throws {
        #expect(throws: CryptoError.invalidKeyLength(31)) { try AESGCM(key: Array(key.prefix(31))) }
        #expect(throws: CryptoError.invalidKeyLength(16)) { try AESCBCHMAC(key: Array(key.prefix(16))) }
        #expect(throws: CryptoError.invalidNonceLength(0)) { try AESGCM(key: key).seal([], nonce: []) }
        #expect(throws: CryptoError.invalidNonceLength(12)) { try AESCBCHMAC(key: key).seal([], iv: nonce, aad: []) }
    }

    // RFC 7518 B.1.
    @Test func cbcHMACIsThatOfRFC7518() throws {
        let cipher = try AESCBCHMAC(key: Array(0...31))
        let plaintext = Array(
            "A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience"
                .utf8)
        let iv = hex("1af38c2dc2b96ffdd86694092341bc04")
        let aad = Array("The second principle of Auguste Kerckhoffs".utf8)
        let (ciphertext, tag) = try cipher.seal(plaintext, iv: iv, aad: aad)
        #expect(tag == hex("652c3fa36b0a7c5b3219fab3a30bc1c4"))
        #expect(ciphertext.prefix(16) == hex("c80edfa32ddf39d5ef00c0b468834279")[...])
        #expect(try cipher.open(ciphertext, tag: tag, iv: iv, aad: aad) == plaintext)
        for bit in 0..<128 {
            #expect(throws: CryptoError.authenticationFailed) {
                try cipher.open(ciphertext, tag: tag.flippingBit(bit), iv: iv, aad: aad)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(ciphertext.flippingBit(9), tag: tag, iv: iv, aad: aad) }
    }
}
