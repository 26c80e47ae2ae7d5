import COpenSSL

/// The SHA-3 hash functions (FIPS 202): for digests of SD-JWTs that name them; nothing else here uses them.
public enum SHA3: Sendable, Hashable, CaseIterable {
    case sha3_256
    case sha3_384
    case sha3_512

    /// Length of a digest in bytes.
    public var length: Int {
        switch self {
        case .sha3_256: 32
        case .sha3_384: 48
        case .sha3_512: 64
        }
    }

    /// The digest of the bytes.
    public func digest(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { out, count in
            let done = EVP_Digest(bytes, bytes.count, out.baseAddress, nil, handle, nil)
            precondition(done == 1, "a one-shot digest fails only when memory is exhausted")
            count = length
        }
    }

    private var handle: OpaquePointer {
        switch self {
        case .sha3_256: Self.handles.0
        case .sha3_384: Self.handles.1
        case .sha3_512: Self.handles.2
        }
    }

    // EVP_MD is immutable and reference counted; these references are never given back.
    nonisolated(unsafe) private static let handles = (fetch("SHA3-256"), fetch("SHA3-384"), fetch("SHA3-512"))

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let handle = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("every OpenSSL 3 has \(name); its configuration file switches off the default provider")
        }
        return handle
    }
}
