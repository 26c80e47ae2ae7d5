import Testing
import Web

@Suite struct LibraryVersionsTests {
    @Test func theLibrariesSayTheirVersions() {
        #expect(WebLibraries.versions.map(\.name) == ["libmicrohttpd", "libcurl"])
        #expect(WebLibraries.versions.allSatisfy { $0.version.first?.isNumber == true })
    }
}
