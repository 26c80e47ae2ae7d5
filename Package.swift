// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built the same way: imports show a file's true dependencies, existentials are spelled out,
/// and CI turns warnings into errors (`scripts/test --strict`).
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: settings)
}

/// libFuzzer, named by scripts/fuzz: the driver that needs it is part of nobody else's build.
let fuzzer: [Target] =
    (Context.environment["WALLETBENCH_LIBFUZZER"]).map { library in
        [
            .executableTarget(
                name: "FuzzDriver", dependencies: ["Fuzzing"], path: "scripts/fuzz.d", swiftSettings: settings,
                linkerSettings: [.unsafeFlags([library]), .linkedLibrary("stdc++")])
        ]
    } ?? []

let package = Package(
    name: "walletbench",
    products: [
        .library(name: "Codec", targets: ["Codec"]),
        .library(name: "Credentials", targets: ["Credentials"]),
        .library(name: "Proximity", targets: ["Proximity"]),
        .library(name: "QR", targets: ["QR"]),
        .executable(name: "walletbench", targets: ["walletbench"]),
    ],
    targets: [
        // C libraries. All come from Debian; each has exactly one importer.

        // TLS-grade primitives with security support in Debian stable; constant-time EC on every curve ISO/IEC 18013-5 names.
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // The store of the vault: atomic, crash-safe, several processes on one file.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // JSON with duplicate members refused; small, no dependencies of its own.
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        // Deflate (JWE `zip`, status lists), used with an output limit.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // QR code symbols from text.
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // QR codes from pictures, second opinion: reads some that ZXing misses. Loaded at first use, since it brings X11, V4L and D-Bus.
        .target(name: "CZBar"),
        // QR codes from pictures, first choice (47 of 57 degraded pictures at 4 ms; zbar alone 42 at 36 ms). C++ behind extern "C".
        .target(name: "CZXing", linkerSettings: [.linkedLibrary("ZXing")]),
        // PNG and JPEG pixels (libpng's simplified API, libjpeg with its own error exit): setjmp must stay inside C.
        .target(name: "CImage", linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("jpeg")]),
        // Cameras through Video4Linux: its ioctl numbers are macros, and its structures unions, that Swift does not import.
        .target(name: "CVideo"),
        // D-Bus, on which BlueZ offers itself: asynchronous, file descriptors in messages, no main loop or object system of its own.
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        // LE L2CAP channels as sockets: the kernel's own interface in a few lines of C, no library.
        .target(name: "CBluetooth"),

        // HTTP server: connections suspend while a handler thinks, so a slow peer holds no thread; TLS through GnuTLS.
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        // HTTP client: limits on time and size, its own pool of connections, a hook that sees the address before it connects.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // The core. Dependencies point down only; no Foundation below Reports.
        library("Codec", ["CJansson", "CZlib"]),
        library("Ports", ["Codec"]),
        library("Crypto", ["Ports", "Codec", "COpenSSL"]),
        library("Credentials", ["Crypto", "Ports", "Codec"]),
        library("Proximity", ["Credentials", "Crypto", "Ports", "Codec"]),

        library("OpenID", ["Credentials", "Crypto", "Ports", "Codec"]),

        // The edges.
        library("QR", ["CQREncode", "CZBar", "CZXing", "CImage", "CVideo"]),
        library("Vault", ["Crypto", "Ports", "Codec", "CSQLite"]),
        library("Reports", ["Credentials", "Crypto", "Ports", "Codec"]),
        library("BlueZ", ["Proximity", "Ports", "Codec", "CSystemd", "CBluetooth"]),
        library("Web", ["Reports", "QR", "OpenID", "Credentials", "Crypto", "Ports", "Codec", "CMicroHTTPD", "CCurl"]),
        library(
            "Commands",
            ["BlueZ", "Web", "OpenID", "Reports", "Proximity", "Vault", "QR", "Credentials", "Crypto", "Ports", "Codec"]),
        .executableTarget(name: "walletbench", dependencies: ["Commands"], swiftSettings: settings),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Credentials", "Crypto", "Ports", "Codec"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // Where bytes of strangers come in, each as a function that takes any: fed by FuzzingTests and by scripts/fuzz.
        .target(
            name: "Fuzzing",
            dependencies: ["Commands", "Reports", "OpenID", "Proximity", "QR", "Credentials", "Crypto", "Ports", "Codec"],
            path: "Tests/Fuzzing", swiftSettings: settings),
        tests("Fuzzing", ["Fuzzing"]),
        tests("Codec", ["Codec"]),
        tests("Ports", ["Ports", "Codec"]),
        tests("Crypto", ["Crypto", "Ports", "Codec"]),
        tests("Credentials", ["Credentials", "Crypto", "Ports", "Codec"]),
        tests("Proximity", ["Proximity", "Credentials", "Crypto", "Ports", "Codec"]),
        tests("OpenID", ["OpenID", "Credentials", "Crypto", "Ports", "Codec"]),
        tests("Web", ["Web", "OpenID", "Credentials", "Crypto", "Ports", "Codec", "CCurl"]),
        tests("BlueZ", ["BlueZ", "Proximity", "Credentials", "Crypto", "Ports", "Codec"]),
        tests("QR", ["QR"]),
        tests("Vault", ["Vault", "Crypto", "Ports", "Codec"]),
        tests("Reports", ["Reports", "Credentials", "Crypto", "Ports", "Codec"]),
        tests(
            "Commands", ["Commands", "OpenID", "Web", "Proximity", "Vault", "Credentials", "Crypto", "Ports", "Codec"],
            exclude: ["Scripts"]),
    ] + fuzzer,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
