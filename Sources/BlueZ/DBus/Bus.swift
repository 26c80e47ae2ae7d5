import CSystemd
import Ports

/// A method call.
package struct BusRequest: Sendable {
    package let destination: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [BusValue]

    package init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        (self.destination, self.path, self.interface) = (destination, path, interface)
        (self.member, self.arguments) = (member, arguments)
    }
}

/// A signal as received.
package struct BusSignal: Sendable {
    package let path: String
    package let member: String
    package let arguments: [BusValue]
}

/// A connection to D-Bus. Runs on a thread of its own, which ends with the last reference.
package actor Bus {
    typealias Reply = Result<[BusValue], BusError>

    /// Who waits for replies. Cancelling takes a waiter out; a late reply then finds nobody.
    final class Waiters: Sendable {
        private let waiting = Locked<[Int: CheckedContinuation<Reply, Never>]>([:])

        func add(_ id: Int, _ continuation: CheckedContinuation<Reply, Never>) { waiting.withLock { $0[id] = continuation } }

        func resume(_ id: Int, _ reply: Reply) { waiting.withLock { $0.removeValue(forKey: id) }?.resume(returning: reply) }

        func resumeAll(_ reply: Reply) {
            let all = waiting.withLock { waiting in
                defer { waiting = [:] }
                return waiting
            }
            for waiter in all.values { waiter.resume(returning: reply) }
        }
    }

    nonisolated let loop: BusLoop
    private let waiters: Waiters
    private var lastID = 0
    private let estate = BusLoop.Estate()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter address: of the bus; nil is the system bus (or what DBUS_SYSTEM_BUS_ADDRESS names).
    package static func connect(_ address: String? = nil) async throws(BusError) -> Bus {
        let waiters = Waiters()
        return Bus(try await BusLoop.start(address) { waiters.resumeAll(.failure(.closed)) }, waiters)
    }

    private init(_ loop: BusLoop, _ waiters: Waiters) { (self.loop, self.waiters) = (loop, waiters) }

    deinit { loop.stop(estate) }

    /// Calls a method and waits for its reply, at most `seconds`.
    @discardableResult
    package func call(_ request: BusRequest, seconds: Int = 25) async throws(BusError) -> [BusValue] {
        lastID += 1
        let (id, waiters) = (lastID, waiters)
        let reply: Reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.add(id, continuation)
                if Task.isCancelled { return waiters.resume(id, .failure(.cancelled)) }
                do throws(BusError) { try send(request, id, seconds) } catch { waiters.resume(id, .failure(error)) }
            }
        } onCancel: {
            waiters.resume(id, .failure(.cancelled))
        }
        return try reply.get()
    }

    private final class Call {
        let id: Int
        let waiters: Waiters
        init(_ id: Int, _ waiters: Waiters) { (self.id, self.waiters) = (id, waiters) }
    }

    private func send(_ request: BusRequest, _ id: Int, _ seconds: Int) throws(BusError) {
        guard let bus = loop.bus else { throw .closed }
        let message = try BusMessage.call(bus, to: request.destination, request.path, request.interface, request.member)
        try message.append(request.arguments)
        var slot: OpaquePointer?
        let context = Unmanaged.passRetained(Call(id, waiters))
        let code = sd_bus_call_async(
            bus, &slot, message.pointer,
            { message, context, _ in
                guard let message, let context else { return 0 }
                let call = Unmanaged<Call>.fromOpaque(context).takeUnretainedValue()
                call.waiters.resume(call.id, Bus.reply(in: message))
                return 1
            }, context.toOpaque(), UInt64(max(seconds, 1)) * 1_000_000)
        guard code >= 0 else {
            context.release()
            throw BusError(code: code, doing: "calling \(request.interface).\(request.member)")
        }
        sd_bus_slot_set_destroy_callback(slot) { context in
            if let context { Unmanaged<Call>.fromOpaque(context).release() }
        }
        sd_bus_slot_set_floating(slot, 1)
        sd_bus_slot_unref(slot)
    }

    private static func reply(in message: OpaquePointer) -> Reply {
        if sd_bus_message_is_method_error(message, nil) > 0, let error = sd_bus_message_get_error(message) {
            let text = error.pointee.message.map { String(cString: $0) } ?? ""
            return .failure(BusError(error.pointee.name.map { String(cString: $0) } ?? "", text))
        }
        do throws(BusError) { return .success(try BusMessage.values(of: message)) } catch { return .failure(error) }
    }

    /// Sends a signal.
    package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) throws(BusError) {
        guard let bus = loop.bus else { throw .closed }
        let message = try BusMessage.signal(bus, path, interface, member)
        try message.append(arguments)
        let code = sd_bus_send(bus, message.pointer, nil)
        guard code >= 0 else { throw BusError(code: code, doing: "signalling \(member)") }
    }

    /// Says that properties have these values now.
    package func emitChanged(_ path: String, _ interface: String, _ properties: [String: BusValue]) throws(BusError) {
        try emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .properties(properties), .strings([])])
    }

    /// Owns a well-known name of the bus.
    package func own(_ name: String) async throws(BusError) {
        try await call(
            BusRequest(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", [.string(name), .uint32(4)])
        )
    }
}

