import CCurl
import CMicroHTTPD

/// Versions of the C libraries behind this module.
package enum WebLibraries {
    package static var versions: [(name: String, version: String)] {
        [("libmicrohttpd", String(cString: MHD_get_version())), ("libcurl", curl)]
    }

    /// The first word of curl_version() is `libcurl/` and the version.
    private static var curl: String {
        let words = String(cString: curl_version()).split(separator: " ")
        return words.first.flatMap { $0.split(separator: "/").last }.map(String.init) ?? "unknown"
    }
}
