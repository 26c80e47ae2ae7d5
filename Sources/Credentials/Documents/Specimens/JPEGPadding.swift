/// JPEG files of any size that look the same: for trying how large presentations behave.
package enum JPEGPadding {
    /// The picture with comment segments after its first marker, so that it has `size` bytes.
    ///
    /// - Returns: the picture unchanged when it is that large already, lacks the marker, or the gap is too small for a segment
    ///   (below 4 bytes).
    package static func pad(_ picture: [UInt8], to size: Int) -> [UInt8] {
        guard picture.starts(with: [0xFF, 0xD8]), size - picture.count >= 4 else { return picture }
        var gap = size - picture.count
        var segments: [UInt8] = []
        segments.reserveCapacity(gap)
        while gap > 0 {
            // A segment is FF FE, a length of 2…65535 that counts itself, and content. Never leave less than a segment.
            let whole = min(gap, 65537)
            let length = gap - whole > 0 && gap - whole < 4 ? whole - 4 : whole
            segments += [0xFF, 0xFE, UInt8((length - 2) >> 8), UInt8((length - 2) & 0xFF)]
            segments += repeatElement(UInt8(ascii: "."), count: length - 4)
            gap -= length
        }
        return picture[..<2] + segments + picture[2...]
    }
}