extension Bus {
    private final class Listener {
        let hear: @Sendable (BusSignal) -> Void
        init(_ hear: @escaping @Sendable (BusSignal) -> Void) { self.hear = hear }
    }

    /// Hears signals from `sender`.
    /// - Parameters:
    ///   - path: nil hears every object's.
    ///   - hear: called on the bus's thread; it must not wait.
    /// - Returns: for `remove`.
    package func listen(
        to sender: String, _ path: String?, _ interface: String, _ member: String, _ hear: @escaping @Sendable (BusSignal) -> Void
    ) throws(BusError) -> Int {
        guard let bus = loop.bus else { throw .closed }
        let listener = Listener(hear)
        var slot: OpaquePointer?
        let code = sd_bus_match_signal_async(
            bus, &slot, sender, path, interface, member,
            { message, context, _ in
                guard let message, let context else { return 0 }
                Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().hear(BusSignal(message))
                return 0
            }, nil, Unmanaged.passUnretained(listener).toOpaque())
        guard code >= 0, let slot else { throw BusError(code: code, doing: "listening to \(member)") }
        return keep(slot, listener)
    }

    /// Makes an object callable.
    /// - Returns: for `remove`.
    package func export(_ object: ExportedObject) throws(BusError) -> Int {
        guard let bus = loop.bus else { throw .closed }
        let exported = ExportedObject.Context(object, bus: self)
        var slot: OpaquePointer?
        let code = sd_bus_add_object(
            bus, &slot, object.path,
            { message, context, _ in
                guard let message, let context else { return 0 }
                return Unmanaged<ExportedObject.Context>.fromOpaque(context).takeUnretainedValue().handle(message)
            }, Unmanaged.passUnretained(exported).toOpaque())
        guard code >= 0, let slot else { throw BusError(code: code, doing: "exporting \(object.path)") }
        return keep(slot, exported)
    }

    /// Ends what `listen` or `export` began.
    package func remove(_ id: Int) {
        guard let (slot, _) = estate.slots.removeValue(forKey: id) else { return }
        sd_bus_slot_unref(slot)
    }

    private func keep(_ slot: OpaquePointer, _ context: AnyObject) -> Int {
        lastID += 1
        estate.slots[lastID] = (slot, context)
        return lastID
    }

    /// Keeps a call whose reply is still to come.
    func hold(_ call: OpaquePointer) -> Int {
        lastID += 1
        estate.calls[lastID] = sd_bus_message_ref(call)
        return lastID
    }

    /// Answers a call that was kept.
    func answer(_ id: Int, _ result: Result<[BusValue], BusError>) {
        guard let call = estate.calls.removeValue(forKey: id) else { return }
        defer { sd_bus_message_unref(call) }
        guard let bus = loop.bus, let reply = try? BusMessage.reply(to: call, result) else { return }
        sd_bus_send(bus, reply.pointer, nil)
    }
}

extension BusSignal {
    fileprivate init(_ message: OpaquePointer) {
        path = sd_bus_message_get_path(message).map { String(cString: $0) } ?? ""
        member = sd_bus_message_get_member(message).map { String(cString: $0) } ?? ""
        arguments = (try? BusMessage.values(of: message)) ?? []
    }
}
