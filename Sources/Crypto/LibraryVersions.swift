internal import COpenSSL

/// Versions of the C libraries behind this module, as they report them at run time.
package enum CryptoLibraries {
    package static var versions: [(name: String, version: String)] {
        [("openssl", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)))]
    }
}
