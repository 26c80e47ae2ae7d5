import BlueZ
import Codec
import Glibc
import Proximity

/// `--link` and `--ble-mode`: by which way two programs meet.
enum LinkChoice: Sendable {
    static let option = Option.value(
        "link", "LINK", "ble[:hci0|:ADDRESS], tcp:HOST:PORT or unix:PATH")
    static let mode = Option.choice(
        "ble-mode", ["peripheral", "central", "both"],
        "Which end is the GATT server: the mdoc (peripheral) or the reader (central)")
    static let readerMode = Option.choice(
        "ble-mode", ["peripheral", "central"], "Which of the mdoc's Bluetooth modes to take when it offers both")

    static let channels: [Option] = [
        .flag("no-l2cap", "Bluetooth without L2CAP channels: GATT only"),
        .flag("l2cap-only", "Bluetooth by L2CAP channel or not at all"),
    ]

    case bluetooth(AdapterChoice)
    case stream(LinkAddress)

    /// - Throws: exit code 2 when both are asked for.
    static func channelUse(_ invocation: Invocation) throws(CommandError) -> ChannelUse {
        switch (invocation.flag("no-l2cap"), invocation.flag("l2cap-only")) {
        case (true, true): throw .usage("--no-l2cap and --l2cap-only exclude each other", hint: "give one of them")
        case (true, false): return .never
        case (false, true): return .only
        case (false, false): return .preferred
        }
    }

    /// - Throws: exit code 2 for what is no link.
    init(_ text: String) throws(CommandError) {
        if let adapter = AdapterChoice(text) {
            self = .bluetooth(adapter)
            return
        }
        guard !text.hasPrefix("ble:") else {
            throw .usage("--link \(text): no Bluetooth adapter is called so", hint: "write ble, ble:hci0 or ble:AA:BB:CC:DD:EE:FF")
        }
        do { self = .stream(try LinkAddress(text)) } catch {
            throw .usage("--link: \(error.text)", hint: "for example --link tcp:127.0.0.1:0 or --link unix:/tmp/mdoc.sock")
        }
    }

    /// A place to wait in, which also is the one that the engagement names.
    static func listening(_ text: String) throws(CommandError) -> LinkChoice {
        let choice = try LinkChoice(text)
        if case .stream(.tcp(let host, _)) = choice, ["0.0.0.0", "::", "*"].contains(host) {
            throw .usage(
                "--link \(text): a reader cannot connect to \(host)",
                hint: "name the address of this machine that the reader reaches")
        }
        return choice
    }
}

extension LinkError {
    /// What happened, for people.
    var text: String {
        switch self {
        case .lost(.beforeStart): "the peer disconnected before the transfer began"
        case .lost(.betweenMessages): "the peer disconnected without ending the session"
        case .lost(.afterPart(let count)): "the peer disconnected after part \(count) of an unfinished message"
        case .closed: "the link was closed"
        case .cancelled: "interrupted"
        case .timedOut(let seconds, let doing): "gave up \(doing) after \(seconds) s"
        case .messageTooLong(let limit): "the peer sends a message longer than \(limit) bytes"
        case .partFirstByte(let byte):
            "the peer sent a part that starts with \(byte.map(String.init) ?? "nothing"), where 0 or 1 must stand"
        case .stateValue(let bytes): "the peer wrote \(bytes) to State"
        case .dataBeforeStart: "the peer sent data before it started the transfer"
        case .dataAfterEnd: "the peer sent data after it ended the transfer"
        case .misplaced(let characteristic): "the peer sent a value on \(characteristic?.name ?? "an unknown characteristic")"
        case .identMismatch: "this is not the reader that read the engagement (Ident differs)"
        case .system(let doing, let code): "\(doing): \(Errno.text(code))"
        case .address(let what), .environment(let what, _): what
        case .service(let check, let what): "the peer's Bluetooth service is not as the standard says: \(what) (\(check))"
        case .notAdvertised(let uuid, let seconds): "nobody advertised \(uuid) within \(seconds) s (P20)"
        case .lengthHeader(let said, let came):
            "the peer sent a message on the L2CAP channel whose header says \(said) bytes, and \(came) came (P33.length)"
        }
    }
}

extension CommandError {
    /// A link that could not be opened or broke.
    init(_ error: LinkError) {
        switch error {
        case .system(let doing, ECONNREFUSED), .system(let doing, ENOENT):
            self = .environment(
                "\(doing): nobody listens there", hint: "start `walletbench holder present` first; each engagement serves once")
        case .system(_, EADDRINUSE):
            self = .environment(error.text, hint: "choose another port, or 0 for any free one")
        case .environment(let what, let mend):
            self = .environment(what, hint: mend)
        case .system, .address:
            self = .environment(error.text)
        case .cancelled:
            self = .interrupted
        case .notAdvertised:
            self = CommandError(
                error.text,
                hint: "both programs must run at the same time, within reach of each other; each engagement serves once")
        default:
            self = CommandError(error.text)
        }
    }

    /// Why a session ended early, or could not begin.
    init(session failure: any Error) {
        switch failure {
        case let error as CommandError: self = error
        case let error as LinkError: self.init(error)
        case let error as SessionError: self.init(error.description)
        case is CancellationError: self = .interrupted
        default: self.init("\(failure)")
        }
    }
}

extension Console {
    /// Says why a session broke off; the report follows.
    /// - Parameter place: where the session was held; its doubts are named where they may be the cause.
    func failure(_ failure: (any Error)?, role: String, at place: LinkPlace? = nil) {
        guard let failure else { return }
        var error = CommandError(session: failure)
        if error.hint == nil, let caveat = place?.caveat, LinkPlace.mayExplain(failure) {
            error.hint = "\(caveat); \(LinkPlace.mend)"
        }
        talk("error: \(error.what)".replacingControlCharacters())
        if let hint = error.hint { talk("hint: \(hint)") }
        event(.error, role: role, ["error": .string(error.what), "hint": error.hint.map { .string($0) } ?? .null])
    }
}
