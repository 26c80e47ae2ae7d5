import Codec
import Crypto
import Ports
import Testing

@testable import Commands

/// The mDL of ISO/IEC 18013-5:2021 Annex D in everything that a document may come in.
@Suite struct ImportTests {
    private let response: CBOR

    init() throws {
        let text = String(decoding: try Files.read("\(Paths.root)/fixtures/holder/annex-d-response.hex"), as: UTF8.self)
        response = try CBOR(decoding: Hex.decode(text.filter { !$0.isWhitespace }))
    }

    private var document: CBOR { get throws { try #require(try response["documents"].array().first) } }
    private var issuerSigned: CBOR { get throws { try document["issuerSigned"] } }

    private func found(_ bytes: [UInt8]) throws -> [ImportedCopy] {
        try ImportedCopy.all(in: InputReader.recognise(bytes, origin: "file"))
    }

    private func found(_ json: JSON) throws -> [ImportedCopy] { try found([UInt8](json.encoded().utf8)) }

    @Test func findsTheDocumentInEveryWrapping() throws {
        let bytes = try issuerSigned.encoded
        let text = JSON.string(Base64URL.encode(bytes))
        let wrappings: [[UInt8]] = [
            response.encoded, try document.encoded, bytes, CBOR.bytes(bytes).encoded, [UInt8](Hex.encode(bytes).utf8),
            [UInt8](Base64.encode(bytes).utf8),
        ]
        let objects: [JSON] = [
            ["credential": text], ["credentials": [["credential": text]]], ["issuerSigned": text, "docType": "x"],
            ["documents": [["issuerSigned": text]]], [text], ["credential": .string(Base64.encode(bytes))],
        ]
        for wrapping in wrappings + objects.map({ [UInt8]($0.encoded().utf8) }) {
            let copies = try found(wrapping)
            #expect(copies.count == 1)
            #expect(copies.first?.bytes == bytes)
            #expect(copies.first?.docType == "org.iso.18013.5.1.mDL")
            #expect(copies.first?.notes == [])
        }
    }

    @Test func takesEveryCopyOfABatch() throws {
        let text = JSON.string(Base64URL.encode(try issuerSigned.encoded))
        let copies = try found(["credentials": [["credential": text], ["credential": text], ["credential": text]]])
        #expect(copies.map(\.origin) == (0..<3).map { "file.credentials[\($0)].credential" })
    }

    @Test func readsTheDeviceKeyThatTheIssuerSigned() throws {
        let jwk = try KeyFile.privateKey("\(Paths.root)/fixtures/holder/annex-d-device-key.json")
        #expect(try found(response.encoded).first?.deviceKey == jwk.publicKey)
    }

    @Test func notesAnElementUnderAnotherDigest() throws {
        var bytes = try issuerSigned.encoded
        let name = [UInt8]("Doe".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        bytes[place] = UInt8(ascii: "R")
        let notes = try found(bytes).first?.notes ?? []
        #expect(notes == ["file: org.iso.18013.5.1/family_name does not have the digest that the issuer signed"])
    }

    @Test func notesADocTypeThatIsNotTheSignedOne() throws {
        let other = CBOR.map([(.text("docType"), .text("org.example.card")), (.text("issuerSigned"), try issuerSigned)])
        let copy = try #require(try found(other.encoded).first)
        #expect(copy.docType == "org.iso.18013.5.1.mDL")
        #expect(copy.notes.count == 1 && copy.notes[0].contains("org.example.card"))
    }

    /// The error says where the structure ends to be a document.
    @Test func saysWhereTheInputIsWrong() throws {
        let noAuth = CBOR.map([(.text("issuerSigned"), .map([(.text("nameSpaces"), .map([]))]))])
        let noDocuments = CBOR.map([(.text("version"), .text("1.0")), (.text("documents"), .array([]))])
        let badPayload = CBOR.map([
            (.text("issuerAuth"), .array([.bytes([]), .map([]), .bytes([0xA0]), .bytes([])]))
        ])
        for (bytes, words) in [
            (noAuth.encoded, "issuerSigned"), (noDocuments.encoded, "without documents"), (badPayload.encoded, "issuerAuth[2]"),
            (Array(response.encoded.dropLast(7)), "offset"), (CBOR.map([(.text("x"), .null)]).encoded, "issuerSigned"),
        ] {
            let error = #expect(throws: CommandError.self) { try found(bytes) }
            #expect(error?.exit == .refused)
            #expect(error?.what.contains(words) == true, "\(error?.what ?? "") lacks \(words)")
        }
    }

    @Test(arguments: [
        ("eyJhbGciOiJFUzI1NiJ9.eyJ9.AAAA~", "issuer JWT"), ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA~", "vct is missing"),
        ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA~WyJzIiwiYSIsMV0~", "referenced by no digest"),
        ("eyJhbGciOiJFUzI1NiJ9.e30.AAAA~eyJhbGciOiJFUzI1NiJ9.e30.AAAA", "it is a presentation"),
    ]) func refusesSDJWTsThatNoIssuerMade(text: String, words: String) {
        let error = #expect(throws: CommandError.self) { try found([UInt8](text.utf8)) }
        #expect(error?.what.contains(words) == true, "\(error?.what ?? "") lacks \(words)")
    }
}
