internal import CJansson
internal import CZlib

/// Versions of the C libraries behind this module, as they report them at run time.
package enum CodecLibraries {
    package static var versions: [(name: String, version: String)] {
        [("jansson", String(cString: jansson_version_str())), ("zlib", String(cString: zlibVersion()))]
    }
}
