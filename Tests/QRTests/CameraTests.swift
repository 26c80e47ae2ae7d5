import Testing

@testable import QR

/// Frames as cameras deliver them, recorded in each format from a drawn code; and devices that are none.
@Suite struct CameraTests {
    private static let text = "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVggWojRgrzl9C76"
    private static let width = 320
    private static let height = 240

    /// The code in the middle of a grey scene.
    private static func scene() throws -> GrayFrame {
        let drawn = try Picture(try QRSymbol(text).png(scale: 4)).frame
        let factor = max(1, (max(drawn.width, drawn.height) + height - 1) / height)
        let code = drawn.shrunk(by: factor)
        var pixels = [UInt8](repeating: 170, count: width * height)
        let (left, top) = ((width - code.width) / 2, (height - code.height) / 2)
        for row in 0..<code.height {
            for column in 0..<code.width { pixels[(top + row) * width + left + column] = code.pixels[row * code.width + column] }
        }
        return GrayFrame(width: width, height: height, pixels: pixels)
    }

    /// What a device's memory holds.
    private static func recorded(_ format: CameraFormat, padding: Int) throws -> [UInt8] {
        let scene = try scene()
        if format == .mjpeg { return try scene.jpeg(quality: 80) }
        return (0..<height).flatMap { row -> [UInt8] in
            let line = scene.pixels[row * width..<(row + 1) * width]
            let bytes = format == .grey ? Array(line) : line.flatMap { [$0, 128] }
            return bytes + [UInt8](repeating: 0xEE, count: padding)
        }
    }

    @Test(arguments: [CameraFormat.grey, .yuyv, .mjpeg], [0, 64])
    func aCodeBeforeTheCameraIsRead(format: CameraFormat, padding: Int) throws {
        let bytes = try Self.recorded(format, padding: padding)
        let stride = Self.width * (format == .yuyv ? 2 : 1) + padding
        let frame = try #require(format.frame(bytes, width: Self.width, height: Self.height, stride: stride))
        #expect(frame.width == Self.width && frame.height == Self.height)
        if format != .mjpeg { #expect(try frame == Self.scene()) }
        #expect(QRReader.read(frame).map(\.text) == [Self.text])
    }

    @Test(arguments: [CameraFormat.grey, .yuyv, .mjpeg])
    func aFrameThatIsCutShortIsNone(format: CameraFormat) throws {
        let bytes = try Self.recorded(format, padding: 0)
        let stride = Self.width * (format == .yuyv ? 2 : 1)
        let count = format == .mjpeg ? 20 : bytes.count - 1
        #expect(format.frame(Array(bytes.prefix(count)), width: Self.width, height: Self.height, stride: stride) == nil)
        #expect(format.frame([], width: Self.width, height: Self.height, stride: stride) == nil)
        if format != .mjpeg {
            #expect(format.frame(bytes, width: 0, height: 10, stride: 0) == nil)
            #expect(format.frame(bytes, width: 1 << 40, height: 1 << 40, stride: .max) == nil)
        }
    }

    @Test func whatIsNoCameraIsNamed() {
        #expect(throws: Camera.Failure.device(path: "/dev/nonexistent", doing: "opening it", code: 2)) {
            try Camera("/dev/nonexistent")
        }
        #expect(throws: Camera.Failure.device(path: "/dev/null", doing: "asking what it can do", code: 25)) {
            try Camera("/dev/null")
        }
    }
}
