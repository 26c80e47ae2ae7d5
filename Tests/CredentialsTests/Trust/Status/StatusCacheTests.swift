import Codec
import Crypto
import Ports
import TestSupport
import Testing

@testable import Credentials

/// What is fetched, how often, and how long it is kept.
@Suite struct StatusCacheTests {
    private let reference = StatusReference(.index(7), uri: StatusStage.uri)

    private func row(_ id: String, _ report: PresentationReport) -> Check? { report.checks.first { $0.id == id } }

    /// The report of a document without CRL, so that only its list is fetched.
    private func report(_ stage: StatusStage, at time: Timestamp? = nil) async throws -> PresentationReport {
        let report = try await stage.report(reference.cbor)
        var document = try #require(report.documents.first)
        let query = try #require(document.statusQuery)
        // A JWT of the issuer's own key asks for no CRL; here the chain stays, and the CRL is not counted.
        document.statusQuery = query
        return PresentationReport(at: time ?? report.at, checks: CheckList(edition: .first), documents: [document])
    }

    /// Answers lists only.
    private struct ListsOnly: ResourceSource {
        let lists: CountingSource

        func fetch(_ uri: String, accept: [String], limit: Int) async throws(ResourceError) -> Resource {
            guard uri == StatusStage.uri else { throw ResourceError(uri, "is not there") }
            return try await lists.fetch(uri, accept: accept, limit: limit)
        }
    }

    @Test func aThousandVerificationsAtOnceAreOneFetch() async throws {
        let stage = try StatusStage()
        let resource = Resource(try await stage.maker().cwt(stage.list))
        let started = Locked(0)
        let source = CountingSource(.success(resource)) {
            // Slow: answers only once many are waiting.
            while started.withLock({ $0 }) < 1000 { await Task.yield() }
        }
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), edition: .first)
        let report = try await report(stage)
        let statuses = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    started.withLock { $0 += 1 }
                    return await checker.completed(report).documents.first?.status
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1 ?? "none", default: 0] += 1 }
        }
        #expect(statuses == ["valid": 1000])
        #expect(source.count == 1)
    }

    @Test func aListIsKeptForItsTimeAndNoLonger() async throws {
        let stage = try StatusStage()
        let source = CountingSource(.success(Resource(try await stage.maker().cwt(stage.list))))
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), edition: .first)
        for (offset, fetches) in [(Int64(0), 1), (43_100, 1), (43_300, 2)] {
            let later = await checker.completed(try await report(stage, at: stage.time.adding(seconds: offset)))
            #expect(later.documents.first?.status == "valid")
            #expect(source.count == fetches)
        }
    }

    @Test func aFailureIsRememberedForAWhile() async throws {
        let stage = try StatusStage()
        let source = CountingSource(.failure(ResourceError(StatusStage.uri, "answered 503")))
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), edition: .first)
        for (offset, fetches) in [(Int64(0), 1), (30, 1), (61, 2)] {
            let report = await checker.completed(try await report(stage, at: stage.time.adding(seconds: offset)))
            #expect(report.documents.first?.status == "undetermined")
            #expect(source.count == fetches)
        }
        source.set(.success(Resource(try await stage.maker().cwt(stage.list))))
        let back = await checker.completed(try await report(stage, at: stage.time.adding(seconds: 200)))
        #expect(back.documents.first?.status == "valid")
    }

    @Test func anOldCopyServesWithAWarningWhileTheSourceIsDown() async throws {
        let stage = try StatusStage()
        let source = CountingSource(.success(Resource(try await stage.maker().cwt(stage.list))))
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), edition: .first)
        _ = await checker.completed(try await report(stage))
        source.set(.failure(ResourceError(StatusStage.uri, "answered 503")))
        let later = await checker.completed(try await report(stage, at: stage.time.adding(seconds: 50_000)))
        #expect(later.documents.first?.status == "valid")
        #expect(row("T16", later)?.outcome == .warn)
        let expired = await checker.completed(try await report(stage, at: stage.time.adding(days: 8)))
        #expect(expired.documents.first?.status == "undetermined")
    }

    @Test func bytesThatNobodyVouchesForAreNotKept() async throws {
        let stage = try StatusStage()
        let stranger = try TestPKI.authority(seed: 9, organization: "Erewhon")
        let signer = try stranger.maker.endEntity(.status, issuer: stranger.iaca)
        var forged = stage.maker(signer: signer)
        forged.timeToLive = 10 * 365 * 86_400
        forged.lifetime = 10 * 365 * 86_400
        let source = CountingSource(.success(Resource(try await forged.cwt(stage.list))))
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), edition: .first)
        #expect(await checker.completed(try await report(stage)).documents.first?.status == "undetermined")
        source.set(.success(Resource(try await stage.maker().cwt(stage.list))))
        let later = try await report(stage, at: stage.time.adding(seconds: 61))
        #expect(await checker.completed(later).documents.first?.status == "valid")
        // A forged list that comes later does not push out the good one.
        source.set(.success(Resource(try await forged.cwt(stage.list))))
        let muchLater = try await report(stage, at: stage.time.adding(seconds: 50_000))
        #expect(await checker.completed(muchLater).documents.first?.status == "valid")
    }

    @Test func aRevocationThatIsTakenBackWarns() async throws {
        var stage = try StatusStage()
        let good = Resource(try await stage.maker().cwt(stage.list))
        stage.list.set(1, at: 7)
        let source = CountingSource(.success(Resource(try await stage.maker().cwt(stage.list))))
        let cache = StatusCache()
        let checker = StatusChecker(policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), cache: cache, edition: .first)
        #expect(await checker.completed(try await report(stage)).documents.first?.status == "invalid")
        source.set(.success(good))
        let next = StatusChecker(
            policy: StatusPolicy(.enforce), source: ListsOnly(lists: source), cache: StatusCache(memory: await cache.memory),
            edition: .first)
        let restored = await next.completed(try await report(stage))
        #expect(row("T33", restored)?.outcome == .warn)
        #expect(restored.documents.first?.status == "valid")
    }

    @Test func whatIsKeptIsBounded() async throws {
        var limits = StatusCache.Limits()
        limits.copies = 3
        let cache = StatusCache(limits)
        let stage = try StatusStage()
        let token = try StatusToken(try await stage.maker().cwt(stage.list))
        let fetched = Locked(0)
        func ask(_ name: String) async {
            _ = await cache.copy(.init(uri: name, kind: "t"), at: stage.time, freshFor: { _ in 3600 }) {
                fetched.withLock { $0 += 1 }
                return .success(.init(content: .status(token), fetchedAt: stage.time, contentType: nil, isCopy: false))
            }
        }
        for name in ["a", "b", "c", "a", "d"] { await ask(name) }
        #expect(fetched.withLock { $0 } == 4)
        await ask("a")
        #expect(fetched.withLock { $0 } == 4, "the one used last stays")
        await ask("b")
        #expect(fetched.withLock { $0 } == 5, "the one unused for longest went")
    }
}
