import Codec
import Testing

@Suite struct JSONTests {
    @Test func aNameWithNULIsWrittenSoThatItReadsBack() throws {
        let json = JSON.object(["a\u{0}b": "c\u{0}"])
        #expect(json.encoded() == #"{"a\#u{FFFD}b":"c\u0000"}"#)
        #expect(try JSON.decode(json.encoded()) == ["a\u{FFFD}b": "c\u{0}"])
    }

    @Test func keepsTypesAndOrder() throws {
        let json = try JSON.decode(#"{"b": 1, "a": [1.5, true, null, "x\u00fc\n\u0000"], "c": {"d": -9223372036854775808}}"#)
        #expect(json.objectValue?.keys == ["b", "a", "c"])
        #expect(json == ["b": 1, "a": [1.5, true, nil, "xü\n\0"], "c": ["d": .integer(.min)]])
        #expect(json.encoded() == #"{"b":1,"a":[1.5,true,null,"xü\n\u0000"],"c":{"d":-9223372036854775808}}"#)
        #expect(try JSON.decode(json.encoded(pretty: true)) == json)
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, "", "{", "[1,]", "01", "nul", "\"\u{01}\"", #""\ud800""#, "9223372036854775808", "1e999", "[1] 2",
        #"{"a\u0000":1}"#, "{'a':1}", "NaN",
    ])
    func refusesWhatIsAmbiguousOrWrong(text: String) { #expect(throws: JSONError.self) { try JSON.decode(text) } }

    @Test func refusesInvalidUTF8() { #expect(throws: JSONError.self) { try JSON.decode([0x22, 0xff, 0x22]) } }

    @Test func saysWhere() throws {
        let error = #expect(throws: JSONError.self) { try JSON.decode("{\n \"a\": 1,\n \"a\": 2}") }
        #expect(error?.line == 3)
        #expect(error?.message.contains("duplicate") == true)
    }

    @Test func keepsItsLimits() throws {
        #expect(throws: JSONError.self) { try JSON.decode(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONError(message: "JSON is nested deeper than 2 levels", offset: 2)) {
            try JSON.decode("[[[]]]", limits: JSONLimits(depth: 2, bytes: 100))
        }
        #expect(try JSON.decode(#"["[[[\"["]"#, limits: JSONLimits(depth: 1, bytes: 100)) == [#"[[["["#])
        #expect(throws: JSONError.self) { try JSON.decode("[1,2]", limits: JSONLimits(depth: 2, bytes: 4)) }
    }

    @Test func membersAreReplacedAndRemoved() {
        var object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.keys == ["a", "b"])
        #expect(object["a"] == 3)
        object["a"] = nil
        object["c"] = "x"
        #expect(object.keys == ["b", "c"])
        #expect(object["c"] == "x")
        #expect(object == ["c": "x", "b": 2])
        #expect(object.hashValue == (["c": "x", "b": 2] as JSONObject).hashValue)
    }

    @Test func infinityIsNull() { #expect(JSON.real(.infinity).encoded() == "null") }

    @Test(arguments: [0.1, 1e21, .leastNonzeroMagnitude, 1.7976931348623157e308, -0.0, 123456789.125])
    func realsReadBack(value: Double) throws {
        #expect(try JSON.decode(JSON.real(value).encoded()).doubleValue?.bitPattern == value.bitPattern)
    }
}
