import COpenSSL

/// The hash functions of COSE, JOSE, ISO/IEC 18013-5 and X.509; raw values are the names that an MSO's `digestAlgorithm` uses.
public enum HashAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// For subject key identifiers (RFC 5280 §4.2.1.2) and other names only; never for signatures.
    case sha1 = "SHA-1"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"

    /// Length of a digest in bytes.
    public var length: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of the bytes.
    public func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { out, count in
            write(bytes, to: UnsafeMutableRawBufferPointer(out))
            count = length
        }
    }

    /// The digest of the bytes.
    public func digest(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { digest($0) }
    }

    /// The digest of the bytes.
    public func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.withUnsafeBytes { digest($0) }
    }

    /// The digest of all parts, one after the other, without joining them first.
    public func digest(parts: [[UInt8]]) -> [UInt8] {
        var digest = Digest(self)
        for part in parts { digest.update(part) }
        return digest.finish()
    }

    /// Whether the digest of the bytes is `expected`; allocates nothing.
    public func matches(_ expected: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { out in
            write(bytes, to: out)
            return expected.count == length && CRYPTO_memcmp(expected, out.baseAddress, length) == 0
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer) {
        let done = EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, handle, nil)
        precondition(done == 1, "a one-shot digest fails only when memory is exhausted")
    }
}

extension HashAlgorithm {
    /// OpenSSL's implementation, fetched once for the life of the process.
    var handle: OpaquePointer {
        switch self {
        case .sha1: Self.handles.sha1
        case .sha256: Self.handles.sha256
        case .sha384: Self.handles.sha384
        case .sha512: Self.handles.sha512
        }
    }

    /// The name OpenSSL knows the algorithm by.
    var opensslName: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }

    // EVP_MD is immutable and reference counted; these references are never given back.
    nonisolated(unsafe) private static let handles = (
        sha1: fetch(.sha1), sha256: fetch(.sha256), sha384: fetch(.sha384), sha512: fetch(.sha512)
    )

    private static func fetch(_ algorithm: HashAlgorithm) -> OpaquePointer {
        guard let handle = EVP_MD_fetch(nil, algorithm.opensslName, nil) else {
            preconditionFailure(
                "every OpenSSL 3 has \(algorithm.rawValue); its configuration file switches off the default provider")
        }
        return handle
    }
}

/// A digest being computed over bytes that arrive in pieces.
public struct Digest: ~Copyable {
    private let algorithm: HashAlgorithm
    private let context: OpaquePointer

    /// Starts an empty digest.
    public init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, algorithm.handle, nil) == 1 else {
            preconditionFailure("a digest context fails only when memory is exhausted")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes.
    public mutating func update(_ bytes: [UInt8]) {
        EVP_DigestUpdate(context, bytes, bytes.count)
    }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of everything added.
    public consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.length) { out, count in
            EVP_DigestFinal_ex(context, out.baseAddress, nil)
            count = algorithm.length
        }
    }
}
