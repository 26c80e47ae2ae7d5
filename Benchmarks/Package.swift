// swift-tools-version: 6.2
import PackageDescription

// Measures the library as its users build it. A package of its own, so that nobody who builds walletbench builds this.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "walletbench", path: "..")],
    targets: [
        // What OpenSSL alone costs for the same work: no verifier that stands on it can be faster.
        .target(name: "COpenSSLBound", linkerSettings: [.linkedLibrary("crypto")]),
        // zxing-cpp and zbar alone on a picture, and libcbor's encoder.
        .target(
            name: "CDecoderBound",
            linkerSettings: [.linkedLibrary("ZXing"), .linkedLibrary("zbar"), .linkedLibrary("cbor")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "COpenSSLBound", "CDecoderBound", .product(name: "Codec", package: "walletbench"),
                .product(name: "Credentials", package: "walletbench"), .product(name: "QR", package: "walletbench"),
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
