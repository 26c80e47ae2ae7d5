import Codec
import Credentials
import Crypto
import Ports
import Proximity

/// Who the reader says it is.
struct ReaderIdentity: Sendable {
    let key: PrivateKey
    /// DER, leaf first, without the root.
    let chain: [[UInt8]]
    private let nonce: SignatureNonce

    /// - Returns: nil where requests are not to be signed, or the home has no reader certificate.
    init?(_ invocation: Invocation, fault: ReaderCertificateFault?, registration: RegistrationFault? = nil) throws(CommandError) {
        if invocation.flag("no-reader-auth") { return nil }
        nonce = invocation.context.isDeterministic ? .deterministic : .random
        if let fault {
            let made = try fault.identity(invocation.context)
            (key, chain) = (made.key, [made.certificate.der])
            return
        }
        if registration != nil {
            let context = invocation.context
            let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
            var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
            do {
                if try made.folder.identity("wrpac") == nil { _ = try made.makeAccessCertificate() }
            } catch { throw error as? CommandError ?? .refused("making the access certificate: \(error)") }
            guard let access = try made.folder.identity("wrpac") else { return nil }
            key = access.key
            chain = [registration == .accessGarbage ? Array(access.certificate.der.dropLast(9)) : access.certificate.der]
            return
        }
        switch (invocation.string("reader-cert"), invocation.string("reader-key")) {
        case (let certificate?, let key?):
            self.key = try KeyFile.privateKey(key)
            chain = try CertificateFile.certificates(certificate).map(\.der)
            guard let leaf = try CertificateFile.certificates(certificate).first, (try? leaf.publicKey()) == self.key.publicKey
            else {
                throw .refused("\(key) is not the key of \(certificate)")
            }
        case (nil, nil):
            guard let made = try CertificateFolder(of: invocation.context.home).identity("reader") else { return nil }
            (key, chain) = (made.key, [made.certificate.der])
        default:
            throw .usage("--reader-cert and --reader-key go together")
        }
    }

    /// Signs one docRequest.
    func sign(_ items: Embedded<ItemsRequest>, over transcript: SessionTranscript, _ faults: RequestFaults) throws -> COSESign1 {
        try sign(
            ReaderAuthentication.bytes(transcript: transcript, itemsRequest: items), spoiled: faults.contains(.wrongSignature),
            faults)
    }

    /// Signs everything that is asked, once more as a whole (WD2 §12.5.4).
    func signAll(
        _ docRequests: [DocRequest], _ info: Embedded<DeviceRequestInfo>?, over transcript: SessionTranscript,
        _ faults: RequestFaults
    ) throws -> COSESign1 {
        let payload = ReaderAuthenticationAll.bytes(
            transcript: transcript, itemsRequests: docRequests.map(\.itemsRequest), deviceRequestInfo: info)
        return try sign(payload, spoiled: faults.contains(.wrongSignatureOverAll), faults)
    }

    private func sign(_ payload: [UInt8], spoiled: Bool, _ faults: RequestFaults) throws -> COSESign1 {
        guard let algorithm = COSEAlgorithm.iso(for: key.curve) else {
            throw CommandError("a reader key on \(key.curve.rawValue) cannot sign")
        }
        let isProtected = !faults.contains(.unprotectedAlgorithm)
        let unsigned = COSESign1(
            protected: isProtected ? COSEHeaders(algorithm: algorithm) : .empty,
            unprotected: COSEHeaders(algorithm: isProtected ? nil : algorithm, x5chain: chain), payload: nil, signature: [])
        var signature = try key.sign(try unsigned.toBeSigned(detachedPayload: payload), hash: algorithm.hash, nonce: nonce)
        if spoiled, let last = signature.popLast() { signature.append(last ^ 1) }
        return COSESign1(protected: unsigned.protected, unprotected: unsigned.unprotected, payload: nil, signature: signature)
    }
}
