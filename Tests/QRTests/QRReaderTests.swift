import QR
import Testing

/// A device engagement as long as those with a Bluetooth method are.
private let text =
    "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVggYKAEQ2FyoaRFdHmJZKeKnd2RvAM16GrOwv6H735ZaWAiWCDT7bTMioRN9MBOuYeAYIxECNhqk4Fz4ma8EMMTbJPZEQKBgwIBowD0AfULUH4xxz-9wkU2vVgxPAaJXZw"

@Suite struct QRReaderTests {
    private static func frame(scale: Int = 6) throws -> GrayFrame { try QRSymbol(text).frame(scale: scale) }

    private func expectRead(_ frame: GrayFrame, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(QRReader.read(frame).map(\.text) == [text], comment, sourceLocation: sourceLocation)
    }

    @Test(arguments: [0.0, 7, 15, 30, 45, 90, 133, 180, 270])
    func readsAtAnyAngle(_ degrees: Double) throws {
        expectRead(Degradation.rotated(try Self.frame(), degrees: degrees))
    }

    @Test(arguments: [0.05, 0.1, 0.2])
    func readsSlantedCodes(_ amount: Double) throws {
        expectRead(Degradation.perspective(try Self.frame(), amount: amount))
    }

    @Test(arguments: [0.5, 1, 1.5, 2])
    func readsBlurredCodes(_ sigma: Double) throws {
        expectRead(Degradation.blurred(try Self.frame(), sigma: sigma))
    }

    @Test(arguments: [10.0, 20, 30])
    func readsNoisyCodes(_ sigma: Double) throws {
        expectRead(Degradation.noisy(try Self.frame(), sigma: sigma))
    }

    @Test(arguments: [0.5, 0.3, 0.15, 0.08])
    func readsFaintCodes(_ amount: Double) throws {
        expectRead(Degradation.faint(try Self.frame(), amount: amount))
    }

    @Test func readsInvertedCodes() throws {
        expectRead(Degradation.inverted(try Self.frame()))
    }

    @Test func readsFaintInvertedCodes() throws {
        expectRead(Degradation.faint(Degradation.inverted(try Self.frame()), amount: 0.15))
    }

    @Test(arguments: [1.5, 2, 3, 10])
    func readsModulesOfFewPixels(_ pixels: Double) throws {
        expectRead(Degradation.scaled(try Self.frame(scale: 8), by: pixels / 8))
    }

    @Test func readsThroughAShadow() throws {
        expectRead(Degradation.shaded(try Self.frame(), strength: 0.7))
    }

    @Test func readsASmallCodeInALargeBlurredPhoto() throws {
        let code = Degradation.blurred(Degradation.rotated(try Self.frame(scale: 7), degrees: 12), sigma: 2.5)
        expectRead(Degradation.noisy(Degradation.framed(code, width: 1700, height: 1200, grey: 120), sigma: 12))
    }

    @Test(arguments: [90, 30, 10])
    func readsJPEGs(_ quality: Int) throws {
        let picture = try Picture(try Self.frame().jpeg(quality: quality))
        #expect(picture.format == "JPEG")
        expectRead(picture.frame)
    }

    @Test func readsSeveralCodesInOnePicture() throws {
        let texts = ["first", "second", "third"]
        let frames = try texts.map { try QRSymbol($0).frame(scale: 5) }
        let codes = QRReader.read(Degradation.beside(frames))
        #expect(codes.map(\.text).sorted() == texts)
        let lefts = codes.sorted { $0.text < $1.text }.map { $0.corners.map(\.x).min() ?? 0 }
        #expect(lefts == lefts.sorted() && Set(lefts).count == 3, "each code is where it was drawn")
    }

    @Test func findsNothingWhereNothingIs() {
        let grey = GrayFrame(width: 300, height: 200, pixels: [UInt8](repeating: 127, count: 60_000))
        #expect(QRReader.read(grey).isEmpty)
        #expect(QRReader.read(Degradation.noisy(grey, sigma: 40)).isEmpty)
        #expect(QRReader.read(GrayFrame(width: 1, height: 1, pixels: [0])).isEmpty)
    }
}
