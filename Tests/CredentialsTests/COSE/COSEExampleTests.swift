import Codec
import Credentials
import Crypto
import TestSupport
import Testing

/// The published examples of the COSE working group.
@Suite struct COSEExampleTests {
    private let fixture: JSON

    init() throws { fixture = try Fixture.json("cose/cose-examples.json") }

    private func cases(_ list: String) throws -> [JSON] {
        let cases = try #require(fixture[list]?.arrayValue)
        #expect(!cases.isEmpty)
        return cases
    }

    private func bytes(_ json: JSON, _ member: String) throws -> [UInt8] { try Hex.decode(#require(json[member]?.stringValue)) }

    private func key(_ json: JSON) throws -> PublicKey {
        let jwk = try #require(json["key"])
        guard jwk["x_hex"] != nil else { return try PublicKey(jwk: jwk) }
        return try PublicKey(curve: #require(Curve(rawValue: jwk["crv"]?.stringValue ?? "")), point: bytes(jwk, "x_hex"))
    }

    @Test func signaturesVerifyExactlyWhenPublishedSo() throws {
        for entry in try cases("sign1") {
            let name = Comment(rawValue: entry["file"]?.stringValue ?? "")
            let aad = try bytes(entry, "external")
            if entry["expect"]?.stringValue == "accept" {
                let message = try COSESign1(decoding: bytes(entry, "cbor"))
                #expect(try message.toBeSigned(externalAAD: aad) == bytes(entry, "toBeSigned"), name)
                try message.verify(with: key(entry), externalAAD: aad, requiresPair: false)
                #expect(try message.encodedCBOR == bytes(entry, "cbor"), name)
            } else {
                #expect(throws: (any Error).self, name) {
                    try COSESign1(decoding: bytes(entry, "cbor")).verify(with: key(entry), externalAAD: aad)
                }
            }
        }
    }

    @Test func macsVerifyExactlyWhenPublishedSo() throws {
        for entry in try cases("mac0") {
            let name = Comment(rawValue: entry["file"]?.stringValue ?? "")
            let aad = try bytes(entry, "external")
            if entry["expect"]?.stringValue == "accept" {
                let message = try COSEMac0(decoding: bytes(entry, "cbor"))
                #expect(try message.toBeMaced(externalAAD: aad) == bytes(entry, "toBeMaced"), name)
                try message.verify(key: bytes(entry, "key"), externalAAD: aad)
            } else {
                #expect(throws: (any Error).self, name) {
                    try COSEMac0(decoding: bytes(entry, "cbor")).verify(key: bytes(entry, "key"), externalAAD: aad)
                }
            }
        }
    }

    @Test func keysHaveTheirPublishedThumbprint() throws {
        for entry in try cases("keys") {
            let key = try COSEKey(decoding: bytes(entry, "key"))
            #expect(try key.thumbprint() == bytes(entry, "thumbprint"))
            #expect(try key.privateKey.publicKey == key.publicKey)
        }
    }

    @Test func malformedKeysAreRefused() throws {
        for entry in try cases("malformedKeys") {
            #expect(throws: (any Error).self, Comment(rawValue: entry["id"]?.stringValue ?? "")) {
                try COSEKey(decoding: bytes(entry, "key")).publicKey
            }
        }
    }
}
