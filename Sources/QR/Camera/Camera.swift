import CVideo
import Glibc

/// A camera (Video4Linux 2) that looks for QR codes. All its calls block their thread for short times only.
package final class Camera {
    /// Why there are no pictures.
    package enum Failure: Error, Sendable, Equatable {
        /// The device could not be used: at what, and the system's word.
        case device(path: String, doing: String, code: Int32)
        /// It was unplugged.
        case gone(path: String)
    }

    package let path: String
    package let width: Int
    package let height: Int
    package let format: CameraFormat
    private var camera: cvideo_camera

    /// Opens and starts a device, near 1280 × 720.
    package init(_ path: String) throws(Failure) {
        var camera = cvideo_camera()
        let code = cvideo_open(&camera, path, 1280, 720)
        guard code == 0 else {
            throw .device(path: path, doing: camera.failed.map { String(cString: $0) } ?? "opening it", code: code)
        }
        self.camera = camera
        self.path = path
        (width, height) = (Int(camera.width), Int(camera.height))
        format = camera.format == CVIDEO_GREY ? .grey : camera.format == CVIDEO_YUYV ? .yuyv : .mjpeg
    }

    deinit { cvideo_close(&camera) }

    /// The newest frame; older ones that wait are dropped.
    /// - Parameter milliseconds: the longest wait.
    /// - Returns: nil when none came, or none that is whole.
    package func frame(within milliseconds: Int32) throws(Failure) -> GrayFrame? {
        var watched = pollfd(fd: camera.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, milliseconds) > 0 else { return nil }
        var newest: [UInt8]?
        while true {
            var bytes: UnsafePointer<UInt8>?
            var length = 0
            let buffer = cvideo_take(&camera, &bytes, &length)
            if buffer == -1 { break }
            guard buffer >= 0 else { throw .gone(path: path) }
            if let bytes, length > 0 { newest = Array(UnsafeBufferPointer(start: bytes, count: length)) }
            cvideo_give(&camera, buffer)
        }
        return newest.flatMap { format.frame($0, width: width, height: height, stride: Int(camera.stride)) }
    }
}

extension Camera.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .device(let path, let doing, let code): "camera \(path): \(doing): \(String(cString: strerror(code)))"
        case .gone(let path): "camera \(path): it is gone"
        }
    }

    /// The mend.
    package var hint: String {
        switch self {
        case .device(_, _, EACCES), .device(_, _, EPERM): "adduser $USER video and log in again"
        case .device(_, _, EBUSY): "end the program that uses the camera"
        case .device(_, _, ENOENT), .device(_, _, ENODEV): "ls /dev/video* shows the cameras; or take a photo and use --qr"
        case .device: "another /dev/video* may be the one that captures; or take a photo and use --qr"
        case .gone: "plug it in again; or take a photo and use --qr"
        }
    }
}
