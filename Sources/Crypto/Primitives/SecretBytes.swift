import COpenSSL

/// Key material of fixed length: never printed, compared in constant time, overwritten when the last owner lets go.
public final class SecretBytes: Sendable {
    // Written only in init and deinit, so that sharing the memory between tasks is safe.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    /// A copy of the bytes.
    public init(_ bytes: [UInt8]) {
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        memory.copyBytes(from: bytes)
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// Length in bytes.
    public var count: Int { memory.count }

    /// The bytes, valid only inside the closure; what is copied out of it is the caller's to erase.
    public func withBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(memory))
    }
}

/// Equality without a hint in time of where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes; only their lengths influence the time taken.
    public static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// Whether both hold the same bytes; only their lengths influence the time taken.
    public static func equal(_ a: SecretBytes, _ b: SecretBytes) -> Bool {
        a.withBytes { left in
            b.withBytes { right in left.count == right.count && CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros in a way the optimiser keeps, then empties the array. Reaches this copy only.
    public mutating func erase() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        removeAll()
    }
}
