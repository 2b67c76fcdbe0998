/// The style of a page: light and dark as the reader's system has it, narrow and wide.
enum HTMLStyle {
    /// The text between its tags.
    static let text = colours + layout + tables + drawings

    /// Each pair of ink and ground has a contrast of 4.5 to 1 or more, lines one of 3 to 1.
    private static let colours = """

        :root {
          color-scheme: light dark;
          --page: #f5f6f7; --card: #fff; --ink: #1b1f24; --soft: #57606a; --edge: #dde1e6;
          --grid: #eceef1; --gridstrong: #dde1e6; --accent: #1f5fd0; --hover: #eef3fd;
          --pass: #116329; --passground: #dcf5e3; --warn: #7a4d00; --warnground: #fff0c9;
          --fail: #a3101d; --failground: #ffe3e3; --few: #3f4d66; --fewground: #e6ebf3;
          --s0: #2a68d8; --s1: #c8541c; --s2: #12805a; --s3: #9a3c97; --s4: #806200;
          --s5: #bf2849; --s6: #10748f; --s7: #5f6670; --s8: #7a4a2b; --s9: #5a4fcf;
          --t0: #946500; --t1: #2f6bc4; --t2: #1f7a54; --t3: #696e80;
          --stale: #e07b39; --on: #fff; --shade: #1b1f2433;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #0f1216; --card: #171b21; --ink: #e6e9ed; --soft: #9ba5b1; --edge: #2c333c;
            --grid: #222831; --gridstrong: #313a45; --accent: #7fb0ff; --hover: #1e2733;
            --pass: #7fdc9a; --passground: #12301d; --warn: #f0c25a; --warnground: #362a0c;
            --fail: #ff9a9a; --failground: #401a1d; --few: #b3c1d9; --fewground: #232c3b;
            --s0: #75abff; --s1: #ff9d66; --s2: #55c99b; --s3: #dd93da; --s4: #d8b64c;
            --s5: #ff869b; --s6: #5fc4de; --s7: #a8afb8; --s8: #d3a483; --s9: #a9a0ff;
            --t0: #e0b04a; --t1: #6aa5f5; --t2: #4fbd8c; --t3: #989eb0;
            --stale: #d9773a; --on: #10141a; --shade: #000b;
          }
        }

        """

    private static let layout = """
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0 auto; padding: 28px 24px 48px; max-width: 1240px; background: var(--page);
          color: var(--ink); line-height: 1.5;
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        }
        h1 { font-size: 26px; line-height: 1.2; margin: 0; letter-spacing: -.01em; }
        h2 { font-size: 15px; margin: 0 0 10px; font-weight: 650; }
        p { margin: 0 0 8px; }
        .sub, .small { color: var(--soft); }
        .sub { margin: 4px 0 14px; overflow-wrap: anywhere; }
        .small { font-size: 13px; margin: 8px 0 0; max-width: 96ch; }
        #blank { position: absolute; }
        header { padding: 0 2px 18px; }
        main { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
        section {
          grid-column: 1 / -1; background: var(--card); border: 1px solid var(--edge);
          border-radius: 10px; padding: 16px 18px; min-width: 0;
        }
        section.half { grid-column: auto; }
        .script { display: none; }
        .scripted section.script, .scripted div.script { display: block; }
        .scripted button.script { display: inline-block; }
        .chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 10px; }
        .chip {
          display: inline-block; padding: 1px 9px; border-radius: 6px; font-size: 12.5px;
          font-weight: 650; letter-spacing: .02em; white-space: nowrap;
          color: var(--few); background: var(--fewground);
        }
        .chip.pass { color: var(--pass); background: var(--passground); }
        .chip.warn { color: var(--warn); background: var(--warnground); }
        .chip.fail { color: var(--fail); background: var(--failground); }
        .chip.none { background: none; padding: 1px 0; font-weight: 500; }
        .notice, #trouble {
          grid-column: 1 / -1; margin: 0 0 10px; padding: 8px 12px; border-radius: 8px;
          color: var(--warn); background: var(--warnground);
        }
        main > .notice { margin: 0; }
        .repeat {
          display: flex; align-items: flex-start; gap: 10px; margin-top: 12px;
        }
        code {
          font: 13px/1.6 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace;
          overflow-wrap: anywhere;
        }
        .repeat code {
          padding: 4px 10px; background: var(--card); border: 1px solid var(--edge);
          border-radius: 8px; min-width: 0;
        }
        button {
          font: inherit; font-size: 13px; color: var(--ink); background: var(--card);
          border: 1px solid var(--edge); border-radius: 7px; padding: 4px 11px; cursor: pointer;
        }
        button:hover { background: var(--hover); border-color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        ul { margin: 0; padding-left: 20px; }
        li { overflow-wrap: anywhere; }
        dl {
          display: grid; grid-template-columns: minmax(110px, max-content) minmax(0, 1fr);
          gap: 3px 20px; margin: 0;
        }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        @media (max-width: 900px) { section.half { grid-column: 1 / -1; } }
        @media (max-width: 560px) {
          body { padding: 18px 10px 32px; font-size: 14px; }
          section { padding: 13px 12px; border-radius: 8px; }
          dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
          dd { margin-bottom: 6px; }
        }
        @media (min-width: 1000px) {
          dl { grid-template-columns: repeat(2, minmax(110px, max-content) minmax(0, 1fr)); }
        }
        @media print {
          body { max-width: none; padding: 0; }
          section { break-inside: avoid; }
          button { display: none; }
        }

        """

