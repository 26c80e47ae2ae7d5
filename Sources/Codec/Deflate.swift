import CZlib

/// Why compressed data was refused.
public enum DeflateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not deflate data, or damaged.
    case malformed
    /// The data ends before the stream does.
    case truncated
    /// Bytes after the end of the stream.
    case trailingBytes(Int)
    /// More output than the caller allows: a compression bomb, or a wrong limit.
    case outputLimit(Int)
    /// The library could not start.
    case unavailable

    /// One line for people.
    public var description: String {
        switch self {
        case .malformed: "not valid deflate data"
        case .truncated: "deflate data ends early"
        case .trailingBytes(let count): "\(count) bytes after the end of the deflate data"
        case .outputLimit(let limit): "decompresses to more than \(limit) bytes"
        case .unavailable: "zlib could not start"
        }
    }
}

/// Deflate (RFC 1951), bare or in the zlib format (RFC 1950).
public enum Deflate {
    /// The wrapping of the stream.
    public enum Format: Sendable {
        /// RFC 1951 alone (JWE `zip`).
        case raw
        /// With the header and checksum of RFC 1950 (status lists).
        case zlib

        fileprivate var windowBits: Int32 { self == .raw ? -15 : 15 }
    }

    /// Compresses at the highest level.
    public static func deflate(_ bytes: [UInt8], format: Format = .zlib) throws(DeflateError) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 9, Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
                == Z_OK
        else { throw .unavailable }
        defer { deflateEnd(&stream) }
        return try run(&stream, bytes, limit: .max, step: CZlib.deflate)
    }

    /// Decompresses a whole stream to at most `limit` bytes; memory grows with the output, not with the limit.
    public static func inflate(_ bytes: [UInt8], limit: Int, format: Format = .zlib) throws(DeflateError) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, format.windowBits, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .unavailable
        }
        defer { inflateEnd(&stream) }
        return try run(&stream, bytes, limit: limit, step: CZlib.inflate)
    }

    private static func run(
        _ stream: inout z_stream, _ bytes: [UInt8], limit: Int, step: (z_streamp?, Int32) -> Int32
    ) throws(DeflateError) -> [UInt8] {
        guard let count = UInt32(exactly: bytes.count) else { throw .outputLimit(Int(UInt32.max)) }
        var output: [UInt8] = []
        var input = bytes
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        var status = Z_OK
        let result = input.withUnsafeMutableBufferPointer { input -> DeflateError? in
            stream.next_in = input.baseAddress
            stream.avail_in = count
            repeat {
                let produced = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    status = step(&stream, Z_FINISH)
                    return chunk.count - Int(stream.avail_out)
                }
                guard produced <= limit - output.count else { return .outputLimit(limit) }
                output += chunk[..<produced]
                if status == Z_BUF_ERROR && produced == 0 { return .truncated }
            } while status == Z_OK || status == Z_BUF_ERROR
            guard status == Z_STREAM_END else { return .malformed }
            return stream.avail_in == 0 ? nil : .trailingBytes(Int(stream.avail_in))
        }
        if let result { throw result }
        return output
    }
}
