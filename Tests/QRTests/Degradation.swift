import Glibc
import QR

/// What cameras and screens do to a picture, drawn by code.
enum Degradation {
    /// Each pixel looked up at a position of the original; white outside, linear between pixels.
    static func warp(
        _ frame: GrayFrame, width: Int, height: Int, _ source: (Double, Double) -> (x: Double, y: Double)
    ) -> GrayFrame {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                let position = source(Double(x), Double(y))
                pixels.append(UInt8(clamping: Int(sample(frame, position.x, position.y).rounded())))
            }
        }
        return GrayFrame(width: width, height: height, pixels: pixels)
    }

    static func rotated(_ frame: GrayFrame, degrees: Double) -> GrayFrame {
        let side = Int(Double(max(frame.width, frame.height)) * 1.45)
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let middle = Double(side) / 2
        return warp(frame, width: side, height: side) { x, y in
            let (dx, dy) = (x - middle, y - middle)
            return (dx * cosine + dy * sine + Double(frame.width) / 2, dy * cosine - dx * sine + Double(frame.height) / 2)
        }
    }

    /// The upper edge shorter than the lower one by the share `amount`.
    static func perspective(_ frame: GrayFrame, amount: Double) -> GrayFrame {
        let (width, height) = (Double(frame.width), Double(frame.height))
        return warp(frame, width: frame.width, height: frame.height) { x, y in
            let scale = 1 - amount * (1 - y / height)
            let depth = y / height / (1 - amount + amount * y / height) * (1 - amount) + y / height * amount
            return ((x - width / 2) / scale + width / 2, min(depth, 1) * height)
        }
    }

    static func scaled(_ frame: GrayFrame, by factor: Double) -> GrayFrame {
        warp(frame, width: Int(Double(frame.width) * factor), height: Int(Double(frame.height) * factor)) { x, y in
            ((x + 0.5) / factor - 0.5, (y + 0.5) / factor - 0.5)
        }
    }

    /// Gaussian blur.
    static func blurred(_ frame: GrayFrame, sigma: Double) -> GrayFrame {
        let reach = Int((3 * sigma).rounded(.up))
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let total = weights.reduce(0, +)
        func pass(_ frame: GrayFrame, _ dx: Int, _ dy: Int) -> GrayFrame {
            var pixels: [UInt8] = []
            pixels.reserveCapacity(frame.pixels.count)
            for y in 0..<frame.height {
                for x in 0..<frame.width {
                    var sum = 0.0
                    for (index, weight) in weights.enumerated() {
                        let (sx, sy) = (x + (index - reach) * dx, y + (index - reach) * dy)
                        sum += weight * Double(pixel(frame, min(max(sx, 0), frame.width - 1), min(max(sy, 0), frame.height - 1)))
                    }
                    pixels.append(UInt8(clamping: Int((sum / total).rounded())))
                }
            }
            return GrayFrame(width: frame.width, height: frame.height, pixels: pixels)
        }
        return pass(pass(frame, 1, 0), 0, 1)
    }

    /// Noise of a triangular distribution with about the standard deviation `sigma`, the same every time.
    static func noisy(_ frame: GrayFrame, sigma: Double) -> GrayFrame {
        var state: UInt64 = 42
        func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        let spread = sigma * 6.0.squareRoot()
        return map(frame) { Double($0) + (next() - next()) * spread }
    }

    /// Grey values squeezed into the share `amount` around the middle.
    static func faint(_ frame: GrayFrame, amount: Double) -> GrayFrame {
        map(frame) { (Double($0) - 127) * amount + 127 }
    }

    static func inverted(_ frame: GrayFrame) -> GrayFrame {
        map(frame) { 255 - Double($0) }
    }

    /// A shadow that grows from left to right.
    static func shaded(_ frame: GrayFrame, strength: Double) -> GrayFrame {
        let pixels = frame.pixels.enumerated().map { index, pixel in
            UInt8(clamping: Int(Double(pixel) * (1 - strength * Double(index % frame.width) / Double(frame.width))))
        }
        return GrayFrame(width: frame.width, height: frame.height, pixels: pixels)
    }

    /// Frames side by side over grey.
    static func beside(_ frames: [GrayFrame]) -> GrayFrame {
        let height = frames.map(\.height).max() ?? 1
        var pixels: [UInt8] = []
        for y in 0..<height {
            for frame in frames {
                pixels +=
                    y < frame.height
                    ? Array(frame.pixels[y * frame.width..<(y + 1) * frame.width])
                    : [UInt8](repeating: 200, count: frame.width)
            }
        }
        return GrayFrame(width: frames.map(\.width).reduce(0, +), height: height, pixels: pixels)
    }

    /// In the middle of a larger grey picture, as on a photo.
    static func framed(_ frame: GrayFrame, width: Int, height: Int, grey: UInt8) -> GrayFrame {
        var pixels = [UInt8](repeating: grey, count: width * height)
        let (left, top) = ((width - frame.width) / 2, (height - frame.height) / 2)
        for y in 0..<frame.height {
            for x in 0..<frame.width { pixels[(top + y) * width + left + x] = pixel(frame, x, y) }
        }
        return GrayFrame(width: width, height: height, pixels: pixels)
    }

    private static func map(_ frame: GrayFrame, _ change: (UInt8) -> Double) -> GrayFrame {
        let pixels = frame.pixels.map { UInt8(clamping: Int(change($0).rounded())) }
        return GrayFrame(width: frame.width, height: frame.height, pixels: pixels)
    }

    private static func pixel(_ frame: GrayFrame, _ x: Int, _ y: Int) -> UInt8 {
        frame.pixels[y * frame.width + x]
    }

    private static func sample(_ frame: GrayFrame, _ x: Double, _ y: Double) -> Double {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        func at(_ x: Int, _ y: Int) -> Double {
            x >= 0 && y >= 0 && x < frame.width && y < frame.height ? Double(pixel(frame, x, y)) : 255
        }
        let (fx, fy) = (x - Double(left), y - Double(top))
        let upper = at(left, top) * (1 - fx) + at(left + 1, top) * fx
        let lower = at(left, top + 1) * (1 - fx) + at(left + 1, top + 1) * fx
        return upper * (1 - fy) + lower * fy
    }
}
