import Codec
import Credentials
import Crypto
import Ports

/// Remarks about single values.
enum Meanings {
    /// 16 bytes as a UUID.
    static let uuid = Shape.value { item in
        guard let bytes = try? item.bytes() else { return nil }
        guard bytes.count == 16 else { return "a UUID has 16 bytes, here are \(bytes.count)" }
        let groups = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
        return groups.map { Hex.encode($0) }.joined(separator: "-")
    }

    /// A number that has a name.
    static func names(_ names: [Int: String]) -> Shape {
        .value { item in (try? item.int()).map { names[$0] ?? "not a known number" } }
    }

    static let algorithm = Shape.value { item in
        (try? item.int()).map { COSEAlgorithm(rawValue: $0)?.name ?? "not an algorithm of ISO/IEC 18013-5" }
    }

    static let curve = Shape.value { item in
        (try? item.int()).map { Curve(coseCurve: $0)?.rawValue ?? "not a curve of ISO/IEC 18013-5" }
    }

    static let keyType = names([1: "OKP", 2: "EC2", 3: "RSA", 4: "symmetric"])
    static let sessionStatus = names([10: "session encryption error", 11: "CBOR decoding error", 20: "session termination"])
    static let responseStatus = names([0: "OK", 10: "general error", 11: "CBOR decoding error", 12: "CBOR validation error"])
    static let errorCode = names([0: "data not returned"])
    static let cipherSuite = names([1: "ECDH, HKDF and AES-256-GCM on the EDeviceKey's curve"])
    static let capability = names([
        2: "handover session establishment", 3: "reader authentication of all requests", 4: "extended requests",
    ])
    static let purpose = names([1: "identity", 2: "driving", 3: "age"])
    static let intentToRetain = Shape.value { item in
        (try? item.bool()).map { $0 ? "intends to retain" : "does not intend to retain" }
    }

    /// What a COSE_Key is, and whether it is a usable key.
    static let coseKey: @Sendable (CBOR) -> String? = { item in
        do {
            let key = try COSEKey(item)
            let curve = key.curve.map(\.rawValue) ?? "unknown curve"
            let kind = key.isPrivate ? "private key" : "public key"
            do {
                _ = try key.publicKey
                return "\(kind) on \(curve)"
            } catch {
                return "\(kind) on \(curve), not usable: \(error)"
            }
        } catch {
            return "no COSE_Key: \(error)"
        }
    }

    /// Seconds since 1970 as a date, for CWT claims.
    static let numericDate = Shape.value { item in
        let seconds = (try? item.int()) ?? (try? item.double()).flatMap { Int(exactly: $0.rounded(.down)) }
        return seconds.map { date($0) }
    }

    /// Compressed status bits.
    static let statusBits = Shape.value { item in
        guard let bytes = try? item.bytes() else { return nil }
        do throws(DeflateError) {
            return "zlib, \(try Deflate.inflate(bytes, limit: 64 << 20).count) bytes of status values"
        } catch {
            return "no status list: \(error)"
        }
    }

    /// What a byte string holds that starts like a known file.
    static func media(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) { return "JPEG picture" }
        if bytes.starts(with: [0x00, 0x00, 0x00, 0x0c, 0x6a, 0x50, 0x20, 0x20]) || bytes.starts(with: [0xff, 0x4f, 0xff, 0x51]) {
            return "JPEG 2000 picture"
        }
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "PNG picture" }
        return nil
    }
}

extension Meanings {
    /// Seconds since 1970 as a date.
    static func date(_ seconds: Int) -> String { Timestamp(secondsSince1970: Int64(seconds)).rfc3339 }
}