    private static let tables = """
        .scroll {
          overflow-x: auto; margin: 0 -4px;
          /* A shadow at an edge beyond which there is more; the cover moves with the table. */
          background:
            linear-gradient(to right, var(--card) 16px, transparent) 0 0 / 32px 100% local,
            linear-gradient(to left, var(--card) 16px, transparent) 100% 0 / 32px 100% local,
            linear-gradient(to right, var(--shade), transparent) 0 0 / 12px 100% scroll,
            linear-gradient(to left, var(--shade), transparent) 100% 0 / 12px 100% scroll;
          background-repeat: no-repeat;
        }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td {
          text-align: left; padding: 4px 14px 4px 4px; border-bottom: 1px solid var(--grid);
          vertical-align: baseline;
        }
        tbody tr:last-child td { border-bottom: 0; }
        th {
          color: var(--soft); font-weight: 500; font-size: 13px;
          border-bottom-color: var(--gridstrong); white-space: nowrap;
        }
        th.n, td.n { text-align: right; white-space: nowrap; }
        th.n + :not(.n), td.n + :not(.n) { padding-left: 10px; }
        #table-percentiles td, #table-slowest td { white-space: nowrap; }
        @media (max-width: 560px) {
          #table-targets thead { display: none; }
          #table-targets tr {
            display: grid; grid-template-columns: minmax(0, 1fr) auto; padding: 7px 4px;
            border-bottom: 1px solid var(--grid);
          }
          #table-targets tr:last-child { border: 0; }
          #table-targets td { border: 0; padding: 0; grid-column: 1; }
          #table-targets td:last-child { grid-area: 1 / 2; }
          #table-targets td:nth-last-child(2) { grid-row: 2; }
          #table-targets td:nth-child(n+2):nth-last-child(n+3) {
            color: var(--soft); font-size: 13px;
          }
          #table-targets td:nth-child(n+2):nth-last-child(n+3)::before {
            content: attr(data-head) " "; text-transform: lowercase;
          }
        }
        @media (max-width: 700px) {
          .stacks, .stacks tbody { display: block; }
          .stacks thead { display: none; }
          .stacks tr {
            display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 1px 7px;
            padding: 8px 4px; border-bottom: 1px solid var(--grid);
          }
          .stacks tr:last-child { border: 0; }
          #table-percentiles.stacks td, #table-slowest.stacks td, .stacks td {
            border: 0; padding: 0; text-align: left; white-space: normal;
            overflow-wrap: anywhere;
          }
          .stacks td::before {
            content: attr(data-head); display: block; color: var(--soft); font-size: 12px;
          }
          .stacks td:first-child, #table-percentiles td:last-child { grid-column: 1 / -1; }
          .stacks td:first-child { font-weight: 600; }
          .stacks td:first-child::before { content: none; }
          .stacks td:first-child::after {
            content: ", ms"; font-weight: 400; color: var(--soft);
          }
          #table-stages td:first-child::after { content: ", medians in ms"; }
          #table-slowest td:first-child::after { content: none; }
          #table-percentiles td:last-child::before {
            display: inline; content: attr(data-head) " ";
          }
          #table-slowest tr, #table-stages tr {
            grid-template-columns: repeat(5, minmax(0, 1fr));
          }
          #table-slowest td:first-child::before { content: "no. "; display: inline; }
          #table-slowest td:first-child { grid-column: 1; }
          #table-slowest td:nth-child(8) { grid-column: 2 / -1; grid-row: 1; }
          #table-slowest td:nth-child(8)::before { content: none; }
          #table-slowest td:nth-child(9), #table-slowest td:nth-child(10) {
            grid-column: span 2;
          }
        }
        td button {
          border: 0; padding: 0; background: none; color: var(--accent); text-align: left;
          font-size: inherit; text-decoration: underline; text-underline-offset: 2px;
        }
        td button:hover { background: none; }

        """
}
