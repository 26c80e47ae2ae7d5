import CQREncode

/// A QR code (ISO/IEC 18004) as modules, ready to be drawn.
package struct QRSymbol: Sendable, Equatable {
    /// How much of a symbol may be lost: about 7, 15, 25 and 30 %.
    package enum Correction: String, Sendable, CaseIterable {
        case low = "L"
        case medium = "M"
        case quartile = "Q"
        case high = "H"

        /// Bytes that the largest symbol (version 40) holds.
        package var capacity: Int {
            switch self {
            case .low: 2953
            case .medium: 2331
            case .quartile: 1663
            case .high: 1273
            }
        }

        fileprivate var level: QRecLevel {
            switch self {
            case .low: QR_ECLEVEL_L
            case .medium: QR_ECLEVEL_M
            case .quartile: QR_ECLEVEL_Q
            case .high: QR_ECLEVEL_H
            }
        }
    }

    /// Why a text has no symbol.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case empty
        case tooLong(bytes: Int, capacity: Int, correction: Correction)
        case outOfMemory

        package var description: String {
            switch self {
            case .empty: "there is no text to encode"
            case .tooLong(let bytes, let capacity, let correction):
                "the text has \(bytes) bytes; a QR code of level \(correction.rawValue) holds \(capacity)"
            case .outOfMemory: "out of memory"
            }
        }
    }

    /// Modules along one side, 21 to 177.
    package let size: Int
    /// Row by row, true is dark.
    private let modules: [Bool]

    /// The smallest symbol that holds the UTF-8 bytes of a text.
    package init(_ text: String, correction: Correction = .medium) throws(Failure) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= correction.capacity else {
            throw .tooLong(bytes: bytes.count, capacity: correction.capacity, correction: correction)
        }
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, correction.level) else { throw .outOfMemory }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: size * size)
        modules = data.map { $0 & 1 == 1 }
    }

    /// Light outside of the symbol.
    package func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    /// The light border that readers need, in modules (ISO/IEC 18004).
    package static let quietZone = 4
}
