import Codec
import Credentials
import Crypto
import Ports

/// Signs the lists of a home's issuer: into its folder, or for one request of a server.
struct StatusPublisher {
    private let context: Context
    private let fault: ListFault?
    private let signer: SigningIdentity
    /// The form that documents of the run need: where a fault leaves one file only, it is in this form.
    var form = StatusForm.cwt
    /// Seconds that a copy may be kept; nil: what lists usually say.
    var timeToLive: Int64?

    /// - Throws: exit code 1 when there is no certificate for lists and none can be made.
    init(_ context: Context, fault: ListFault? = nil) throws(CommandError) {
        self.context = context
        self.fault = fault
        signer = try Self.signer(context, fault)
    }

    private var listFault: StatusListMaker.Fault? { if case .list(let fault, _)? = fault?.kind { fault } else { nil } }

    private static func signer(_ context: Context, _ fault: ListFault?) throws(CommandError) -> SigningIdentity {
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
        do {
            if case .list(.signedByDocumentSigner, _)? = fault?.kind, let signer = try made.folder.identity("ds") { return signer }
            if case .list(.signerProfile, _)? = fault?.kind {
                return try maker.endEntity(.status, issuer: made.authority(.iaca), breaking: "ski")
            }
            if let known = try made.folder.identity("status"), known.certificate.isValid(at: maker.time) { return known }
            _ = try made.make(.status, breaking: nil)
            guard let signer = try made.folder.identity("status") else {
                throw CommandError.environment("\(made.folder.path) does not keep what is written into it")
            }
            return signer
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("making the certificate of the status list's signer: \(error)") }
    }

    /// A list in one form; nil where it does not have that form: identifier lists are CWTs.
    func signed(_ list: IssuedStatuses.List, _ statuses: IssuedStatuses, as form: StatusForm) async throws(CommandError) -> [UInt8]?
    {
        var maker = StatusListMaker(
            signer: signer, uri: list.uri, at: context.clock.now(), nonce: context.isDeterministic ? .deterministic : .random)
        maker.fault = listFault
        if let timeToLive { maker.timeToLive = timeToLive }
        do {
            switch (list.kind, form) {
            case (.list, .jwt): return try await maker.jwt(statuses.content(of: list))
            case (.list, .cwt): return try await maker.cwt(statuses.content(of: list))
            case (.identifiers, .cwt): return try await maker.cwt(identifiers: statuses.identifiers(in: list))
            case (.identifiers, .jwt): return nil
            }
        } catch { throw .refused("signing list \(list.id): \(error)") }
    }

    /// Writes every list that `isWanted` into the home's folder.
    func publish(_ statuses: IssuedStatuses, where isWanted: (IssuedStatuses.List) -> Bool = { _ in true })
        async throws(CommandError) -> [String]
    {
        var written: [String] = []
        for list in statuses.lists where isWanted(list) {
            for form in [StatusForm.jwt, .cwt] {
                let path = "\(IssuedStatuses.folder(of: context.home))/\(list.id)"
                guard listFault != .listDown, form != (listFault == .jwtForMdoc ? .cwt : listFault == .cwt ? .jwt : nil),
                    let bytes = try await signed(list, statuses, as: form)
                else { continue }
                let suffix = listFault == .contentType ? "bin" : form.rawValue
                guard listFault != .contentType || form == self.form else { continue }
                try Files.write(bytes, to: "\(path).\(suffix)")
                written.append("\(path).\(suffix)")
            }
        }
        return written
    }

    /// The CRL of the home's document issuer, and the fault in it.
    func publishRevocations(_ fault: ListFault.CRL, signer revoked: Certificate) throws(CommandError) {
        let maker = CertificateMaker(at: context.clock.now(), random: context.random, edition: context.edition)
        var made = TestCertificates(maker: maker, folder: CertificateFolder(of: context.home))
        let folder = IssuedStatuses.folder(of: context.home)
        do {
            let root = try made.authority(.iaca)
            let authority = fault == .issuer ? try maker.root("TEST Other IACA") : root
            let rule: String? =
                switch fault {
                case .signature: "signature"
                case .current: "current"
                case .profile: "extensions"
                case .revoked, .down, .issuer, .number: nil
                }
            guard fault != .down else {
                try Home(path: folder, source: context.home.source).make()
                return try Files.write([], to: "\(folder)/\(CertificateMaker.crlName(of: root.certificate))")
            }
            let list = try maker.revocationList(
                of: authority, revoking: fault == .revoked ? [revoked.serialNumber] : [], number: fault == .number ? 1 : 2,
                breaking: rule)
            try Home(path: folder, source: context.home.source).make()
            try Files.write(list.der, to: "\(folder)/\(CertificateMaker.crlName(of: root.certificate))")
        } catch let error as CommandError {
            throw error
        } catch { throw .refused("making the CRL: \(error)") }
    }
}
