import CBluetooth
import Glibc

extension Adapter {
    /// The dynamic PSM that a channel of this adapter would get now. It is free again afterwards.
    /// - Throws: when the kernel has no L2CAP over Bluetooth LE.
    package func freePSM() throws(Problem) -> Int {
        var psm: Int32 = 0
        let listener = cbluetooth_listen(address, isRandom ? 1 : 0, Int32(L2CAPChannel.mtu), &psm)
        guard listener >= 0 else { throw .noChannels(name, reason: String(cString: strerror(errno))) }
        close(listener)
        return Int(psm)
    }
}
