/// Why a file is no picture that can be read.
public enum PictureError: Error, Equatable, CustomStringConvertible {
    case empty
    /// Neither PNG nor JPEG; what it looks like.
    case unsupported(looksLike: String)
    /// More pixels than are read; nothing was allocated for them.
    case tooLarge(width: Int, height: Int, limit: Int)
    /// PNG or JPEG by its first bytes, but it cannot be decoded.
    case broken(format: String, reason: String)
    case outOfMemory

    public var description: String {
        switch self {
        case .empty: "the file is empty"
        case .unsupported(let looksLike): "not a picture that can be read: it looks like \(looksLike)"
        case .tooLarge(let width, let height, let limit):
            "picture too large: \(width) × \(height) pixels, at most \(limit / 1_000_000) million and 20000 along a side are read"
        case .broken(let format, let reason): "the \(format) is broken: \(reason)"
        case .outOfMemory: "out of memory"
        }
    }

    /// The mend, where there is one.
    public var hint: String? {
        switch self {
        case .empty, .broken: "copy the picture again, or open it in a viewer and save it anew"
        case .unsupported: "PNG and JPEG pictures are read; convert other kinds"
        case .tooLarge: "scale the picture down, or cut out the code"
        case .outOfMemory: nil
        }
    }
}
