import Glibc

/// IP addresses as text.
enum NetworkAddress {
    /// 4 bytes of an IPv4 address, 16 of an IPv6 address; nil for anything else.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
