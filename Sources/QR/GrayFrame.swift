import CImage

/// A grey picture: one byte a pixel, rows top down without padding, 0 is black. From a file or a camera.
public struct GrayFrame: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// width × height bytes.
    public let pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height, "a frame has width × height pixels")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// A PNG file.
    public func png() throws(PictureError) -> [UInt8] {
        try encoded { cimage_encode_png(pixels, UInt32(width), UInt32(height), &$0, &$1) }
    }

    /// A JPEG file.
    /// - Parameter quality: 1 to 100.
    public func jpeg(quality: Int) throws(PictureError) -> [UInt8] {
        try encoded { cimage_encode_jpeg(pixels, UInt32(width), UInt32(height), Int32(clamping: quality), &$0, &$1) }
    }

    private func encoded(
        _ encode: (inout UnsafeMutablePointer<UInt8>?, inout Int) -> cimage_status
    ) throws(PictureError) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        var length = 0
        let status = encode(&bytes, &length)
        guard status == CIMAGE_OK, let bytes else {
            throw status == CIMAGE_NO_MEMORY ? .outOfMemory : .broken(format: "picture", reason: "cannot be encoded")
        }
        defer { cimage_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: length))
    }
}

extension GrayFrame {
    /// Spreads the grey values so that the darkest and the lightest 1 % become black and white.
    func stretched() -> GrayFrame {
        var histogram = [Int](repeating: 0, count: 256)
        for pixel in pixels { histogram[Int(pixel)] += 1 }
        let cut = pixels.count / 100
        let low = Self.level(histogram, indices: Array(0...255), above: cut)
        let high = Self.level(histogram, indices: Array((0...255).reversed()), above: cut)
        guard high > low else { return self }
        let table = (0...255).map { UInt8(clamping: ($0 - low) * 255 / (high - low)) }
        return GrayFrame(width: width, height: height, pixels: pixels.map { table[Int($0)] })
    }

    func inverted() -> GrayFrame {
        GrayFrame(width: width, height: height, pixels: pixels.map { 255 - $0 })
    }

    /// Averages squares of `factor` × `factor` pixels; what is left over at the edges is dropped.
    func shrunk(by factor: Int) -> GrayFrame {
        let (newWidth, newHeight) = (width / factor, height / factor)
        guard factor > 1, newWidth > 0, newHeight > 0 else { return self }
        var sums = [Int](repeating: 0, count: newWidth)
        var result: [UInt8] = []
        result.reserveCapacity(newWidth * newHeight)
        pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<newHeight {
                for x in 0..<newWidth { sums[x] = 0 }
                for line in y * factor..<(y + 1) * factor {
                    let start = line * width
                    for x in 0..<newWidth * factor { sums[x / factor] += Int(pixels[start + x]) }
                }
                for sum in sums { result.append(UInt8(sum / (factor * factor))) }
            }
        }
        return GrayFrame(width: newWidth, height: newHeight, pixels: result)
    }

    private static func level(_ histogram: [Int], indices: [Int], above cut: Int) -> Int {
        var count = 0
        for index in indices {
            count += histogram[index]
            if count > cut { return index }
        }
        return 0
    }
}
