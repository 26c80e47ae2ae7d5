import QR
import Testing

@Suite struct QRSymbolTests {
    @Test(arguments: QRSymbol.Correction.allCases)
    func holdsAsManyBytesAsTheStandardSays(_ correction: QRSymbol.Correction) throws {
        let full = String(repeating: "é", count: correction.capacity / 2) + (correction.capacity % 2 == 1 ? "x" : "")
        #expect(try QRSymbol(full, correction: correction).size == 177)
        let failure = QRSymbol.Failure.tooLong(
            bytes: correction.capacity + 1, capacity: correction.capacity, correction: correction)
        #expect(throws: failure) { try QRSymbol(full + "x", correction: correction) }
    }

    @Test func refusesEmptyTexts() {
        #expect(throws: QRSymbol.Failure.empty) { try QRSymbol("") }
    }

    @Test(arguments: ["a", "Grüße, 世界 🎫", "line\nbreak", "nul\0inside"])
    func everyTextComesBackFromThePNG(_ text: String) throws {
        let picture = try Picture(try QRSymbol(text).png(scale: 4))
        #expect(QRReader.read(picture.frame).map(\.text) == [text])
    }

    @Test func hasAQuietZoneOfFourModules() throws {
        let symbol = try QRSymbol("quiet")
        let frame = symbol.frame(scale: 2)
        #expect(frame.width == (symbol.size + 8) * 2)
        #expect(frame.pixels.prefix(8 * frame.width).allSatisfy { $0 == 255 })
        #expect(frame.pixels[8 * frame.width + 8] == 0, "the finder pattern begins after it")
    }

    /// Draws the half blocks as pixels again and reads them.
    @Test func theTerminalDrawingCanBeRead() throws {
        let lines = try QRSymbol("in the terminal").terminal(colours: false).split(separator: "\n").map(Array.init)
        var pixels: [UInt8] = []
        for row in 0..<lines.count * 2 * 4 {
            for column in 0..<lines[0].count * 4 {
                let character = lines[row / 8][column / 4]
                let isLight = character == "█" || character == (row / 4 % 2 == 0 ? "▀" : "▄")
                pixels.append(isLight ? 255 : 0)
            }
        }
        let frame = GrayFrame(width: lines[0].count * 4, height: lines.count * 8, pixels: pixels)
        #expect(QRReader.read(frame).map(\.text) == ["in the terminal"])
    }

    @Test func theColouredDrawingSetsBothColours() throws {
        let lines = try QRSymbol("colours").terminal(colours: true).split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[40;97m") && $0.hasSuffix("\u{1B}[0m") })
    }

    /// Fills the runs of the path again and reads them.
    @Test func theSVGPathDrawsTheSymbol() throws {
        let symbol = try QRSymbol("as a path")
        let side = symbol.size + 8
        var pixels = [UInt8](repeating: 255, count: side * 6 * side * 6)
        let path = try #require(symbol.svg().split(separator: "<path d=\"").last?.split(separator: "\"").first)
        for run in path.split(separator: "z") {
            let numbers = run.split { !$0.isNumber }.compactMap { Int($0) }
            try #require(numbers.count == 5)
            for y in numbers[1] * 6..<(numbers[1] + 1) * 6 {
                for x in numbers[0] * 6..<(numbers[0] + numbers[2]) * 6 { pixels[y * side * 6 + x] = 0 }
            }
        }
        #expect(QRReader.read(GrayFrame(width: side * 6, height: side * 6, pixels: pixels)).map(\.text) == ["as a path"])
    }
}
