internal import CSQLite

/// Versions of the C libraries behind this module, as they report them at run time.
package enum VaultLibraries {
    package static var versions: [(name: String, version: String)] {
        [("sqlite", String(cString: sqlite3_libversion()))]
    }
}
