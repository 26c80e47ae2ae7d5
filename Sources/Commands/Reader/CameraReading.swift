import Ports
import Proximity
import QR

/// `--camera [DEVICE]`
enum CameraReading {
    /// Looks through a camera until it sees an engagement. Other codes are passed over, and said once.
    static func engagement(_ device: String, _ invocation: Invocation) async throws -> String {
        let (console, limit) = (invocation.console, Int64(invocation.integer("timeout") ?? 90))
        return try await Interrupt.cancelling {
            console.progress("camera \(device): show it the QR code …")
            let cancel = try WakePipe()
            let result: Result<String, CommandError> = try await Threads.run(cancel: cancel) {
                .success(look(device, until: monotonicMilliseconds() + limit * 1000, console, cancel))
            }
            return try result.get()
        }
    }

    /// The thread that looks.
    private static func look(
        _ device: String, until deadline: Int64, _ console: Console, _ cancel: WakePipe
    ) -> Result<String, CommandError> {
        do throws(Camera.Failure) {
            let camera = try Camera(device)
            var others: Set<String> = []
            while !cancel.isSignalled {
                guard monotonicMilliseconds() < deadline else {
                    return .failure(
                        .refused(
                            "camera \(device): no engagement was seen",
                            hint: "hold the whole code with its light border before the camera, bright and sharp"))
                }
                guard let frame = try camera.frame(within: 200) else { continue }
                for code in QRReader.read(frame) {
                    if URIScheme.of(code.text) == .mdoc { return .success(code.text) }
                    if others.count < 8, others.insert(code.text).inserted {
                        console.talk("note: the camera sees a code that is no mdoc: engagement")
                    }
                }
            }
            return .failure(.interrupted)
        } catch {
            return .failure(.environment("\(error)", hint: error.hint))
        }
    }
}
