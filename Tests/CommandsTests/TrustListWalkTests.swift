import Codec
import Credentials
import Testing

@testable import Commands

/// Every fault of a trust list, made by `trust make` or `trust add` and seen by who verifies with it.
@Suite(.timeLimit(.minutes(10))) struct TrustListWalkTests {
    private let at = ["--at", "2026-11-30T12:00:00Z"]

    /// A home that issued an mdoc and an SD-JWT VC, and the two as files.
    private func stage() async throws -> InProcess {
        let stage = try InProcess()
        func run(_ words: [String]) async throws -> InProcess.Outcome {
            let outcome = await stage.run(words + ["--home", "\(stage.folder)/issuer"] + at)
            try #require(outcome.exit == .done, "\(words): \(outcome.stderr)")
            return outcome
        }
        let key = try await run(["holder", "key", "new", "--test-home", "--no-passphrase", "--json"])
        let jwk = try #require(key.answer?["keys"]?[0]?["publicKey"])
        try Files.write(Array(jwk.encoded().utf8), to: "\(stage.folder)/key.json")
        let common = ["issuer", "mint", "--device-key", "\(stage.folder)/key.json"]
        _ = try await run(common + ["--type", "pid", "--format", "dc+sd-jwt", "-o", "\(stage.folder)/pid"])
        _ = try await run(common + ["--type", "mdl", "-o", "\(stage.folder)/mdl"])
        let signed = try IssuerSigned(decoding: try Files.read("\(stage.folder)/mdl"))
        let document = Document(docType: "org.iso.18013.5.1.mDL", issuerSigned: signed, deviceSigned: nil)
        try Files.write(DeviceResponse(documents: [document]).encodedCBOR, to: "\(stage.folder)/response")
        return stage
    }

    private func verify(_ stage: InProcess, _ options: [String]) async -> (pid: InProcess.Outcome, mdl: InProcess.Outcome) {
        let home = ["--home", "\(stage.folder)/verifier", "--status-policy", "off", "--json"] + at
        return (
            await stage.run(["verifier", "verify", "--token", "\(stage.folder)/pid", "--no-key-binding"] + options + home),
            await stage.run(["reader", "verify", "--response", "\(stage.folder)/response"] + options + home)
        )
    }

    @Test func aListVouchesForItsIssuersAndTheReportNamesIt() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let made = "\(stage.folder)/issuer/trust/made"
        for product in ["vical", "lote"] {
            let outcome = await stage.run(["trust", "make", product, "--home", "\(stage.folder)/issuer"] + at)
            #expect(outcome.exit == .done, "\(outcome.stderr)")
        }
        let lists = ["--trust-list", "\(made)/vical.cbor", "--trust-list", "\(made)/lote-EUPIDProvidersList.jwt"]
        let seen = await verify(stage, ["--list-anchor", "\(made)/vical-ca.pem"] + lists)
        #expect(seen.pid.answer?["documents"]?[0]?["trust"]?["source"] == "LoTE EUPIDProvidersList of Utopia TEST, 1")
        #expect(seen.pid.answer?["verdict"] == "pass")
        #expect(seen.mdl.answer?["documents"]?[0]?["trust"]?["source"] == "VICAL of Utopia TEST, 1")
        #expect(seen.mdl.answer?["documents"]?[0]?["trust"]?["policy"] == "enforce")
        #expect(!seen.mdl.violations.contains { $0.hasPrefix("R11") || $0.hasPrefix("T") }, "\(seen.mdl.violations)")
        // Without a root for lists nobody's list counts.
        let blind = await verify(stage, lists)
        #expect(blind.mdl.violations.contains("T2.path"))
        #expect(blind.pid.violations.contains("T3.path"))
        let lenient = await verify(stage, ["--anchor", "\(made)/vical-ca.pem", "--trust-for", "urn:eudi:pid:1=warning"])
        #expect(lenient.pid.answer?["verdict"] == "pass")
        #expect(lenient.pid.violations == ["S4.path"])
    }

    /// `etsi_tl` (OpenID4VP 1.0 §6.1.1): by the address at which a list is published, for the list there and those behind it.
    @Test func trustedAuthoritiesAreDecidedByTheListsInUse() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let made = "\(stage.folder)/issuer/trust/made"
        let address = "https://lists.utopia.example/pid"
        func make(_ options: [String]) async throws -> String {
            let outcome = await stage.run(["trust", "make", "lote"] + options + ["--home", "\(stage.folder)/issuer"] + at)
            try #require(outcome.exit == .done, "\(outcome.stderr)")
            return outcome.answer?["path"]?.stringValue ?? ""
        }
        let known = try await make(["--location", address, "--json"])
        // A list of providers of driving licences, on which the issuer stands as well, and one of another authority.
        let other = try await make(["--type", "mdl", "--location", "https://lists.utopia.example/mdl", "--json"])
        let foreign = await stage.run(
            [
                "trust", "make", "lote", "--location", "https://lists.erewhon.example", "--organization", "Erewhon", "--out",
                "\(stage.folder)/erewhon",
            ]
                + ["--home", "\(stage.folder)/erewhon-home"] + at)
        try #require(foreign.exit == .done, "\(foreign.stderr)")
        let lists = [
            "--list-anchor", "\(made)/vical-ca.pem", "--list-anchor", "\(stage.folder)/erewhon/vical-ca.pem", "--trust-list", known,
            "--trust-list", other, "--trust-list", "\(stage.folder)/erewhon/lote-EUPIDProvidersList.jwt",
        ]
        func decided(_ addresses: [String], _ lists: [String]) async throws -> JSON? {
            let values = addresses.map { #""\#($0)""# }.joined(separator: ",")
            let query =
                #"{"credentials": [{"id": "pid", "format": "dc+sd-jwt", "meta": {"vct_values": ["urn:eudi:pid:1"]}, "#
                + #""trusted_authorities": [{"type": "etsi_tl", "values": [\#(values)]}]}]}"#
            let outcome = await stage.run(
                ["dcql", "evaluate", "--query", query, "--credentials", "\(stage.folder)/pid", "--json"] + lists
                    + ["--home", "\(stage.folder)/verifier"] + at)
            let result = outcome.answer?["credentials"]?[0]
            return result?["matches"]?[0]?["authority"] ?? result?["misses"]?[0]?["reasons"]?[0]
        }
        #expect(try await decided([address], lists) == "trusted")
        #expect(try await decided(["https://lists.utopia.example/mdl"], lists) == "trusted")
        #expect(try await decided(["https://lists.erewhon.example"], lists) == "authority")
        #expect(try await decided(["https://lists.erewhon.example", address], lists) == "trusted")
        #expect(try await decided(["https://nobody.example"], lists) == "undecidable")
        #expect(try await decided(["https://nobody.example", "https://lists.erewhon.example"], lists) == "undecidable")
        #expect(try await decided([address], []) == "undecidable")
        // A list whose signer nobody trusts says nothing.
        #expect(try await decided([address], Array(lists.dropFirst(2))) == "undecidable")
    }

    @Test func anOlderListNeverReplacesANewerOne() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let home = ["--home", "\(stage.folder)/issuer"] + at
        let made = "\(stage.folder)/issuer/trust/made"
        _ = await stage.run(["trust", "make", "vical", "--number", "5"] + home)
        #expect(await stage.run(["trust", "add", "\(made)/vical-ca.pem", "--role", "lists"] + home).exit == .done)
        #expect(await stage.run(["trust", "add", "\(made)/vical.cbor"] + home).exit == .done)
        _ = await stage.run(["trust", "make", "vical", "--number", "4"] + home)
        let older = await stage.run(["trust", "add", "\(made)/vical.cbor"] + home)
        #expect(older.exit == .refused)
        #expect(older.stderr.contains("is older than VICAL of Utopia TEST, 5"))
        _ = await stage.run(["trust", "make", "vical", "--number", "6"] + home)
        #expect(await stage.run(["trust", "add", "\(made)/vical.cbor"] + home).exit == .done)
    }

    @Test func everyFaultOfAListIsSeen() async throws {
        let stage = try await stage()
        defer { stage.remove() }
        let made = "\(stage.folder)/issuer/trust/made"
        let issuer = ["--home", "\(stage.folder)/issuer"] + at
        let verifier = ["--home", "\(stage.folder)/verifier"] + at
        for fault in TrustListFault.all {
            let isVICAL = fault.name.hasPrefix("vical") || fault == .garbage
            let file = isVICAL ? "\(made)/vical.cbor" : "\(made)/lote-EUPIDProvidersList.jwt"
            let switched = fault == .cacheAge ? [] : ["--fault", fault.name]
            let outcome = await stage.run(["trust", "make", isVICAL ? "vical" : "lote"] + switched + issuer)
            #expect(outcome.exit == .done, "\(fault.name): \(outcome.stderr)")
            var options = ["--list-anchor", "\(made)/vical-ca.pem", "--trust-list", file]
            if fault == .down { options += ["--anchor", "\(made)/iaca.pem"] }
            if fault == .cacheAge {
                _ = await stage.run(["trust", "add", "\(made)/vical-ca.pem", "--role", "lists"] + verifier)
                let added = await stage.run(["trust", "add", file, "--fault", fault.name] + verifier)
                #expect(added.exit == .done, "\(added.stderr)")
                options = []
            }
            let both = await verify(stage, options)
            let seen = isVICAL ? both.mdl : both.pid
            #expect(
                !fault.checks.isEmpty && fault.checks.allSatisfy(seen.violations.contains),
                "\(fault.name): \(fault.checks), seen \(seen.violations)")
            let surplus = seen.violations.filter { id in
                id.hasPrefix("T") && !fault.checks.contains(id) && !fault.also.contains(id)
            }
            #expect(surplus.isEmpty, "\(fault.name): \(surplus)")
        }
    }
}
