import Ports
import Proximity
import Testing

/// Messages on L2CAP channels, without a channel.
@Suite struct ChannelFramingTests {
    @Test func theHeaderIsFourBytesBigEndian() {
        #expect(LengthFraming.frame([0xA1, 0x02]) == [0, 0, 0, 2, 0xA1, 0x02])
        #expect(LengthFraming.frame(Array(repeating: 7, count: 66_051)).prefix(4) == [0x00, 0x01, 0x02, 0x03])
    }

    @Test(arguments: [1, 2, 3, 4, 5, 64, 2048])
    func messagesCutAnywhereComeTogether(size: Int) throws {
        let messages = [1, 3, 2044, 2045, 70_000].map { SeededRandom(seed: UInt64($0)).bytes($0) }
        let stream = messages.flatMap { LengthFraming.frame($0) }
        var framing = LengthFraming()
        var taken: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            framing.append(Array(stream[start..<min(start + size, stream.count)]))
            while let message = try framing.next() { taken.append(message) }
        }
        #expect(taken == messages)
        #expect(framing.pending == nil && framing.pendingPackets == 0)
    }

    @Test func anIncompleteMessageIsPending() throws {
        var framing = LengthFraming()
        framing.append([0, 0, 0, 9, 1, 2])
        #expect(try framing.next() == nil)
        #expect(framing.pending?.said == 9 && framing.pending?.came == 2)
        #expect(framing.pendingPackets == 1)
    }

    @Test func aLengthBeyondTheLimitIsRefusedBeforeItsBytesCome() {
        var framing = LengthFraming(limit: 1000)
        framing.append([0, 0, 3, 0xE9])
        #expect(throws: LinkError.messageTooLong(limit: 1000)) { try framing.next() }
    }

    @Test func aHeaderThatSaysTooLittleIsNoticed() {
        var framing = LengthFraming()
        framing.append([0, 0, 0, 2, 0xA1, 0x01, 0xF5, 0x00])
        #expect(throws: LinkError.lengthHeader(said: 2, came: 4)) { try framing.next() }
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0xC0], 0xC0), ([0x00, 0x80], 0x80), ([0x81, 0x00], 0x81), ([0xFF, 0, 0, 0], 0xFF), ([0xC1], 0xC1),
        ] as [([UInt8], Int)])
    func aPSMIsReadInEitherOrder(bytes: [UInt8], psm: Int) { #expect(PSM.decode(bytes) == psm) }

    @Test(arguments: [[], [0], [0, 0, 0, 0], [1, 1], [0, 0, 1, 0xC0], [0, 0, 0, 0, 0xC0]] as [[UInt8]])
    func whatIsNoPSMIsRefused(bytes: [UInt8]) { #expect(PSM.decode(bytes) == nil) }

    @Test func aPSMIsWrittenInFourBytes() { #expect(PSM.encode(0xC0) == [0, 0, 0, 0xC0]) }
}
