import Codec
import Credentials
import Crypto
import Ports

/// What the reader is registered for, as it goes into the requestInfo of every docRequest (`euWrprc`).
struct ReaderRegistration: Sendable {
    private let certificate: [UInt8]?
    /// With the faults `wrprc-once` and `wrprc-differs`: what further docRequests carry.
    private let others: [UInt8]?

    static let option = Option.file(
        "registration", "FILE", "The reader's registration certificate (JWT or CWT), sent with every document request")

    /// That of the command line; with a fault, one that is made for the occasion.
    init(_ invocation: Invocation, fault: RegistrationFault?) async throws {
        if let fault {
            let context = invocation.context
            let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
            var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
            let registration = try await made.makeRegistration(.init(fault: fault))
            certificate = fault == .absent ? nil : registration.cwt
            others = fault == .once ? nil : fault == .differs ? registration.jwt : certificate
            return
        }
        certificate = try invocation.string("registration").map { path in
            let bytes = try Files.read(path, limit: 1 << 20)
            // A text file may end with a line break, which is not part of the certificate.
            guard StatusForm(of: bytes) == .jwt else { return bytes }
            return Array(bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }.reversed())
        }
        others = certificate
    }

    /// The request with the certificate in its requestInfo.
    func adding(to items: ItemsRequest, ordinal: Int) -> ItemsRequest {
        guard let certificate = ordinal == 0 ? certificate : others else { return items }
        var members: [(CBOR, CBOR)] = (try? items.requestInfo?.map().map { ($0.key, $0.value) }) ?? []
        members.append((.text(RegistrationCertificate.requestInfoKey), .bytes(certificate)))
        return ItemsRequest(docType: items.docType, nameSpaces: items.nameSpaces, requestInfo: .map(members))
    }
}
