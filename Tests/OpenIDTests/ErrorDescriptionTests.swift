import OpenID
import Testing

@Suite struct ErrorDescriptionTests {
    @Test func keepsWhatRFC6749AllowsAndReplacesTheRest() {
        #expect(ErrorDescription.allowed("the \"nonce\" is \\ überholt\n") == "the 'nonce' is / ?berholt?")
        #expect(ErrorDescription.isAllowed("plain ASCII, ~ too!"))
        #expect(!ErrorDescription.isAllowed("a \"quote\""))
    }
}
