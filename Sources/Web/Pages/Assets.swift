public import Ports
import Reports

/// Style, script and sign of the pages, served by the program itself.
public enum Assets {
    /// Adds `/assets/…` to a server.
    public static func add(to router: inout HTTPRouter) {
        router.on("GET", "/assets/page.css") { _, _ in file("text/css; charset=utf-8", HTMLStyle.sheet + "\n" + PageStyle.sheet) }
        router.on("GET", "/assets/page.js") { _, _ in file("text/javascript; charset=utf-8", PageScript.text) }
        router.on("GET", "/assets/icon.svg") { _, _ in file("image/svg+xml", icon) }
        router.on("GET", "/favicon.ico") { _, _ in file("image/svg+xml", icon) }
    }

    private static func file(_ type: String, _ text: String) -> HTTPResponse {
        HTTPResponse(
            type: type, Array(text.utf8), headers: ["Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"])
    }

    /// The sign of the tool, inline.
    static let mark =
        "<svg class=\"sign\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><rect x=\"2\" y=\"6\" width=\"28\" height=\"20\" rx=\"4\"/>"
        + "<path d=\"M8 17l5 5L24 11\"/></svg>"

    private static let icon =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><rect x=\"2\" y=\"6\" width=\"28\" height=\"20\" rx=\"4\" "
        + "fill=\"#2f5bd7\"/><path d=\"M8 17l5 5L24 11\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\" stroke-linecap=\"round\" "
        + "stroke-linejoin=\"round\"/></svg>"
}

/// The script: renews the live part, copies texts. Pages work without it.
enum PageScript {
    static let text = """
        "use strict";
        (() => {
          const live = document.getElementById("live");
          const status = document.getElementById("status");
          const keep = (root) => new Set([...root.querySelectorAll("details[id][open]")].map((d) => d.id));
          const renew = async (source) => {
            const response = await fetch(location.pathname + "?part=live", { credentials: "same-origin" });
            if (!response.ok) return;
            const parsed = new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
            if (!parsed) return;
            const open = keep(live);
            live.replaceChildren(parsed);
            for (const id of open) document.getElementById(id)?.setAttribute("open", "");
            if (status && status.textContent !== parsed.dataset.status) status.textContent = parsed.dataset.status;
            if ("final" in parsed.dataset) source.close();
            bind(live);
          };
          const bind = (root) => {
            for (const button of root.querySelectorAll("button[data-copy]")) {
              button.hidden = !navigator.clipboard;
              button.addEventListener("click", async () => {
                await navigator.clipboard.writeText(button.dataset.copy);
                const name = button.textContent;
                button.textContent = "Copied";
                setTimeout(() => { button.textContent = name; }, 1500);
              });
            }
            const canAsk = Boolean(navigator.credentials && window.DigitalCredential);
            for (const note of root.querySelectorAll("[data-digital-missing]")) note.hidden = canAsk;
            for (const button of root.querySelectorAll("button[data-digital]")) {
              button.disabled = !canAsk;
              button.addEventListener("click", async () => {
                const problem = root.querySelector("[data-digital-error]");
                try {
                  problem.hidden = true;
                  const request = JSON.parse(button.dataset.digital);
                  const credential = await navigator.credentials.get({ mediation: "required", digital: { requests: [request] } });
                  const data = typeof credential.data === "string" ? JSON.parse(credential.data) : credential.data;
                  const answer = await fetch(button.dataset.answer, { method: "POST", credentials: "same-origin",
                    headers: { "Content-Type": "application/json" }, body: JSON.stringify({ protocol: credential.protocol, data }) });
                  if (!answer.ok) throw new Error((await answer.json()).error_description || `the verifier says ${answer.status}`);
                  location.reload();
                } catch (error) {
                  problem.textContent = error.message;
                  problem.hidden = false;
                }
              });
            }
          };
          bind(document);
          const form = document.querySelector("form[data-fragment]");
          if (form && location.hash.length > 1) {
            form.elements.fragment.value = location.hash.slice(1);
            history.replaceState(null, "", location.pathname);
            form.submit();
          }
          if (live && live.dataset.events) {
            const source = new EventSource(live.dataset.events);
            source.addEventListener("change", () => renew(source));
            source.addEventListener("open", () => renew(source));
          }
          for (const select of document.querySelectorAll("select[data-fills]")) {
            const area = document.getElementById(select.dataset.fills);
            select.addEventListener("change", () => {
              const text = select.selectedOptions[0]?.dataset.text;
              if (area && text) area.value = text;
            });
          }
        })();
        """
}

