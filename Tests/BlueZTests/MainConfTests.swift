import Testing

@testable import BlueZ

@Suite struct MainConfTests {
    @Test func anEmptyFileLacksEveryLine() {
        #expect(MainConf("").missing.map(\.key) == ["ReverseServiceDiscovery", "Channels", "ExchangeMTU"])
    }

    @Test func linesCountOnlyInTheirSection() {
        let conf = MainConf("[General]\nChannels = 1\n[GATT]\nExchangeMTU=513\n#Channels = 1\n")
        #expect(conf.missing.map(\.key) == ["ReverseServiceDiscovery", "Channels"])
    }

    @Test func mendingReplacesCommentedAndWrongLinesAndKeepsTheRest() {
        let text =
            "# about\n[General]\nName = x\n#ReverseServiceDiscovery = true\n\n[GATT]\n#Cache = always\nChannels = 3\nChannels = 5\n"
        let mended = MainConf.mended(text)
        #expect(
            mended
                == "# about\n[General]\nName = x\nReverseServiceDiscovery = false\n\n[GATT]\nExchangeMTU = 513\n#Cache = always\nChannels = 1\n"
        )
        #expect(MainConf(mended).missing.isEmpty)
        #expect(MainConf.mended(mended) == mended)
    }

    @Test func mendingMakesSectionsThatAreNotThere() {
        #expect(MainConf(MainConf.mended("")).missing.isEmpty)
        #expect(MainConf(MainConf.mended("[General]\n")).missing.isEmpty)
    }

    @Test func linesDoNotHoldBeforeTheDaemonKnowsThem() {
        let file = MainConf(MainConf.mended(""))
        #expect(DaemonSettings(path: "", file: file, isStale: false).isRight)
        #expect(!DaemonSettings(path: "", file: file, isStale: true).isRight)
    }

    @Test(arguments: [
        (["bluetoothd", "--configfile=/a"], "/a"), (["bluetoothd", "-f", "/b"], "/b"),
        (["bluetoothd", "--configfile", "/c", "-d"], "/c"),
    ])
    func theDaemonsOwnConfigurationFileIsFound(_ arguments: [String], _ path: String) {
        #expect(DaemonSettings.configurationFile(arguments) == path)
        #expect(DaemonSettings.configurationFile(["bluetoothd", "-d"]) == nil)
    }

    @Test func theVersionOfBlueZComesFromTheAdapter() {
        #expect(Adapter.version(modalias: "usb:v1D6Bp0246d0542") == "5.66")
        #expect(Adapter.version(modalias: "usb:v1234p0246d0542") == nil)
        #expect(Adapter.version(modalias: "usb:v1D6Bp0246dZZ42") == nil)
    }

    @Test(arguments: [
        ("ble", AdapterChoice.any), ("ble:hci1", .name("hci1")), ("ble:aa:bb:cc:dd:ee:0f", .address("AA:BB:CC:DD:EE:0F")),
    ])
    func adaptersAreChosenByNameOrAddress(_ text: String, _ choice: AdapterChoice) {
        #expect(AdapterChoice(text) == choice)
    }

    @Test(arguments: ["bl", "ble:", "ble:hci", "ble:eth0", "ble:aa:bb:cc:dd:ee", "ble:aa:bb:cc:dd:ee:zz"])
    func whatIsNoAdapterIsRefused(_ text: String) {
        #expect(AdapterChoice(text) == nil)
    }
}
