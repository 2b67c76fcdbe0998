/// The style of a page. Colours are names with a light and a dark value; every two that stand on
/// each other differ in brightness by 4.5 for text and 3 for marks (WCAG 2.2, 1.4.3 and 1.4.11).
enum HTMLStyle {
    /// What stands between its tags.
    static let text = "\n" + [colours, page, tables, pictures].joined()

    private static let colours = """
        :root {
          color-scheme: light dark;
          --paper: #ffffff; --raised: #f5f7fa; --line: #d8dee7; --faint: #e9edf2;
          --ink: #18202b; --quiet: #55606f; --accent: #1a5fb4;
          --pass: #146c36; --warn: #8a5300; --fail: #b3202c; --few: #55606f;
          --s0: #2563b8; --s1: #c2410c; --s2: #15803d; --s3: #8b32d8;
          --s4: #b3195a; --s5: #0e7490; --s6: #855107; --s7: #4b5563;
          --t0: #64748b; --t1: #1d6fd1; --t2: #b45309; --t3: #15803d; --on: #ffffff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #12161c; --raised: #1b212a; --line: #37414f; --faint: #252d38;
            --ink: #e6eaf0; --quiet: #a5b0be; --accent: #7ab0f5;
            --pass: #62c98a; --warn: #f0b35a; --fail: #ff8a8f; --few: #a5b0be;
            --s0: #7ab0f5; --s1: #fb9a5b; --s2: #62c98a; --s3: #c79bf7;
            --s4: #f28ab5; --s5: #5cc7dd; --s6: #dab35f; --s7: #aab4c2;
            --t0: #9aa8bc; --t1: #6fb0ff; --t2: #f0a64a; --t3: #5fcf8d; --on: #10151c;
          }
        }

        """

    private static let page = """
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; max-width: 1160px; padding: 28px 24px 60px;
          background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        }
        #blank { position: absolute; }
        h1 { margin: 0; font-size: 28px; line-height: 1.2; letter-spacing: -0.01em; }
        h2 { margin: 0 0 12px; font-size: 17px; line-height: 1.3; }
        header p { margin: 6px 0; }
        .sub, .small { color: var(--quiet); }
        .small { font-size: 13px; max-width: 76ch; margin: 8px 0 0; }
        section { margin-top: 36px; }
        ul { margin: 0; padding-left: 20px; max-width: 90ch; }
        li { margin: 3px 0; overflow-wrap: anywhere; }
        .script { display: none; }
        .scripted .script { display: block; }
        .chips { display: flex; flex-wrap: wrap; gap: 8px; }
        .chip {
          display: inline-block; padding: 0 8px; border: 1px solid currentColor;
          border-radius: 10px; font-size: 12.5px; font-weight: 600; line-height: 20px;
          white-space: nowrap; font-variant-numeric: tabular-nums;
        }
        .chip.pass { color: var(--pass); }
        .chip.warn { color: var(--warn); }
        .chip.fail { color: var(--paper); background: var(--fail); border-color: var(--fail); }
        .chip.few, .chip.none { color: var(--few); }
        .notice, #trouble {
          margin: 16px 0; padding: 10px 14px; background: var(--raised);
          border-left: 4px solid var(--warn);
        }
        #trouble[hidden] { display: none; }
        #trouble { border-color: var(--fail); }
        code { font: 13.5px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
        button {
          padding: 3px 11px; border: 1px solid var(--line); border-radius: 6px;
          background: var(--raised); color: var(--ink); font: inherit; font-size: 13px;
          cursor: pointer;
        }
        button:hover { border-color: var(--quiet); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        .repeat { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
        .repeat code {
          flex: 1 1 320px; min-width: 0; padding: 8px 12px; border-radius: 6px;
          background: var(--raised); overflow-wrap: anywhere;
        }
        dl {
          display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 20px;
          margin: 0; font-size: 14px;
        }
        dt { color: var(--quiet); }
        dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        @media (max-width: 560px) {
          body { padding: 18px 14px 40px; }
          dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
          dd { margin-bottom: 7px; }
        }

        """

    private static let tables = """
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
        th, td {
          padding: 5px 18px 5px 0; text-align: left; vertical-align: baseline;
          border-bottom: 1px solid var(--faint);
        }
        th { color: var(--quiet); font-weight: 600; border-color: var(--line); }
        th, td.n, #table-targets td { white-space: nowrap; }
        #table-targets td { white-space: normal; }
        #table-targets td:nth-child(2), #table-targets td:nth-child(3) { white-space: nowrap; }
        .n { text-align: right; }
        #table-targets td:last-child { min-width: 110px; }
        tr.picked td { background: var(--raised); }
        td button { padding: 0 7px; }

        """

    private static let pictures = """
        .picture { min-width: 0; }
        .picture svg, .picture canvas { display: block; max-width: 100%; }
        #intervals {
          display: grid; gap: 4px 28px;
          grid-template-columns: repeat(auto-fit, minmax(min(430px, 100%), 1fr));
        }
        #intervals .small { grid-column: 1 / -1; }
        .cell { min-width: 0; }
        .picture h3 { margin: 14px 0 0; font-size: 14px; font-weight: 600; }
        .grid { stroke: var(--faint); }
        .grid.strong { stroke: var(--line); }
        .axis { fill: var(--quiet); font-size: 12px; font-variant-numeric: tabular-nums; }
        .end { text-anchor: end; }
        .middle { text-anchor: middle; }
        .curve { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
        .curve.thin { stroke-width: 1.25; }
        .curve.tail { stroke-dasharray: 1.5 3.5; stroke-linecap: round; }
        .curve.dashed { stroke-dasharray: 6 4; stroke-width: 1.5; }
        .dot { fill: currentColor; stroke: var(--paper); stroke-width: 1; }
        .peak { fill: none; stroke: currentColor; stroke-width: 1.25; }
        .goal { stroke: var(--pass); stroke-width: 2; }
        .limit { stroke: var(--fail); stroke-width: 2; stroke-dasharray: 4 3; }
        .markname { fill: var(--ink); }
        .s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); }
        .s3 { color: var(--s3); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
        .s6 { color: var(--s6); } .s7 { color: var(--s7); }
        .stage { stroke: var(--paper); stroke-width: 1; }
        .stage.t0 { fill: var(--t0); } .stage.t1 { fill: var(--t1); }
        .stage.t2 { fill: var(--t2); } .stage.t3 { fill: var(--t3); }
        .in { fill: var(--on); font-size: 12px; }
        .fresh { fill: none; stroke: var(--s0); stroke-width: 1.25; }
        .stale { fill: none; stroke: var(--fail); stroke-width: 2; }
        .legend { display: flex; flex-wrap: wrap; gap: 8px 10px; margin-top: 8px; }
        .legend button, .legend .item {
          display: inline-flex; align-items: center; gap: 7px; font-size: 13px;
        }
        .legend .item { color: var(--quiet); margin-right: 8px; }
        .legend button[aria-pressed="false"] { opacity: 0.55; text-decoration: line-through; }
        .tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
        .tools .span { color: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums; }
        #lanes { cursor: crosshair; touch-action: pan-y; }
        .facts {
          min-height: 74px; margin-top: 10px; padding: 10px 14px; border-radius: 6px;
          background: var(--raised); font-size: 14px; font-variant-numeric: tabular-nums;
        }
        .facts p { margin: 0; }
        @media print { .tools, .legend button, #copy { display: none; } }

        """
}
