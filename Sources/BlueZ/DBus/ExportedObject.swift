import CSystemd

/// A call that somebody made to an exported object.
package struct BusCall: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    /// The caller's unique name.
    package let sender: String
    package let arguments: [BusValue]
}

/// What an exported object makes of a call.
package enum BusAnswer: Sendable {
    case reply([BusValue])
    case refuse(BusError)
    /// The reply takes time; it is sent when the body returns.
    case later(@Sendable () async -> Result<[BusValue], BusError>)
    /// There is no such method.
    case unknown
}

/// An object that others on the bus can call: properties, a method handler and, for the root of a tree, the tree's objects.
package struct ExportedObject: Sendable {
    package let path: String
    /// Properties by interface, as they are now.
    package let properties: @Sendable () -> [String: [String: BusValue]]
    /// The paths and properties that GetManagedObjects lists; nil for objects that are no root.
    package let tree: (@Sendable () -> [String: [String: [String: BusValue]]])?
    /// Called on the bus's thread; it must not wait.
    package let handle: @Sendable (BusCall) -> BusAnswer

    package init(
        _ path: String, properties: @escaping @Sendable () -> [String: [String: BusValue]] = { [:] },
        tree: (@Sendable () -> [String: [String: [String: BusValue]]])? = nil,
        handle: @escaping @Sendable (BusCall) -> BusAnswer = { _ in .unknown }
    ) {
        (self.path, self.properties, self.tree, self.handle) = (path, properties, tree, handle)
    }

    /// The answer to any call, the standard interfaces included.
    func answer(_ call: BusCall) -> BusAnswer {
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            return .reply([.properties(properties()[call.arguments.first?.text ?? ""] ?? [:])])
        case ("org.freedesktop.DBus.Properties", "Get"):
            let (interface, name) = (call.arguments.first?.text ?? "", call.arguments.dropFirst().first?.text ?? "")
            guard let value = properties()[interface]?[name] else {
                return .refuse(BusError("org.freedesktop.DBus.Error.UnknownProperty", "\(interface).\(name)"))
            }
            return .reply([.variant(value)])
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"):
            guard let tree else { return .unknown }
            return .reply([Self.managed(tree())])
        default:
            return handle(call)
        }
    }

    /// `a{oa{sa{sv}}}`
    static func managed(_ tree: [String: [String: [String: BusValue]]]) -> BusValue {
        let objects = tree.map { (BusValue.path($0.key), interfaces($0.value)) }
        return .dictionary(key: "o", value: "a{sa{sv}}", Dictionary(uniqueKeysWithValues: objects))
    }

    /// `a{sa{sv}}`
    static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
        let members = interfaces.map { (BusValue.string($0.key), BusValue.properties($0.value)) }
        return .dictionary(key: "s", value: "a{sv}", Dictionary(uniqueKeysWithValues: members))
    }
}

extension ExportedObject {
    /// What the callback of an exported object points to.
    final class Context {
        private let object: ExportedObject
        private weak var bus: Bus?

        init(_ object: ExportedObject, bus: Bus) { (self.object, self.bus) = (object, bus) }

        /// Answers a call message.
        /// - Returns: what sd-bus wants: 0 for "not mine", positive when dealt with, else an error number.
        func handle(_ message: OpaquePointer) -> Int32 {
            guard let call = BusCall(message) else { return 0 }
            switch object.answer(call) {
            case .unknown: return 0
            case .reply(let values): return Self.send(.success(values), to: message)
            case .refuse(let error): return Self.send(.failure(error), to: message)
            case .later(let body):
                guard let bus else { return 0 }
                // sd-bus does not lock its reference counts: the bus keeps the message, on its own thread.
                nonisolated(unsafe) let held = message
                let id = bus.assumeIsolated { $0.hold(held) }
                Task { await bus.answer(id, await body()) }
                return 1
            }
        }

        private static func send(_ result: Result<[BusValue], BusError>, to message: OpaquePointer) -> Int32 {
            guard let reply = try? BusMessage.reply(to: message, result) else { return -1 }
            return sd_bus_send(nil, reply.pointer, nil) >= 0 ? 1 : -1
        }
    }
}

extension BusCall {
    fileprivate init?(_ message: OpaquePointer) {
        guard let member = sd_bus_message_get_member(message), let values = try? BusMessage.values(of: message) else { return nil }
        path = sd_bus_message_get_path(message).map { String(cString: $0) } ?? ""
        interface = sd_bus_message_get_interface(message).map { String(cString: $0) } ?? ""
        self.member = String(cString: member)
        sender = sd_bus_message_get_sender(message).map { String(cString: $0) } ?? ""
        arguments = values
    }
}
