/// A language tag (RFC 5646) as display names carry it.
enum LanguageTag {
    /// What is wrong with a tag; nil: nothing. Languages of two letters and regions are looked up, those of three letters are not.
    static func problem(_ tag: String) -> String? {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false).map { $0.lowercased() }
        guard parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }),
            let language = parts.first
        else { return "is no language tag (RFC 5646)" }
        if irregular.contains(parts.joined(separator: "-")) || language == "x" { return nil }
        guard (2...8).contains(language.count), language.allSatisfy(\.isLetter) else { return "is no language tag (RFC 5646)" }
        if language.count == 2, !languages.contains(language) { return "names no registered language" }
        guard let region = region(parts) else { return nil }
        return regions.contains(region.uppercased()) ? nil : "names no registered region"
    }

    /// The tag in the letters that it is written in (RFC 5646 §2.1.1): `zh-Hans-CN`. Irregular ones stay as they are.
    static func canonical(_ tag: String) -> String {
        let parts = tag.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, first.count > 1 else { return tag }
        var hasSingleton = false
        let rest = parts.dropFirst().map { part -> String in
            if part.count == 1 { hasSingleton = true }
            guard !hasSingleton else { return part }
            switch part.count {
            case 2: return part.uppercased()
            case 4 where part.allSatisfy(\.isLetter): return part.prefix(1).uppercased() + part.dropFirst()
            default: return part
            }
        }
        return ([first] + rest).joined(separator: "-")
    }

    /// The subtag of two letters after language and script, and before any extension.
    private static func region(_ parts: [String]) -> String? {
        parts.dropFirst().prefix { $0.count > 1 }.first { $0.count == 2 && $0.allSatisfy(\.isLetter) }
    }

    /// Tags from before RFC 4646 that follow no grammar.
    private static let irregular: Set<String> = [
        "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo", "i-navajo", "i-pwn",
        "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de",
    ]

    /// Languages of two letters in the registry (ISO 639-1, with those that were withdrawn).
    private static let languages = Set(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa \
        ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl \
        km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om \
        or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts \
        tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
        """.split(separator: " ").map(String.init))

    /// Regions of two letters in the registry (ISO 3166-1, with EU, UN, and XK that many use).
    private static let regions = Set(
        """
        AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH \
        CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM \
        GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC \
        LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ \
        OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC \
        TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """.split(separator: " ").map(String.init))
}
