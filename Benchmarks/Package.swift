// swift-tools-version: 6.2
import PackageDescription

// Measures the library as its users build it. A package of its own, so that nobody who builds walletbench builds this.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "walletbench", path: "..")],
    targets: [
        // What OpenSSL alone costs for the same work: no verifier that stands on it can be faster.
        .target(name: "COpenSSLBound", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "COpenSSLBound", .product(name: "Codec", package: "walletbench"),
                .product(name: "Credentials", package: "walletbench"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
