import Codec
import Ports
import Proximity
import Reports

/// Explains NFC handover messages (NFC Forum NDEF and Connection Handover; ISO/IEC 18013-5:2021 §8.2.2.1).
enum NFCAnnotator {
    /// The records of a handover message, nil if the bytes are none.
    /// - Parameter offset: of the bytes in what they were taken from.
    static func annotate(_ bytes: [UInt8], at offset: Int) -> Annotation? {
        guard let handover = try? NFCHandover(decoding: bytes) else { return nil }
        let kind = handover.kind == .select ? "NFC handover select message" : "NFC handover request message"
        return Annotation(
            kind, "version \(handover.version >> 4).\(handover.version & 15), \(handover.message.records.count) records",
            clause: "ISO/IEC 18013-5:2021 8.2.2.1",
            offset: offset, length: bytes.count, children: records(handover, bytes.count, offset))
    }

    /// The records of any other NDEF message, such as those of TNEP, nil if the bytes are none.
    static func annotateOther(_ bytes: [UInt8]) -> Annotation? {
        guard let message = try? NDEFMessage(decoding: bytes) else { return nil }
        let children = message.records.map { record in
            Annotation(
                "record \(JSON.string(record.typeText).encoded())",
                "\(format(record.typeNameFormat)), payload h'\(Hex.encode(record.payload))'",
                offset: record.offset)
        }
        return Annotation(
            "NDEF message", "\(children.count) records", clause: "NFC Forum NDEF 3.2", offset: 0, length: bytes.count,
            children: children)
    }

    private static func records(_ handover: NFCHandover, _ length: Int, _ offset: Int) -> [Annotation] {
        let records = handover.message.records
        let ends = records.dropFirst().map(\.offset) + [length]
        return zip(records, ends).map { record, end in
            annotate(record, handover, offset, payloadAt: offset + end - record.payload.count)
        }
    }

    private static func annotate(_ record: NDEFRecord, _ handover: NFCHandover, _ offset: Int, payloadAt start: Int) -> Annotation {
        let id = record.id.isEmpty ? "" : ", id \(JSON.string(record.idText).encoded())"
        return Annotation(
            "record \(JSON.string(record.typeText).encoded())",
            "\(format(record.typeNameFormat))\(id), payload \(record.payload.count) bytes",
            offset: offset + record.offset, children: content(record, handover, start))
    }

    private static func content(_ record: NDEFRecord, _ handover: NFCHandover, _ start: Int) -> [Annotation] {
        switch record.typeText {
        case "Hs", "Hr":
            handover.carriers.map {
                Annotation("alternative carrier", "configured by the record with id \(JSON.string($0).encoded())")
            } + nested(record)
        case "application/vnd.bluetooth.le.oob": handover.bluetooth.map(bluetooth) ?? []
        default: cbor(record, start)
        }
    }

    /// Records within the payload of a handover record, after its version byte.
    private static func nested(_ record: NDEFRecord) -> [Annotation] {
        let records = (try? NDEFMessage(decoding: Array(record.payload.dropFirst())))?.records ?? []
        return records.filter { $0.typeText != "ac" }.map { inner in
            inner.typeText == "cr"
                ? Annotation("collision resolution", Hex.encode(inner.payload))
                : Annotation("record \(JSON.string(inner.typeText).encoded())", Hex.encode(inner.payload))
        }
    }

    private static let roles = ["peripheral only", "central only", "both, peripheral preferred", "both, central preferred"]

    private static func bluetooth(_ data: BluetoothOOB) -> [Annotation] {
        [
            data.role.map {
                Annotation("LE role (0x1C)", "\($0) — " + (roles.indices.contains(Int($0)) ? roles[Int($0)] : "not a known role"))
            },
            data.uuid.map { Annotation("service UUID (0x07)", "\($0)") },
            data.address.map { Annotation("device address (0x1B)", Hex.encode($0)) },
        ].compactMap { $0 }
    }

    private static func cbor(_ record: NDEFRecord, _ start: Int) -> [Annotation] {
        guard let item = try? CBOR(decoding: record.payload) else {
            return record.payload.isEmpty ? [] : [Annotation("payload", Hex.encode(record.payload))]
        }
        return [CBORAnnotator().annotate(item).shifted(by: start)]
    }

    private static func format(_ number: UInt8) -> String {
        let names = [
            "empty", "NFC Forum well-known type", "media type", "absolute URI", "external type", "unknown type", "unchanged",
            "reserved",
        ]
        return names[Int(number & 7)]
    }
}
