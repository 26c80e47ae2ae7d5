import CDecoderBound
import COpenSSLBound
import Codec
import Credentials
import Crypto
import Glibc
import Ports

/// Why nothing was measured.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// `Benchmarks FOLDER [NAME]`: measures over the files that `scripts/bench` made there, one line a measurement: name and
/// microseconds. With a name only that one, over and over for seconds: what a profiler looks at.
///
/// `Benchmarks --pictures FOLDER`: reads the QR code in each picture; one line a picture: its name, then whether this program, zxing-cpp
/// and zbar read it (0 or 1), each with the microseconds that it took.
@main
struct Benchmarks {
    static func main() async {
        do {
            let arguments = CommandLine.arguments
            if arguments.count == 3, arguments[1] == "--pictures" { return try Pictures(folder: arguments[2]).measure() }
            guard (2...3).contains(arguments.count) else { throw Failure(description: "usage: Benchmarks FOLDER [NAME]") }
            try await Inputs(folder: arguments[1], only: arguments.count == 3 ? arguments[2] : nil).measure()
        } catch {
            let line = "error: \(error)\n"
            _ = write(STDERR_FILENO, line, line.utf8.count)
            exit(1)
        }
    }
}

/// What is measured on.
struct Inputs {
    let root: [UInt8]
    let signer: [UInt8]
    let signerKey: PrivateKey
    let transcript: SessionTranscript
    let response: [UInt8]
    let large: [UInt8]
    /// A status list as a JWT, and its entries of 8 bits.
    let statusList: [UInt8]
    let statuses: [UInt8]
    let now = SystemClock().now()
    /// The only measurement wanted.
    let only: String?

    init(folder: String, only: String?) throws {
        self.only = only
        root = try Self.read(folder, "root.der")
        signer = try Self.read(folder, "signer.der")
        signerKey = try PrivateKey(curve: .p256, scalar: Self.read(folder, "signer.scalar"))
        transcript = try SessionTranscript(encoded: Self.read(folder, "transcript.cbor"))
        response = try Self.read(folder, "response.cbor")
        large = try Self.read(folder, "large.cbor")
        statusList = try Self.read(folder, "statuses.jwt")
        statuses = try Self.read(folder, "statuses.raw")
    }

    func measure() async throws {
        try await bound()
        try await verification()
        try await codec()
        try await issuing()
        try await statusLists()
    }

    private func bound() async throws {
        let isReady = signer.withUnsafeBufferPointer { signer in
            root.withUnsafeBufferPointer { bound_prepare(signer.baseAddress, signer.count, $0.baseAddress, $0.count) }
        }
        guard isReady == 1 else { throw Failure(description: "OpenSSL cannot use the certificates") }
        try await report("bound warm") {
            guard bound_warm(20) == 1 else { throw Failure(description: "the bound does not verify") }
        }
        try await report("bound cold") {
            guard bound_cold(20) == 1 else { throw Failure(description: "the bound does not verify") }
        }
    }

    private func verification() async throws {
        let anchors = TrustAnchors([TrustAnchor(try Certificate(der: root), role: .documents)])
        let verifier = verifier(anchors)
        try await report("verify warm") { try verify(response, with: verifier) }
        try await report("verify cold") { try verify(response, with: self.verifier(anchors)) }
        try await report("verify 300 KB") { try verify(large, with: verifier) }
    }

    /// One that remembers no signer yet.
    private func verifier(_ anchors: TrustAnchors) -> PresentationVerifier {
        PresentationVerifier(signers: SignerVerifier(anchors: anchors, edition: .first))
    }

    private func verify(_ response: [UInt8], with verifier: PresentationVerifier) throws {
        let report = verifier.verify(response, over: transcript, at: now)
        guard report.verdict == .pass else { throw Failure(description: "the verdict is \(report.verdict)") }
    }

    private func codec() async throws {
        try await report("decode deep") { _ = try deep(CBOR(decoding: response)) }
        let decoded = try DeviceResponse(decoding: large)
        try await report("encode 300 KB") {
            guard decoded.encodedCBOR.count == large.count else { throw Failure(description: "the response encodes otherwise") }
        }
        guard bound_cbor_prepare(large, large.count) == large.count else { throw Failure(description: "libcbor encodes otherwise") }
        try await report("libcbor 300 KB") {
            guard bound_cbor_encode() == 1 else { throw Failure(description: "libcbor does not encode") }
        }
    }

    /// Decodes every tag 24 in the item; the number of them.
    private func deep(_ item: CBOR) throws -> Int {
        switch item.kind {
        case .array: return try item.array().reduce(0) { $0 + (try deep($1)) }
        case .map: return try item.map().reduce(0) { $0 + (try deep($1.value)) }
        case .tag where item.tagNumber == 24: return 1 + (try deep(item.embedded()))
        case .tag: return try deep(item.tagContent())
        default: return 0
        }
    }

    private func issuing() async throws {
        let identity = try IssuingIdentity(certificate: Certificate(der: signer), key: signerKey)
        let issuer = MDocIssuer(signer: identity, random: SystemRandom())
        let device = try PrivateKey.generate(.p256, random: SystemRandom()).publicKey
        let claims = try claims()
        let order = DocumentOrder(
            docType: "org.iso.18013.5.1.mDL", claims: claims, deviceKey: device, signed: now,
            validUntil: now.adding(seconds: 86_400))
        try await report("issue") { _ = try await issuer.mint(order).encodedCBOR }
    }

    private func statusLists() async throws {
        try await report("status load") { _ = try list() }
        let list = try list()
        var index = 0
        try await report("status lookup") {
            index = (index + 7_919) % statuses.count
            guard list[index] == statuses[index] else { throw Failure(description: "status \(index) is another") }
        }
    }

    private func list() throws -> StatusList {
        let token = try StatusToken(statusList)
        guard let list = try token.list?.get(), list.count == statuses.count else {
            throw Failure(description: "the status list has not all entries")
        }
        return list
    }

    /// The elements of the response.
    private func claims() throws -> Claims {
        let signed = try DeviceResponse(decoding: response).documents[0].issuerSigned
        return Claims(
            signed.nameSpaces.map { nameSpace, items in
                (nameSpace, items.map { ($0.value.elementIdentifier, $0.value.elementValue) })
            })
    }

    private func report(_ name: String, _ body: () async throws -> Void) async throws {
        guard only == nil || only == name else { return }
        print(name, try await Stopwatch.microseconds(runs: only == nil ? 5 : 200, body), separator: "\t")
    }

    static func read(_ folder: String, _ name: String) throws -> [UInt8] {
        let path = folder + "/" + name
        guard let file = fopen(path, "rb") else { throw Failure(description: "\(path) cannot be read") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }
}
