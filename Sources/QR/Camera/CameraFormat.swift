/// How a camera lays out its frames.
package enum CameraFormat: String, Sendable, Hashable {
    /// One byte a pixel.
    case grey
    /// Two bytes a pixel, the first of them grey.
    case yuyv
    /// A JPEG picture each.
    case mjpeg

    /// The grey picture in a frame.
    /// - Parameters:
    ///   - stride: bytes from one row to the next; less than a row needs counts as what it needs.
    /// - Returns: nil for a frame that is cut short or broken, as cameras send them now and then.
    package func frame(_ bytes: [UInt8], width: Int, height: Int, stride: Int) -> GrayFrame? {
        switch self {
        case .grey: Self.rows(bytes, width, height, stride, step: 1)
        case .yuyv: Self.rows(bytes, width, height, stride, step: 2)
        case .mjpeg: (try? Picture(bytes))?.frame
        }
    }

    private static func rows(_ bytes: [UInt8], _ width: Int, _ height: Int, _ stride: Int, step: Int) -> GrayFrame? {
        guard (1...16_384).contains(width), (1...16_384).contains(height), stride <= 1 << 20 else { return nil }
        let stride = max(stride, width * step)
        guard bytes.count >= stride * (height - 1) + width * step else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            let start = row * stride
            if step == 1 {
                pixels += bytes[start..<start + width]
            } else {
                for column in 0..<width { pixels.append(bytes[start + column * step]) }
            }
        }
        return GrayFrame(width: width, height: height, pixels: pixels)
    }
}