/// What forms, codes and live pages need beside the style of reports.
enum PageStyle {
    static let sheet = """
        :root { --accent: #2f5bd7; --accent-ink: #ffffff; --field: #ffffff; }
        @media (prefers-color-scheme: dark) { :root { --accent: #7aa2ff; --accent-ink: #0d1117; --field: #0d1117; } }
        a { color: var(--accent); text-underline-offset: .15em; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
        main:focus { outline: none; }
        nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; max-width: 64rem; margin: 0 auto; padding: 1rem 1rem 0; }
        nav .brand { display: inline-flex; gap: .5rem; align-items: center; margin-right: auto; color: var(--ink); font-weight: 650; text-decoration: none; }
        .sign { width: 1.75rem; height: 1.75rem; fill: var(--accent); }
        .sign path { fill: none; stroke: var(--accent-ink); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
        .skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; padding: .25rem .75rem; background: var(--card); }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .lead { max-width: 44rem; color: var(--soft); font-size: 1.0625rem; }
        .panel { margin-top: 1.5rem; padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
        .split p { margin: .75rem 0 .35rem; }
        .split { display: grid; grid-template-columns: minmax(15rem, 22rem) 1fr; gap: 1.5rem 2rem; align-items: start; }
        @media (max-width: 48rem) { .split { grid-template-columns: 1fr; } }
        .qr { display: block; width: 100%; max-width: 22rem; padding: .5rem; border: 1px solid var(--line); border-radius: .75rem; background: #fff; }
        .qr svg { display: block; width: 100%; height: auto; }
        form .fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1.25rem 1.5rem; margin-bottom: 1.25rem; }
        form > details > .fields { margin-top: 1rem; }
        form p { margin: 0 0 1rem; }
        label, legend { display: block; margin-bottom: .25rem; font-weight: 600; }
        .hint { display: block; color: var(--soft); font-size: .8125rem; font-weight: normal; }
        select, textarea, input[type=text] { width: 100%; padding: .5rem .625rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--field); color: inherit; font: inherit; }
        textarea { min-height: 11rem; font: .8125rem/1.5 ui-monospace, Menlo, Consolas, monospace; resize: vertical; }
        .choice { display: flex; gap: .5rem; align-items: baseline; font-weight: normal; }
        button, .button { display: inline-block; padding: .55rem 1.15rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
        button:disabled { opacity: .45; cursor: default; }
        button.quiet, .button.quiet { background: transparent; color: var(--accent); }
        .actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
        .error { margin-top: 1rem; padding: .75rem 1rem; border: 1px solid var(--bad); border-left-width: .25rem; border-radius: .5rem; background: var(--bad-bg); }
        .steps { list-style: none; margin: 0; padding: 0; }
        .steps li { display: flex; gap: .75rem; padding: .45rem 0; border-top: 1px solid var(--line); }
        .steps li:first-child { border-top: 0; }
        .steps .dot { flex: none; width: 1.5rem; height: 1.5rem; border-radius: 50%; border: 2px solid var(--tone, var(--soft)); color: var(--tone, var(--soft)); font-size: .8125rem; font-weight: 700; line-height: 1.25rem; text-align: center; }
        .steps .pass .dot { background: var(--tone); color: var(--card); } .steps .fail .dot { background: var(--tone); color: var(--card); }
        .steps time { margin-left: auto; color: var(--soft); font-size: .8125rem; white-space: nowrap; }
        .steps .now { font-weight: 600; }
        .steps .now .dot { border-color: var(--accent); color: var(--accent); }
        .big { margin: 0; font-size: 2rem; line-height: 1.2; color: var(--tone); }
        h3 { margin: 0 0 .75rem; font-size: 1.125rem; }
        .link { display: block; white-space: pre-wrap; max-height: 7.5rem; overflow: auto; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page); font: .75rem/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        .list { width: 100%; } .list td:last-child, .list th:last-child { white-space: nowrap; }
        details > summary { cursor: pointer; }
        .subject { margin-top: .75rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
        .subject .scroll { margin-top: .75rem; }
        .messages > details { margin-top: .75rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page); }
        .messages > details > summary { font-weight: 600; }
        .tree, .tree ul { list-style: none; margin: 0; padding-left: 1.1rem; font-size: .8125rem; }
        .tree { padding-left: 0; margin-top: .75rem; overflow-x: auto; }
        .tree li { margin: .1rem 0; } .tree .leaf { padding-left: 1rem; }
        .tree .label { font-weight: 600; } .tree .offset { color: var(--soft); } .tree .value { overflow-wrap: anywhere; }
        """
}
