import Codec
import Credentials
import Ports

/// How a link came to its end, as far as it concerns a session.
public enum LinkEnd: Sendable, Hashable {
    /// State 0x02, or this end closed it.
    case orderly
    /// Anything else. `idleSeconds`: since the last message in either direction.
    case broken(LinkError, idleSeconds: Int)

    /// Whether the peer went against the rules after the end of the session.
    var breaksRule: Bool {
        switch self {
        case .broken(.dataAfterEnd, _), .broken(.stateValue, _), .broken(.lengthHeader, _): true
        default: false
        }
    }
}

/// Collects what a session and its link show; every check of the role ends up with one row.
struct SessionChecks: Sendable {
    private let role: MdocRole
    private let edition: Edition
    private var violations: [String: String] = [:]
    private var passed: Set<String> = []
    private var blocked: [String: String] = [:]

    static let subject = "session"

    init(role: MdocRole, edition: Edition) { (self.role, self.edition) = (role, edition) }

    /// The checks were made and found nothing; an earlier violation stays.
    mutating func pass(_ ids: String...) { passed.formUnion(ids) }

    /// A check found something. The first reason stays.
    mutating func violate(_ id: String, _ reason: String) {
        if violations[id] == nil { violations[id] = reason }
    }

    /// These checks could not be made because of another.
    mutating func block(_ ids: String..., by cause: String) {
        for id in ids where blocked[id] == nil { blocked[id] = cause }
    }

    /// Whether the check found something.
    func isViolated(_ id: String) -> Bool { violations[id] != nil }

    /// One row a check, in the catalogue's order.
    var list: CheckList {
        var list = CheckList(edition: edition)
        for row in CheckCatalogue.rows where concerns(row) {
            if let reason = violations[row.id] {
                list.fail(row.id, Self.subject, reason)
            } else if let cause = blocked[row.id] {
                list.notRun(row.id, Self.subject, .needs(cause))
            } else if passed.contains(row.id) {
                list.pass(row.id, Self.subject)
            } else {
                list.notRun(row.id, Self.subject, .notPresent)
            }
        }
        return list
    }

    private func concerns(_ row: CheckDefinition) -> Bool {
        let area = row.id.prefix { $0 != "." }
        switch role {
        case .reader: return ["R1", "R2", "R3", "R4"].contains(area) || (isSessionRule(area) && row.seenBy != .mdoc)
        case .mdoc: return ["H1", "H2", "H3", "H15"].contains(area) || (isSessionRule(area) && row.seenBy != .reader)
        }
    }

    /// P13 to P48; the rules before judge engagements, those after documents and handover messages.
    private func isSessionRule(_ area: Substring) -> Bool {
        guard area.first == "P", let number = Int(area.dropFirst()) else { return false }
        return (13...48).contains(number)
    }
}

extension SessionChecks {
    /// What both roles see in the parts of a link.
    mutating func note(_ oddities: Set<GATTChannel.Oddity>, examined: Set<String>) {
        for oddity in oddities {
            switch oddity {
            case .oversized(let count, let allowed): violate("P26.size", "part of \(count) bytes, allowed \(allowed)")
            case .withoutPayload: violate("P26.empty", "part without payload")
            case .startedUnsubscribed: violate("P23", "Start before subscription to State and Server2Client")
            case .secondCentral: violate("P31", "another central connected while one is served (refused)")
            case .stayedConnected(let seconds): violate("P29", "GATT client stayed connected \(seconds) s after the end")
            case .resumed: violate("P30", "reconnected after Start into the old transaction")
            case .endedWithoutState: break  // Means something only where the reader ended the session.
            case .peripheralPreferred: violate("P32", "reader took peripheral mode although both were offered")
            case .property(let characteristic, let name): violate("P21.property", "\(characteristic.name) lacks \(name)")
            case .missingDescriptor(let characteristic):
                violate("P21.cccd", "descriptor 0x2902 missing at \(characteristic.name)")
            case .psmUnreachable(let psm): violate("P33.psm", "PSM \(psm) not reachable, GATT used")
            case .lengthHeader(let said, let came): violate("P33.length", "length header \(said), \(came) bytes came")
            }
        }
        pass("P26.first", "P26.size", "P26.empty", "P27")
        passed.formUnion(examined)
    }

    /// What both roles see in the way a link broke.
    mutating func note(_ error: LinkError) {
        switch error {
        case .partFirstByte(let byte):
            violate("P26.first", "part starts with \(byte.map { "0x" + String($0, radix: 16) } ?? "nothing")")
        case .lost(.afterPart(let count)): violate("P27", "link lost after part \(count) of an unfinished message")
        case .messageTooLong(let limit): violate("P27", "message longer than \(limit) bytes, given up")
        case .dataBeforeStart: violate("P22.start", "data before State 0x01")
        case .stateValue(let bytes): violate("P22.value", "unknown State 0x\(Hex.encode(bytes))")
        case .dataAfterEnd: violate("P45", "data after session termination")
        case .identMismatch(let found, let expected):
            violate("H1", "Ident \(Hex.encode(found)), expected \(Hex.encode(expected)) (disconnects)")
            if found.count != 16 { violate("P25", "Ident has \(found.count) bytes, 16 expected") } else { pass("P25") }
        case .service(let check, let what): violate(check, what)
        case .notAdvertised(let uuid, let seconds): violate("P20", "no advertisement of \(uuid) in \(seconds) s")
        case .lengthHeader(let said, let came): violate("P33.length", "length header \(said), \(came) bytes came")
        default: break
        }
    }

    /// P41 and P42 from the diagnosis of a message that did not open, which the check `id` has named.
    mutating func note(_ failure: SessionCipher.Failure, id: String) {
        switch failure.diagnosis {
        case .counter(let counter):
            violate("P41", "message \(failure.ordinal) opens with counter \(counter): counter not advanced")
        case .otherIdentifier:
            violate("P42", "opens only with the other role's IV identifier")
        case .otherKey, .none:
            block("P41", "P42", by: id)
        }
    }
}
