import Ports
import TestSupport
import Testing

@testable import Credentials

/// Lists that are kept from one run to the next.
@Suite struct ListArchiveTests {
    private let reference = StatusReference(.index(7), uri: StatusStage.uri)
    private let down = ResourceError(StatusStage.uri, "answered 503", status: 503)

    /// Keeps in memory what a folder would.
    private actor Kept: ListArchive {
        private(set) var lists: [String: KeptList] = [:]

        func recall(_ name: String) -> KeptList? { lists[name] }
        func keep(_ list: KeptList, as name: String) { lists[name] = list }
        func spoil() { lists = lists.mapValues { KeptList($0.bytes + [0], contentType: $0.contentType, fetchedAt: $0.fetchedAt) } }
    }

    /// One run: its status, and the rows of T5 and T10.fetch.
    private func run(
        _ stage: StatusStage, _ source: any ResourceSource, _ archive: Kept, at time: Timestamp? = nil
    ) async throws -> (status: String?, copy: String?, fetch: Check?) {
        let report = try await stage.report(reference.cbor)
        let checker = StatusChecker(
            policy: StatusPolicy(.enforce), source: source, cache: StatusCache(archive: archive), edition: .first)
        let done = await checker.completed(
            PresentationReport(at: time ?? report.at, checks: CheckList(edition: .first), documents: report.documents))
        func row(_ id: String) -> Check? { done.checks.first { $0.id == id } }
        return (done.documents.first?.status, row("T5")?.reason, row("T10.fetch"))
    }

    private func source(_ stage: StatusStage, issued time: Timestamp? = nil) async throws -> CountingSource {
        CountingSource(.success(Resource(try await stage.maker(at: time).cwt(stage.list))))
    }

    @Test func anEarlierRunsCopyServesWithItsAgeWhileTheSourceIsDown() async throws {
        let stage = try StatusStage()
        let archive = Kept()
        let fresh = try await run(stage, try await source(stage), archive)
        #expect(fresh.status == "valid" && fresh.copy == nil)
        let later = try await run(stage, CountingSource(.failure(down)), archive, at: stage.time.adding(seconds: 10_800))
        #expect(later.status == "valid")
        #expect(later.copy == "cached copy is 3 h old; \(StatusStage.uri) answered 503")
        #expect(later.fetch?.outcome == .pass)
        let expired = try await run(stage, CountingSource(.failure(down)), archive, at: stage.time.adding(days: 8))
        #expect(expired.status == "undetermined")
    }

    @Test func withoutACopyNothingCanBeTold() async throws {
        let stage = try StatusStage()
        let none = try await run(stage, OfflineSource("is not fetched: --offline"), Kept())
        #expect(none.status == "undetermined")
        #expect(none.fetch?.reason?.contains("--offline") == true)
    }

    @Test func anOlderListNeverReplacesANewerOne() async throws {
        var stage = try StatusStage()
        let old = try await source(stage, issued: stage.time.adding(seconds: -3600))
        stage.list.set(1, at: 7)
        let archive = Kept()
        #expect(try await run(stage, try await source(stage), archive).status == "invalid")
        let replayed = try await run(stage, old, archive, at: stage.time.adding(seconds: 90))
        #expect(replayed.status == "invalid")
        #expect(replayed.copy?.contains("older: issued at") == true)
        // What was replayed is not kept either.
        let next = try await run(stage, CountingSource(.failure(down)), archive, at: stage.time.adding(seconds: 200))
        #expect(next.status == "invalid")
    }

    @Test func aNewerListReplacesTheCopy() async throws {
        var stage = try StatusStage()
        let archive = Kept()
        #expect(try await run(stage, try await source(stage), archive).status == "valid")
        stage.list.set(1, at: 7)
        let later = stage.time.adding(seconds: 60)
        #expect(try await run(stage, try await source(stage, issued: later), archive, at: later).status == "invalid")
        let offline = try await run(stage, CountingSource(.failure(down)), archive, at: later)
        #expect(offline.status == "invalid")
    }

    @Test func aCopyThatWasChangedIsNotUsed() async throws {
        let stage = try StatusStage()
        let archive = Kept()
        _ = try await run(stage, try await source(stage), archive)
        await archive.spoil()
        #expect(try await run(stage, CountingSource(.failure(down)), archive).status == "undetermined")
    }

    @Test func filesOfAFolderAreCopiesAlready() async throws {
        let stage = try StatusStage()
        let archive = Kept()
        let copy = Resource(try await stage.maker().cwt(stage.list), isCopy: true)
        #expect(try await run(stage, MemorySource([StatusStage.uri: copy]), archive).status == "valid")
        #expect(await archive.lists.isEmpty)
    }
}
