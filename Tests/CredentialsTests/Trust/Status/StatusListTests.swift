import Codec
import Testing

@testable import Credentials

/// Token Status List §4.1 and §9: the published examples, and what a peer may not do with a list.
@Suite struct StatusListTests {
    private static let oneBit: [UInt8] = [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]
    private static let twoBits: [UInt8] = [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3]

    @Test(arguments: [
        (1, oneBit, "b9a3", "78dadbb918000217015d"), (2, twoBits, "c944f9", "78da3be9f2130003df0207"),
    ]) func packsAndReadsThePublishedExamples(bits: Int, statuses: [UInt8], packed: String, compressed: String) throws {
        var made = StatusList(bits: bits, count: statuses.count)
        for (index, status) in statuses.enumerated() { made.set(status, at: index) }
        #expect(Hex.encode(made.bytes) == packed)
        let read = try StatusList(bits: Int64(bits), compressed: Hex.decode(compressed))
        #expect(read == made)
        #expect((0..<read.count).map { read[$0] } == statuses)
        #expect(try StatusList(bits: Int64(bits), compressed: made.compressed()) == made)
    }

    @Test(arguments: [1, 2, 4, 8]) func everyPlaceHoldsEveryValueAlone(bits: Int) {
        let most = UInt8(1 << bits - 1 & 0xFF)
        for index in 0..<16 {
            var list = StatusList(bits: bits, count: 16)
            list.set(most, at: index)
            #expect((0..<16).map { list[$0] } == (0..<16).map { $0 == index ? most : 0 })
            list.set(0, at: index)
            #expect(list == StatusList(bits: bits, count: 16))
        }
    }

    @Test func outsideTheListThereIsNoStatus() {
        let list = StatusList(bits: 2, count: 8)
        #expect(list[8] == nil)
        #expect(list[-1] == nil)
        #expect(list[.max] == nil)
    }

    @Test func aBombIsRefusedAtTheLimit() throws {
        let bomb = try Deflate.deflate([UInt8](repeating: 0, count: 1 << 20), format: .zlib)
        #expect(throws: StatusFault("T17.limit", values: ["1000"])) {
            try StatusList(bits: 1, compressed: bomb, limit: 1000)
        }
        #expect(try StatusList(bits: 1, compressed: bomb).count == 8 << 20)
    }

    @Test(arguments: [(Int64(3), "T17.bits"), (0, "T17.bits"), (.max, "T17.bits"), (1, "T17.zlib")])
    func whatIsNoListSaysWhichRuleItBreaks(bits: Int64, check: String) {
        do {
            _ = try StatusList(bits: bits, compressed: [1, 2, 3])
            Issue.record("accepted")
        } catch { #expect(error.check == check) }
    }

    @Test(arguments: [
        (UInt8(0), TokenStatus.valid), (1, .invalid), (2, .suspended), (3, .application(3)), (0x0C, .application(0x0C)),
        (0x0F, .application(0x0F)), (4, .reserved(4)), (0x0B, .reserved(0x0B)), (0x10, .reserved(0x10)),
    ]) func valuesMeanWhatTheRegistrySays(value: UInt8, status: TokenStatus) {
        #expect(TokenStatus(value) == status)
        #expect(status.value == value)
    }

    // MARK: references

    @Test func aReferenceSurvivesItsTwoForms() throws {
        let reference = StatusReference(.index(412), uri: "https://example.com/statuslists/1")
        #expect(StatusClaim(mso: reference.cbor) == .references([reference]))
        #expect(StatusClaim(jwt: reference.json) == .references([reference]))
        let identifier = StatusReference(.identifier([1, 2]), uri: "https://example.com/ids", certificate: [0x30])
        #expect(StatusClaim(mso: identifier.cbor) == .references([identifier]))
        #expect(identifier.json == nil)
    }

    @Test(arguments: [
        (#"{"status_list": {"idx": -1, "uri": "u"}}"#, "T20"), (#"{"status_list": {"uri": "u"}}"#, "T20"),
        (#"{"status_list": {"idx": 1.5, "uri": "u"}}"#, "T20"), (#"{"status_list": {"idx": 1, "uri": 7}}"#, "T20"),
        (#"{"status_list": []}"#, "T20"), (#"[]"#, "T20"),
    ]) func aMistypedReferenceIsNoReference(json: String, check: String) throws {
        guard case .malformed(check, _) = StatusClaim(jwt: try JSON.decode(json)) else {
            Issue.record("\(StatusClaim(jwt: try JSON.decode(json)))")
            return
        }
    }

    @Test func anUnknownMechanismIsNeitherGoodNorBad() throws {
        #expect(StatusClaim(jwt: ["other": [:]]) == .unknown(["other"]))
        #expect(StatusClaim(mso: .map([(.text("other"), .int(1))])) == .unknown(["other"]))
        #expect(StatusClaim(mso: nil) == .absent)
        let negative = CBOR.map([(.text("status_list"), .map([(.text("idx"), .int(-1)), (.text("uri"), .text("u"))]))])
        guard case .malformed("T20", _) = StatusClaim(mso: negative) else {
            return #expect(Bool(false), "\(StatusClaim(mso: negative))")
        }
    }
}
