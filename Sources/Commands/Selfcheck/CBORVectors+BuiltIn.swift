extension CBORVectors {
    /// Rows of RFC 8949 appendix A and F.1, and rules of its §5.
    var builtIn: [VectorFile] {
        [
            VectorFile(path: "cbor/rfc8949-appendix-a.json", text: Self.examples),
            VectorFile(path: "cbor/rfc8949-appendix-f-malformed.json", text: Self.malformed),
            VectorFile(path: "cbor/invalid-and-hostile.json", text: Self.hostile),
        ]
    }

    private static let examples = #"""
        {"cases": [
          {"hex": "00", "roundtrip": true, "diagnostic": "0"},
          {"hex": "17", "roundtrip": true, "diagnostic": "23"},
          {"hex": "1818", "roundtrip": true, "diagnostic": "24"},
          {"hex": "1903e8", "roundtrip": true, "diagnostic": "1000"},
          {"hex": "1bffffffffffffffff", "roundtrip": true, "diagnostic": "18446744073709551615"},
          {"hex": "c249010000000000000000", "roundtrip": true, "diagnostic": "18446744073709551616"},
          {"hex": "3bffffffffffffffff", "roundtrip": true, "diagnostic": "-18446744073709551616"},
          {"hex": "20", "roundtrip": true, "diagnostic": "-1"},
          {"hex": "3903e7", "roundtrip": true, "diagnostic": "-1000"},
          {"hex": "f98000", "roundtrip": true, "diagnostic": "-0.0"},
          {"hex": "fb3ff199999999999a", "roundtrip": true, "diagnostic": "1.1"},
          {"hex": "f97bff", "roundtrip": true, "diagnostic": "65504.0"},
          {"hex": "fa47c35000", "roundtrip": true, "diagnostic": "100000.0"},
          {"hex": "f90001", "roundtrip": true, "diagnostic": "5.960464477539063e-8"},
          {"hex": "f97c00", "roundtrip": true, "diagnostic": "Infinity"},
          {"hex": "fa7fc00000", "roundtrip": false, "diagnostic": "NaN"},
          {"hex": "f5", "roundtrip": true, "diagnostic": "true"},
          {"hex": "f7", "roundtrip": true, "diagnostic": "undefined"},
          {"hex": "f8ff", "roundtrip": true, "diagnostic": "simple(255)"},
          {"hex": "c11a514b67b0", "roundtrip": true, "diagnostic": "1(1363896240)"},
          {"hex": "d818456449455446", "roundtrip": true, "diagnostic": "24(h'6449455446')"},
          {"hex": "4401020304", "roundtrip": true, "diagnostic": "h'01020304'"},
          {"hex": "62c3bc", "roundtrip": true, "diagnostic": "\"ü\""},
          {"hex": "8301820203820405", "roundtrip": true, "diagnostic": "[1, [2, 3], [4, 5]]"},
          {"hex": "a26161016162820203", "roundtrip": true, "diagnostic": "{\"a\": 1, \"b\": [2, 3]}"},
          {"hex": "5f42010243030405ff", "roundtrip": false, "diagnostic": "(_ h'0102', h'030405')"},
          {"hex": "9f018202039f0405ffff", "roundtrip": false, "diagnostic": "[1, [2, 3], [4, 5]]"},
          {"hex": "bf6346756ef563416d7421ff", "roundtrip": false, "diagnostic": "{\"Fun\": true, \"Amt\": -2}"}
        ]}
        """#

    private static let malformed = #"""
        {"rfc8949": [{"hex": "18"}, {"hex": "78"}, {"hex": "41"}, {"hex": "a1"}, {"hex": "bf"}, {"hex": "3c"},
        {"hex": "9c"}, {"hex": "fc"}, {"hex": "5f6100ff"}, {"hex": "81ff"}, {"hex": "bf000000ff"}],
         "qcbor": []}
        """#

    private static let hostile = #"""
        {"cases": [
          {"id": "dup-int", "hex": "a201020103", "expect": "duplicate map key"},
          {"id": "dup-text-nonpreferred", "hex": "a261610178016102", "expect": "duplicate map key"},
          {"id": "utf8-surrogate", "hex": "63eda080", "expect": "invalid UTF-8"},
          {"id": "bstr-2^64-1", "hex": "5bffffffffffffffff", "expect": "not well-formed, no allocation"},
          {"id": "nest-tags-10000", "hex_repeat": ["c1", 10000], "hex_tail": "00", "expect": "depth limit or success, no stack overflow"},
          {"id": "trailing", "hex": "0000", "expect": "one item followed by trailing data: error in single-item mode"}
        ]}
        """#
}
