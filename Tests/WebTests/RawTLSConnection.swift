import CCurl
import Glibc
import Ports

/// TLS to a server without any HTTP of its own and without a look at the certificate.
final class RawTLSConnection: @unchecked Sendable {
    // One test uses it, one thread at a time.
    private let handle: UnsafeMutableRawPointer

    init(_ url: WebURL) throws {
        guard let handle = curl_easy_init() else { throw Failure(code: CURLE_FAILED_INIT) }
        self.handle = handle
        _ = ccurl_set_text(handle, CURLOPT_URL, url.description)
        for (option, value) in [(CURLOPT_CONNECT_ONLY, 1), (CURLOPT_SSL_VERIFYPEER, 0), (CURLOPT_SSL_VERIFYHOST, 0)] {
            _ = ccurl_set_long(handle, option, value)
        }
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { throw Failure(code: code) }
    }

    struct Failure: Error {
        let code: CURLcode
    }

    deinit { curl_easy_cleanup(handle) }

    /// False when the other side has closed.
    func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var sent = 0
            let code = rest.withUnsafeBytes { curl_easy_send(handle, $0.baseAddress, $0.count, &sent) }
            guard code == CURLE_OK || code == CURLE_AGAIN else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Everything until the other side closes, with a drop sent again and again meanwhile: the connection never is idle.
    func receiveAll(sending drop: String) async -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            var count = 0
            switch curl_easy_recv(handle, &chunk, chunk.count, &count) {
            case CURLE_AGAIN:
                _ = send(drop)
                try? await Task.sleep(for: .milliseconds(50))
            case CURLE_OK where count > 0: bytes += chunk[..<count]
            default: return String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
