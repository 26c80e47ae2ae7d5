import Credentials
import Proximity

/// The faults of a run, sorted by where they are made.
struct FaultSelection: Sendable {
    let session: FaultSet
    let content: Tampering
    let request: RequestFaults
    let readerCertificate: ReaderCertificateFault?
    let registration: RegistrationFault?
    /// As they stood on the command line.
    let names: [String]

    /// - Throws: exit code 2 for a name that the role has no fault of.
    init(_ context: Context, role: MdocRole) throws(CommandError) {
        var session: [SessionFault: String] = [:]
        var (content, request): ([String], [RequestFaults.Fault]) = ([], [])
        var certificate: ReaderCertificateFault?
        var registration: RegistrationFault?
        for fault in context.faults {
            if let known = SessionFault(rawValue: fault.name), known.roles.contains(role) {
                session[known] = try Self.argument(of: fault, known)
            } else if role == .mdoc, ContentFault.named(fault.name)?.senders.contains(.holder) ?? false {
                content.append(fault.name)
            } else if role == .reader, let known = RequestFaults.Fault(rawValue: fault.name) {
                request.append(known)
            } else if role == .reader, let known = ReaderCertificateFault(fault) {
                certificate = known
            } else if role == .reader, let known = RegistrationFault(fault.name), known.roles.contains(.reader) {
                registration = known
            } else {
                throw .usage(
                    "--fault \(fault.name): the \(role == .mdoc ? "holder" : "reader") has no such fault",
                    hint: "walletbench faults lists them")
            }
        }
        self.session = FaultSet(session)
        if registration == .accessAbsent { request.append(.noAuthentication) }
        self.request = RequestFaults(Set(request))
        self.registration = registration
        readerCertificate = certificate
        names = context.faults.map(\.text)
        do { self.content = try Tampering(named: content) } catch { throw .usage("\(error)") }
    }

    private static func argument(of fault: FaultName, _ known: SessionFault) throws(CommandError) -> String {
        let argument = fault.argument ?? ""
        if known.takesNumber {
            guard let number = Int(argument), number >= 0 else {
                throw .usage("--fault \(fault.text): a number has to follow", hint: "for example --fault \(fault.name):2")
            }
        } else if !argument.isEmpty {
            throw .usage("--fault \(fault.text): nothing follows \(fault.name)")
        }
        return argument
    }
}
