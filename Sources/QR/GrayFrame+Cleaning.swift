/// What is done to a picture by the surroundings of each pixel: itself and its eight neighbours, edges repeated outward.
extension GrayFrame {
    /// The median of the nine: removes specks and keeps edges.
    func unspeckled() -> GrayFrame {
        filtered { window in
            // Insertion sort of nine bytes, in place.
            for place in 1..<9 {
                let pixel = window[place]
                var gap = place
                while gap > 0, window[gap - 1] > pixel {
                    window[gap] = window[gap - 1]
                    gap -= 1
                }
                window[gap] = pixel
            }
            return window[4]
        }
    }

    /// The mean of the nine: evens out noise.
    func smoothed() -> GrayFrame {
        filtered { window in UInt8(window.reduce(0) { $0 + Int($1) } / 9) }
    }

    /// Away from the mean of the nine: edges that blur has flattened stand up again.
    func sharpened() -> GrayFrame {
        filtered { window in
            let own = Int(window[4])
            return UInt8(clamping: own + (own * 9 - window.reduce(0) { $0 + Int($1) }) / 3)
        }
    }

    private func filtered(_ body: (UnsafeMutableBufferPointer<UInt8>) -> UInt8) -> GrayFrame {
        let result = [UInt8](unsafeUninitializedCapacity: pixels.count) { result, count in
            pixels.withUnsafeBufferPointer { pixels in
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { window in
                    for y in 0..<height {
                        let rows = (max(y - 1, 0) * width, y * width, min(y + 1, height - 1) * width)
                        for x in 0..<width {
                            let (left, right) = (max(x - 1, 0), min(x + 1, width - 1))
                            (window[0], window[1], window[2]) = (pixels[rows.0 + left], pixels[rows.0 + x], pixels[rows.0 + right])
                            (window[3], window[4], window[5]) = (pixels[rows.1 + left], pixels[rows.1 + x], pixels[rows.1 + right])
                            (window[6], window[7], window[8]) = (pixels[rows.2 + left], pixels[rows.2 + x], pixels[rows.2 + right])
                            result[rows.1 + x] = body(window)
                        }
                    }
                }
            }
            count = pixels.count
        }
        return GrayFrame(width: width, height: height, pixels: result)
    }
}
