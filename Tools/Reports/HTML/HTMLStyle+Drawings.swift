extension HTMLStyle {
    /// Pictures, their legends and the timeline.
    static let drawings = """
        .picture { min-width: 0; }
        .several {
          display: grid; gap: 10px 16px;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr));
        }
        .several div { min-width: 0; }
        .picture svg, canvas { display: block; max-width: 100%; }
        svg text { font-size: 11.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
        svg text.end { text-anchor: end; }
        svg text.middle { text-anchor: middle; }
        svg text.name { fill: var(--ink); font-weight: 600; }
        svg tspan { fill: var(--soft); font-weight: 400; }
        svg text.halo {
          paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round;
        }
        svg text.in { fill: var(--on); font-weight: 600; }
        .grid { stroke: var(--grid); }
        .grid.strong { stroke: var(--gridstrong); }
        .goal { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 6 3; }
        .limit { stroke: var(--fail); stroke-width: 2; }
        .curve { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
        .curve.thin { stroke-width: 1.2; }
        .curve.tail { stroke-dasharray: 1 4; stroke-linecap: round; }
        .curve.dashed { stroke-width: 1.4; stroke-dasharray: 7 4; opacity: .85; }
        .curve.dotted { stroke-width: 1.4; stroke-dasharray: 2 3; }
        .curve.more1 { stroke-dasharray: 12 3 2 3; }
        .curve.more2 { stroke-dasharray: 3 3; }
        .curve.dashed.tail, .curve.dotted.tail, .curve.more1.tail,
        .curve.more2.tail { stroke-dasharray: 1 4; }
        .leader { fill: none; stroke: var(--c, var(--soft)); stroke-width: .8; opacity: .6; }
        svg text.label { fill: var(--c); }
        .dot { fill: var(--card); stroke: var(--c); stroke-width: 1.8; }
        .span { fill: var(--c); opacity: .25; }
        .span:hover { opacity: .5; }
        .peak { fill: var(--c); }
        .heard { stroke: var(--soft); stroke-dasharray: 2 4; }
        .heard.solid { stroke-dasharray: none; stroke-width: 2; }
        .ring { fill: none; stroke: var(--ink); stroke-width: 1.4; }
        .lost { stroke: var(--fail); stroke-width: 2; }
        .age { fill: var(--s0); opacity: .22; }
        .stale { fill: var(--stale); }
        .course.works { fill: var(--s2); opacity: .3; }
        .course.away { fill: var(--fail); opacity: .55; }
        details { margin-top: 10px; }
        summary { cursor: pointer; color: var(--soft); }
        .s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); }
        .s3 { --c: var(--s3); } .s4 { --c: var(--s4); } .s5 { --c: var(--s5); }
        .s6 { --c: var(--s6); } .s7 { --c: var(--s7); } .s8 { --c: var(--s8); }
        .s9 { --c: var(--s9); }
        .stage.t0 { fill: var(--t0); } .stage.t1 { fill: var(--t1); }
        .stage.t2 { fill: var(--t2); } .stage.t3 { fill: var(--t3); }
        .legend {
          display: flex; flex-wrap: wrap; gap: 6px 8px; margin-top: 8px; font-size: 13px;
          color: var(--soft);
        }
        .legend .item, .legend button {
          display: inline-flex; align-items: center; gap: 7px;
        }
        .legend .item { margin-right: 8px; }
        .legend button { padding: 2px 9px; }
        .legend button[aria-pressed=false] { opacity: .65; border-style: dashed; }
        .legend button[aria-pressed=false] svg { opacity: .35; }
        #stagebars { margin-top: 12px; }
        .tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 0 0 8px; }
        .tools .small { margin: 0 0 0 4px; font-variant-numeric: tabular-nums; }
        canvas { width: 100%; touch-action: pan-y; cursor: crosshair; }
        canvas.overview { cursor: ew-resize; margin-bottom: 4px; }
        .chosen {
          margin-top: 10px; padding: 10px 12px; border: 1px solid var(--edge);
          border-radius: 8px; min-height: 92px;
        }
        .chosen strong { overflow-wrap: anywhere; }
        .chosen .figures {
          display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 6px 0 8px;
          font-variant-numeric: tabular-nums;
        }
        .chosen .tools { margin: 10px 0 0; }
        .figures span { color: var(--soft); }

        """
}
