public import Ports

extension SessionTrace {
    /// The trace of a session of ISO/IEC 18013-5; the mdoc's side is written `holder`.
    public convenience init(sink: any TraceSink, session: String, role: MdocRole, clock: any Ports.Clock, faults: [String] = []) {
        self.init(sink: sink, session: session, role: role == .mdoc ? "holder" : "reader", clock: clock, faults: faults)
    }
}
