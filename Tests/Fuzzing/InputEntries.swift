import Commands
import QR

/// What a person gives: pictures, and files to import or inspect.
enum InputEntries {
    static let all = [
        FuzzEntry("picture", longest: 32768, picture),
        FuzzEntry("import", longest: 16384) { GivenFile($0).importable() },
        FuzzEntry("inspect", longest: 16384) { GivenFile($0).inspect() },
    ]

    /// The picture is read, and searched for codes when it is small.
    private static func picture(_ bytes: [UInt8]) {
        guard let picture = try? Picture(bytes, pixelLimit: 100_000) else { return }
        let frame = picture.frame
        require(frame.pixels.count == frame.width * frame.height, "a frame has all its pixels")
        for code in QRReader.read(frame) { _ = code.text.utf8.count }
    }
}
