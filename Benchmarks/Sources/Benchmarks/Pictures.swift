import CDecoderBound
import Glibc
import QR

/// Pictures of a QR code, and who reads them.
struct Pictures {
    let folder: String

    func measure() throws {
        for name in try names() {
            let frame = try Picture(Inputs.read(folder, name)).frame
            let ours = Self.timed { !QRReader.read(frame).isEmpty }
            let zxing = Self.timed { bound_zxing(frame.pixels, Int32(frame.width), Int32(frame.height)) == 1 }
            let zbar = Self.timed { bound_zbar(frame.pixels, UInt32(frame.width), UInt32(frame.height)) == 1 }
            print(name, ours, zxing, zbar, separator: "\t")
        }
    }

    /// `1` or `0`, and the shorter of two times in microseconds.
    private static func timed(_ read: () -> Bool) -> String {
        var reads = false
        let times = (0..<2).map { _ in Stopwatch.once { reads = read() } }
        return "\(reads ? 1 : 0)\t\((times.min() ?? 0) * 1e6)"
    }

    private func names() throws -> [String] {
        guard let entries = opendir(folder) else { throw Failure(description: "\(folder) cannot be read") }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.filter { $0.hasSuffix(".png") }.sorted()
    }
}
