import Codec
import Credentials
import Glibc
import Proximity
import Testing

@testable import Commands

/// Every fault that `faults` lists, switched on in the role that makes it and seen by the other: `issuer mint`, `holder present` and
/// `reader read` as people run them, in one process. With the fault its checks fail or warn, and none that is not allowed to; without,
/// none does.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FaultWalkTests {
    /// What a fault needs to show, beside being switched on. A fault that is not named needs nothing.
    struct Scene: Sendable {
        var argument = ""
        var holder: [String] = []
        var reader: [String] = []
        /// Further faults of the reader, so that a holder's shows.
        var readerFaults: [String] = []
        var mint: [String] = []
        var edition = 1
        var requests = ["request.json"]
        /// How often the same holder presents: some faults show the second time.
        var runs = 1
        /// A fault of an issuer's command between the first two runs, not of `issuer mint`; `ID` stands for the status entry.
        var between: [String] = []
        /// Before the first run.
        var afterMint: [String] = []
        /// By Bluetooth between radios in memory, instead of a socket.
        var bluetooth: Bluetooth?

        struct Bluetooth: Sendable {
            /// Which end of the connection makes the mistake; decides the mode.
            enum End: Sendable { case server, client }
            var end: End
            var manners = MemoryAir.Manners()

            /// The mode in which `role` is that end.
            func mode(_ role: String) -> String { (role == "holder") == (end == .server) ? "peripheral" : "central" }
        }
    }

    private static func server(_ holder: [String] = [], _ reader: [String] = []) -> Scene {
        Scene(holder: holder, reader: reader, bluetooth: .init(end: .server))
    }

    private static func client(
        _ options: [String] = ["--no-l2cap"], stay: Int = 60, resume: Int = 0
    ) -> Scene {
        var bluetooth = Scene.Bluetooth(end: .client)
        (bluetooth.manners.staySeconds, bluetooth.manners.resumeSeconds) = (stay, resume)
        return Scene(holder: options, reader: options, bluetooth: bluetooth)
    }

    private static let scenes: [String: Scene] = [
        "x5t-matches": Scene(edition: 2), "engagement-minor": Scene(edition: 2), "capabilities-need-origins": Scene(edition: 2),
        "capability-true": Scene(edition: 2), "reader-auth-all-wrong": Scene(edition: 2), "use-cases-shape": Scene(edition: 2),
        "use-cases-satisfiable": Scene(edition: 2), "ignore-maximum-size": Scene(edition: 2, requests: ["small.json"]),
        "device-mac-curve": Scene(holder: ["--curve", "P-384"]),
        "mac-wrong-key": Scene(holder: ["--device-auth", "mac"]),
        "mso-reuse": Scene(mint: ["--policy", "once"], runs: 2), "engagement-replayed": Scene(mint: ["--batch", "2"], runs: 2),
        "ble-uuid-fresh": Scene(mint: ["--batch", "2"], runs: 2),
        "single-key-use": Scene(requests: ["request.json", "request.json"]),
        "status-20-early": Scene(requests: ["request.json", "request.json"]),
        "request-counter-reused": Scene(requests: ["request.json", "request.json"]),
        "silent-drop": Scene(readerFaults: ["request-bitflip"]), "disconnect-after-part": Scene(argument: "1"),
        "reader-break": Scene(argument: "eku"), "ds-break": Scene(argument: "eku"),
        "status-unrevoke": Scene(
            mint: ["--status"], runs: 2, between: ["issuer", "restore", "ID"], afterMint: ["issuer", "revoke", "ID"]),
        "wrprc-absent": Scene(holder: ["--require-registration"]), "wrprc-once": Scene(requests: ["two.json"]),
        "wrprc-differs": Scene(requests: ["two.json"]),
        "crl-number": Scene(
            mint: ["--batch", "2"], runs: 2,
            between: ["issuer", "mint", "--type", "pid", "--device-key", "trust/made/ds.pem", "-o", "other.cbor"]),
        "no-advertisement": server(["--timeout", "3"], ["--timeout", "3"]), "gatt-characteristic": server(),
        "gatt-property": server(["--no-l2cap"]), "gatt-cccd": server(["--no-l2cap"]), "l2cap-psm": server(),
        "no-state-start": client(), "state-unknown": client(), "subscribed-first": client(),
        "client-disconnects": client(stay: 1), "resume-after-start": client(resume: 60), "second-central": client(),
        "no-state-end": client(), "l2cap-length": client([]),
        "ident-length": server(), "ident-other-session": server(),
        "mode-preference": Scene(holder: ["--ble-mode", "both"], bluetooth: .init(end: .client)),
    ]

    /// Seen by who fetches lists only: NetworkWalkTests.
    private static let elsewhere: Set<String> = ["list-endless", "list-redirect"]

    /// Those that proximity shows; other protocols have walks of their own.
    private static let faults: [(fault: String, role: String)] = NamedFault.all.filter { fault in
        fault.checks.contains(where: isOfProximity) && !elsewhere.contains(fault.name)
    }.flatMap { fault in
        // What is registered goes to wallets by verifiers and issuers, too: RegistrationWalkTests.
        let roles = RegistrationFault(fault.name) == nil ? ["issuer", "holder", "reader"] : ["reader"]
        return fault.roles.filter(roles.contains).map { (FaultName(fault.name).name, $0) }
    }

    private static let asked =
        #"{"org.iso.18013.5.1.mDL": {"org.iso.18013.5.1": {"family_name": false, "given_name": false, "portrait": false, "#
        + #""birth_date": false, "issuing_country": false, "issuing_jurisdiction": false, "age_over_18": false}}}"#
    private static let small =
        #"{"org.iso.18013.5.1.mDL": {"org.iso.18013.5.1": {"family_name": false, "portrait": false}, "#
        + #""requestInfo": {"maximumResponseSize": 100}}}"#

    private static let two =
        #"{"org.iso.18013.5.1.mDL": {"org.iso.18013.5.1": {"family_name": false}}, "#
        + #""eu.europa.ec.eudi.pid.1": {"eu.europa.ec.eudi.pid.1": {"family_name": false}}}"#

    private static let at = ["--at", "2026-11-30T12:00:00Z"]

    /// Two homes: `trust` with everything but a driving licence, `whole` with one.
    private func stage() async throws -> InProcess {
        signal(SIGPIPE, SIG_IGN)
        let stage = try InProcess()
        try Files.write(Array(Self.asked.utf8), to: "\(stage.folder)/request.json")
        try Files.write(Array(Self.small.utf8), to: "\(stage.folder)/small.json")
        try Files.write(Array(Self.two.utf8), to: "\(stage.folder)/two.json")
        let home = ["--home", "\(stage.folder)/trust"] + Self.at
        for words in [
            ["issuer", "mint", "--type", "pid", "--to-holder", "--test-home"], ["trust", "make", "reader"],
            ["trust", "add", "\(stage.folder)/trust/trust/made/iaca.pem"],
            ["trust", "add", "\(stage.folder)/trust/trust/made/reader-ca.pem", "--role", "readers"],
            ["trust", "make", "wrpac"], ["trust", "make", "wrprc"],
            ["trust", "add", "\(stage.folder)/trust/trust/made/registrar-ca.pem", "--role", "registrars"],
            ["trust", "make", "crl", "--number", "7"], ["trust", "make", "crl", "--number", "7", "--issuer", "reader-ca"],
        ] {
            let outcome = await stage.run(words + home)
            try #require(outcome.exit == .done, "\(words): \(outcome.stderr)")
        }
        return stage
    }

    private struct Seen {
        var holder: Set<String> = []
        var reader: Set<String> = []
        /// What left a status open.
        var open: Set<String> = []
        var talk = ""
    }

    private func walk(_ fault: String?, by role: String, _ scene: Scene, _ stage: InProcess) async throws -> Seen {
        let home = "home"
        InProcess.remove("\(stage.folder)/\(home)")
        try stage.copy("trust", to: home)
        let common = ["--home", "\(stage.folder)/\(home)", "--edition", "\(scene.edition)"] + Self.at
        func switched(_ wanted: String) -> [String] {
            guard let fault, wanted == role else { return [] }
            return ["--fault", scene.argument.isEmpty ? fault : "\(fault):\(scene.argument)"]
        }
        let minted = await stage.run(
            ["issuer", "mint", "--type", "mdl", "--to-holder", "--json"] + scene.mint
                + (scene.between.isEmpty ? switched("issuer") : []) + common)
        try #require(minted.exit == .done, "\(minted.stderr)")
        let entry = minted.answer?["status"]?["id"]?.stringValue ?? ""
        @Sendable func run(_ words: [String]) async throws {
            guard !words.isEmpty else { return }
            let named = words.map { $0 == "ID" ? entry : $0.contains(".") ? "\(stage.folder)/\(home)/\($0)" : $0 }
            let outcome = await stage.run(named + common)
            try #require(outcome.exit == .done, "\(named): \(outcome.stderr)")
        }
        try await run(scene.afterMint)
        let between = scene.between.isEmpty ? [] : scene.between + switched("issuer")
        return try await RadioSource.$replacement.withValue(Self.radios(scene)) {
            try await meet(scene, stage, holder: switched("holder") + common, reader: switched("reader") + common, by: role) {
                try await run(between)
            }
        }
    }

    /// Radios of one air, for scenes by Bluetooth.
    private static func radios(_ scene: Scene) -> RadioSource.Opener? {
        guard let bluetooth = scene.bluetooth else { return nil }
        let air = MemoryAir(bluetooth.manners)
        return { adapter, _ in air.radio("\(adapter)") }
    }

    private func meet(
        _ scene: Scene, _ stage: InProcess, holder holderWords: [String], reader readerWords: [String], by role: String,
        between: @Sendable () async throws -> Void
    ) async throws -> Seen {
        var seen = Seen()
        let mode = scene.bluetooth.map { ["--ble-mode", $0.mode(role)] } ?? []
        let holderMode = scene.holder.contains("--ble-mode") ? [] : mode
        let readerMode = scene.holder.contains("--ble-mode") ? [] : mode
        for ordinal in 0..<scene.runs {
            if ordinal == 1 { try await between() }
            let link = scene.bluetooth == nil ? "unix:\(stage.folder)/link" : "ble:hci0"
            let timeout = scene.holder.contains("--timeout") ? [] : ["--timeout", "60"]
            let holder = stage.start(
                ["holder", "present", "--link", link, "--consent", "auto", "--json"] + timeout + scene.holder + holderMode
                    + holderWords, as: "holder")
            guard let text = await holder.event("ready")?["engagement"]?.stringValue else {
                let outcome = await holder.outcome()
                throw Shell.Failure(what: "the holder does not start: \(outcome.stderr)")
            }
            let requests = scene.requests.flatMap { ["--request", "\(stage.folder)/\($0)"] }
            let reading = stage.start(
                ["reader", "read", "--engagement", text, "--json"] + (scene.bluetooth == nil ? [] : ["--link", "ble:hci1"])
                    + requests + scene.reader + readerMode + scene.readerFaults.flatMap { ["--fault", $0] } + readerWords,
                as: "reader")
            // Who waits for somebody that never comes would wait until its time is up.
            let isReaderServer = scene.bluetooth != nil && mode.last == "central"
            if isReaderServer {
                let presented = await holder.outcome()
                if !presented.stdout.contains(#""event":"connected""#) { reading.task.cancel() }
            }
            let reader = await reading.outcome()
            if !reader.stdout.contains(#""event":"connected""#) { holder.task.cancel() }
            let presented = await holder.outcome()
            seen = Seen(
                holder: presented.violations, reader: reader.violations, open: presented.open.union(reader.open),
                talk: "holder: \(presented.stderr)\nreader: \(reader.stderr)")
        }
        return seen
    }

    private func holds(_ pattern: String, _ id: String) -> Bool {
        pattern.hasSuffix(".*") ? id.hasPrefix(String(pattern.dropLast(1))) || id == String(pattern.dropLast(2)) : id == pattern
    }

    @Test func everyFaultTripsItsChecksAndNoOthers() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        for (name, role) in Self.faults {
            let row = try #require(NamedFault.all.first { FaultName($0.name).name == name })
            let scene = Self.scenes[name] ?? Scene()
            let seen: Seen
            do { seen = try await walk(name, by: role, scene, stage) } catch {
                Issue.record("\(name) by \(role): \(error)")
                continue
            }
            let violations = seen.holder.union(seen.reader)
            let promised = row.checks.filter(Self.isOfProximity)
            let tripped = violations.union(seen.open)
            let missing = promised.filter { check in !tripped.contains { holds(check, $0) } }
            let surplus = violations.filter { id in !allowed(row, scene).contains { holds($0, id) } }
            #expect(!promised.isEmpty, "\(name) names no check")
            #expect(
                missing.isEmpty && surplus.isEmpty,
                """
                \(name) by \(role): not tripped \(missing), not allowed \(surplus.sorted()); holder \(seen.holder.sorted()), \
                reader \(seen.reader.sorted())
                \(seen.talk)
                """)
        }
    }

    /// What may be violated: the fault's own checks, those it may trip along, and those of faults that it needs beside it.
    private func allowed(_ row: NamedFault, _ scene: Scene) -> [String] {
        let others = NamedFault.all.filter { scene.readerFaults.contains($0.name) }
        return row.checks + row.also + others.flatMap(\.checks)
    }

    @Test(arguments: [
        Scene(), Scene(edition: 2), Scene(holder: ["--device-auth", "mac"], requests: ["request.json", "request.json"]),
        server(), client(), Scene(edition: 2, requests: ["request.json", "request.json"], bluetooth: .init(end: .client)),
    ])
    func withoutAFaultNothingIsViolated(_ scene: Scene) async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let seen = try await walk(nil, by: "nobody", scene, stage)
        #expect(seen.holder.isEmpty && seen.reader.isEmpty && seen.open.isEmpty, "\(seen)")
    }

    /// Checks R, H, P and T: a fault may have its name of checks of other protocols too, which this walk does not run.
    private static func isOfProximity(_ id: String) -> Bool {
        ["R", "H", "P", "T"].contains(id.prefix(1)) && id.dropFirst().first?.isNumber ?? false
    }

    /// Rows of the catalogue that no fault of this build can trip, each with its reason.
    private static let withoutFault: [String: String] = [
        "P50": "needs engagement by NFC", "P51": "needs engagement by NFC", "P52": "needs engagement by NFC",
    ]

    @Test func everyActiveRowOfTheCatalogueHasAFault() {
        let covered = Set(NamedFault.all.flatMap(\.checks))
        let active = CheckCatalogue.rows.filter { CheckCatalogue.isReached($0.activeFrom) }.map(\.id).filter(Self.isOfProximity)
        let bare = active.filter { !covered.contains($0) && Self.withoutFault[$0] == nil }
        #expect(bare.isEmpty, "no fault trips \(bare)")
        // An exception that has got its fault goes from the list.
        #expect(Self.withoutFault.keys.filter(covered.contains).isEmpty)
        #expect(NamedFault.all.count >= 60)
    }
}
