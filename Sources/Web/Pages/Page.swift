public import Ports

/// A whole page: works without a script; with it, the live part renews itself when the server says so.
public struct Page: Sendable {
    /// What the tab shows, and the name of the tool.
    public var title: String
    /// The line at the top: the tool's name and where its links lead.
    public var navigation: [(name: String, path: String)]
    /// What stands before the live part.
    public var head: Markup
    /// What changes.
    public var live: Markup
    /// What stands after it.
    public var foot: Markup
    /// The path of the events that renew the live part; nil when nothing will change any more.
    public var events: String?
    /// One sentence for screen readers; said again whenever it changes.
    public var status: String
    /// The path of the server's root, without a slash at the end.
    public var base: String

    /// A page.
    public init(
        title: String, navigation: [(name: String, path: String)] = [], head: Markup = .none, live: Markup = .none,
        foot: Markup = .none,
        events: String? = nil, status: String = "", base: String = ""
    ) {
        (self.title, self.navigation, self.head, self.live, self.foot) = (title, navigation, head, live, foot)
        (self.events, self.status, self.base) = (events, status, base)
    }

    /// Nothing but this server's own style, script and pictures in the page itself; forms go back to this server.
    public static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// The page as a response: the live part alone when the script asks for it with `?part=live`.
    public func response(to request: HTTPRequest, status code: Int = 200) -> HTTPResponse {
        let isPart = (try? request.url.fields())?["part"] == "live"
        return .html(isPart ? livePart.description : whole.description, status: code, headers: Self.headers)
    }

    static let headers: HTTPHeaders = [
        "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
    ]

    private var livePart: Markup {
        "<div data-status=\"\(status)\"\(events == nil ? " data-final" : "" as Markup)>\(live)</div>"
    }

    private var whole: Markup {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · walletbench</title>
        <link rel="icon" href="\(base)/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="\(base)/assets/page.css">
        \(events == nil ? Markup.none : "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>")
        <script src="\(base)/assets/page.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#content">Skip to the content</a>
        <nav aria-label="walletbench">
        <a class="brand" href="\(base)/">\(Markup(trusted: Assets.mark)) walletbench</a>
        \(navigation.map { "<a href=\"\($0.path)\">\($0.name)</a>" as Markup })
        </nav>
        <main id="content" tabindex="-1">
        \(head)
        <p id="status" class="hidden" role="status" aria-live="polite">\(status)</p>
        <div id="live"\(events.map { " data-events=\"\($0)\"" as Markup })>\(livePart)</div>
        \(foot)
        </main>
        </body>
        </html>

        """
    }
}
