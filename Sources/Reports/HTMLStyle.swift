/// The style of every page: system fonts, two colour schemes, readable when printed in black and white.
package enum HTMLStyle {
    package static let sheet = """
        :root { --ink: #1b1f24; --soft: #57606a; --page: #f6f7f9; --card: #ffffff; --line: #d8dee4;
          --good: #116329; --good-bg: #dafbe1; --bad: #a40e26; --bad-bg: #ffebe9; --caution: #7d4e00; --caution-bg: #fff4d4; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6edf3; --soft: #9da7b3; --page: #0d1117; --card: #161b22; --line: #30363d;
            --good: #56d364; --good-bg: #12261a; --bad: #ff7b72; --bad-bg: #2d1418; --caution: #e3b341; --caution-bg: #2a2111; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
        main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
        h2 { margin: 0 0 .75rem; font-size: 1.25rem; }
        p { margin: .25rem 0; }
        code { font: .875em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        section { margin-top: 2rem; }
        .kicker { margin: 0 0 .25rem; color: var(--soft); font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; }
        .meta { color: var(--soft); font-size: .875rem; font-weight: normal; }
        .hash { overflow-wrap: anywhere; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .75rem; }
        .verdict { padding: 1.25rem 1.5rem; border: 1px solid var(--line); border-left: .5rem solid var(--tone); border-radius: .75rem; background: var(--tone-bg); }
        .verdict h1 { color: var(--tone); }
        .pass { --tone: var(--good); --tone-bg: var(--good-bg); }
        .fail { --tone: var(--bad); --tone-bg: var(--bad-bg); }
        .warn, .undetermined { --tone: var(--caution); --tone-bg: var(--caution-bg); }
        .notRun { --tone: var(--soft); --tone-bg: transparent; }
        .outcome { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; color: var(--tone); background: var(--tone-bg); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
        .findings { list-style: none; margin: 0; padding: 0; }
        .findings li { margin-bottom: .5rem; padding: .75rem 1rem; border: 1px solid var(--line); border-left: .25rem solid var(--tone); border-radius: .5rem; background: var(--card); overflow-wrap: anywhere; }
        .document { padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
        .card { display: flex; flex-wrap: wrap; gap: 1.5rem; }
        .card > img { width: 9rem; height: auto; align-self: flex-start; border: 1px solid var(--line); border-radius: .5rem; }
        .facts { flex: 1 1 22rem; display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .scroll { overflow-x: auto; margin-top: 1.25rem; }
        table { width: 100%; border-collapse: collapse; background: var(--card); font-size: .9375rem; }
        caption { padding: .25rem 0 .5rem; text-align: left; font-weight: 600; overflow-wrap: anywhere; }
        th, td { padding: .4rem .75rem; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: normal; }
        thead th { color: var(--soft); font-size: .8125rem; }
        .checks { min-width: 50rem; table-layout: fixed; font-size: .875rem; }
        .checks .c1 { width: 6.75rem; } .checks .c2 { width: 20rem; } .checks .c3 { width: 16.5rem; }
        .checks td:first-child { white-space: nowrap; }
        .checks th, .checks td { overflow-wrap: anywhere; }
        .checks th code { margin-right: .375rem; font-weight: 600; }
        .checks td:last-child { overflow-wrap: anywhere; }
        .checks tr.fail, .checks tr.warn { background: var(--tone-bg); }
        .claims th[scope=row] { width: 40%; }
        .claims th code { display: block; color: var(--soft); font-size: .75rem; }
        .claims td { overflow-wrap: anywhere; }
        .claims td ul { margin: 0; padding-left: 1.1rem; }
        .claims td dl { margin: 0; }
        .claims td dl div { display: flex; flex-wrap: wrap; gap: 0 .5rem; }
        .claims td dt { color: var(--soft); }
        .claims td dd { margin: 0; }
        .claims img { max-width: 12rem; max-height: 8rem; background: #fff; }
        footer { margin-top: 2rem; color: var(--soft); font-size: .8125rem; }
        @media (max-width: 40rem) { .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .5rem; } }
        @media print {
          :root { --ink: #000; --soft: #444; --page: #fff; --card: #fff; --line: #bbb; --good: #063; --good-bg: #fff; --bad: #900; --bad-bg: #fff; --caution: #640; --caution-bg: #fff; }
          body { font-size: 10pt; } main { max-width: none; padding: 0; } .scroll { overflow: visible; } .checks { min-width: 0; font-size: 8pt; }
          .checks .c1 { width: 5rem; } .checks .c2 { width: 13rem; } .checks .c3 { width: 11rem; }
          tr, .findings li, .card { break-inside: avoid; } h2, caption { break-after: avoid; } thead { display: table-header-group; } }
        """
}
