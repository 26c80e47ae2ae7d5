import Crypto
import Glibc
import Ports
import QR

/// The looks that `doctor` takes at the machine.
enum Examination {
    static let all: [@Sendable (Context) -> Finding] = [
        { _ in cryptography() }, { _ in pictures() }, { _ in secondDecoder() }, home, { _ in clock() }, { _ in ports() },
        { _ in terminal() },
        { _ in camera() },
    ]

    private static func cryptography() -> Finding {
        let curves = Curve.allCases.filter { (try? PrivateKey.generate($0, random: SystemRandom())) == nil }
        let version = CryptoLibraries.versions.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        guard curves.isEmpty else {
            return Finding(
                name: "cryptography", state: .broken,
                detail: "\(version) makes no keys on \(curves.map(\.rawValue).joined(separator: ", "))",
                mend: "install Debian's libssl3, or lift the restriction in openssl.cnf")
        }
        return Finding(name: "cryptography", state: .ok, detail: "\(version), keys on \(Curve.allCases.count) curves")
    }

    private static func pictures() -> Finding {
        let text = "walletbench doctor"
        let read = (try? QRSymbol(text).png()).flatMap { try? Picture($0) }.map { QRReader.read($0.frame).map(\.text) }
        return read == [text]
            ? Finding(name: "pictures", state: .ok, detail: "a QR code drawn as PNG is read back")
            : Finding(
                name: "pictures", state: .broken, detail: "a QR code drawn as PNG is not read back",
                mend: "apt-get install --reinstall libqrencode4 libzxing2 libpng16-16")
    }

    private static func secondDecoder() -> Finding {
        guard let version = QRLibraries.zbar else {
            return Finding(
                name: "zbar", state: .absent, detail: "the second decoder for hard pictures cannot be loaded",
                mend: "apt-get install libzbar0")
        }
        return Finding(name: "zbar", state: .ok, detail: "\(version), second decoder for hard pictures")
    }

    private static func home(_ context: Context) -> Finding {
        let home = context.home
        guard home.exists else {
            return Finding(name: "home", state: .ok, detail: "\(home.path) (\(home.source)), made when it is needed")
        }
        guard Files.isDirectory(home.path), access(home.path, R_OK | W_OK | X_OK) == 0 else {
            return Finding(
                name: "home", state: .broken, detail: "\(home.path) (\(home.source)) cannot be written",
                mend: "name a folder of your own with --home DIR")
        }
        return Finding(
            name: "home", state: .ok, detail: "\(home.path) (\(home.source))\(home.isTestHome ? ", a home for tests" : "")")
    }

    /// No clock is right that stands before the program was built.
    private static func clock() -> Finding {
        let now = SystemClock().now()
        var program = stat()
        guard stat("/proc/self/exe", &program) != 0 || now.secondsSince1970 >= Int64(program.st_mtim.tv_sec) else {
            return Finding(
                name: "clock", state: .broken, detail: "\(now.rfc3339) is before this program was built",
                mend: "timedatectl set-ntp true, or name the time with --at")
        }
        let isSynchronised = Files.exists("/run/systemd/timesync/synchronized")
        return Finding(
            name: "clock", state: .ok,
            detail: "\(now.rfc3339), \(isSynchronised ? "synchronised" : "whether it is synchronised is not known")")
    }

    private static func ports() -> Finding {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { if descriptor >= 0 { close(descriptor) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard descriptor >= 0, isBound == 0, listen(descriptor, 1) == 0 else {
            return Finding(
                name: "ports", state: .broken, detail: "no TCP port of 127.0.0.1 can be listened on: \(Errno.last)",
                mend: "use links of the kind unix:PATH, or allow sockets in this sandbox")
        }
        return Finding(name: "ports", state: .ok, detail: "TCP ports of 127.0.0.1 can be listened on")
    }

    private static func terminal() -> Finding {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }.first ?? "none"
        let spelled = locale.lowercased()
        guard spelled.contains("utf-8") || spelled.contains("utf8") else {
            return Finding(
                name: "terminal", state: .absent, detail: "the locale is \(locale): QR codes may not be drawn right",
                mend: "export LC_ALL=C.UTF-8, or write a picture with -o code.png")
        }
        return Finding(name: "terminal", state: .ok, detail: "the locale is \(locale): QR codes can be drawn")
    }

    private static func camera() -> Finding {
        let devices = names(in: "/dev", prefix: "video").map { "/dev/\($0)" }
        let usable = devices.filter { access($0, R_OK | W_OK) == 0 }
        if let first = usable.first { return Finding(name: "camera", state: .ok, detail: "\(first) (of \(devices.count))") }
        guard devices.isEmpty else {
            return Finding(
                name: "camera", state: .absent, detail: "\(devices.joined(separator: ", ")): no permission",
                mend: "adduser $USER video, then log in again")
        }
        return Finding(
            name: "camera", state: .absent, detail: "no /dev/video*", mend: "plug one in, or give pictures with --qr PICTURE")
    }

    private static func names(in folder: String, prefix: String) -> [String] {
        ((try? Files.list(folder)) ?? []).filter { $0.hasPrefix(prefix) }
    }
}
