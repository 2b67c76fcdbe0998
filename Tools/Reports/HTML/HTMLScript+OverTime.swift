extension HTMLScript {
    /// Latency per second, and how old the shown complication was.
    static let overTime = #"""
        function drawIntervals() {
          const parent = picture("intervals");
          if (!parent) return;
          clear(parent);
          const shown = data.intervals.map((entry, place) =>
            Object.assign({name: data.series[place].name}, entry))
            .filter((entry) => entry.rows.length);
          if (!shown.length) {
            html(parent, "p", {class: "small"}, "No record was measured.");
            return;
          }
          const rows = shown.flatMap((entry) => entry.rows);
          const most = rows.reduce((value, row) => Math.max(value, row[4]), 1);
          const least = rows.reduce((value, row) =>
            Math.min(value, row[2] === null ? row[4] : row[2]), most);
          const range = {
            least, most,
            from: shown.reduce((start, {rows}) => Math.min(start, rows[0][0] / 1000), 1e12),
            // The last interval may be longer than what is left of the run.
            to: Math.min(data.duration_ns / 1e9, shown.reduce((end, {rows, seconds}) =>
              Math.max(end, rows[rows.length - 1][0] / 1000 + seconds), 0)),
          };
          // As high together as the picture beside them, or in columns of their own.
          const height = shown.length > 3 ? 150 : 350 / shown.length;
          const several = html(parent, "div", {class: shown.length > 3 ? "several" : ""});
          // A picture measures its place, so that all places come first.
          const places = shown.map(() => html(several, "div"));
          shown.forEach((entry, place) => drawInterval(places[place], entry, height, range));
          const list = html(parent, "div", {class: "legend"});
          if (rows.some((row) => row[2] === null)) {
            html(parent, "p", {class: "small"},
              "A dot: the longest of an interval with too few records for a median.");
          }
          const hasTails = shown.some((entry) => entry.tails !== null);
          const hasMedians = rows.some((row) => row[2] !== null);
          const items = [
            ["M1 6L25 6", "curve s7", "p50"], ["M1 6L25 6", "curve thin s7", "p99"],
            ["M1 1L25 1L25 11L1 11Z", "span s7", "p50 to max"],
          ];
          for (const [d, kind, text] of items) {
            if ((text === "p99" && !hasTails) || !hasMedians) continue;
            const item = html(list, "span", {class: "item"});
            const sample = svg(item, "svg", {width: 26, height: 12, "aria-hidden": "true"});
            svg(sample, "path", {d, class: kind});
            html(item, "span", {}, text);
          }
        }
        /// One series: a bar from the median to the longest of each interval, lines for p50 and
        /// p99. An interval of too few records for a median shows its longest. A p99 needs 1,000
        /// records, so that it has intervals of its own, each a level line as long as it is.
        function drawInterval(parent, entry, height, range) {
          const of = entry.seconds === 1 ? "per second" : `per ${entry.seconds} s`;
          const chart = plot(parent, `${entry.name}: p50, p99 and max ${of}`, height, {
            top: 24,
          });
          const y = logScale(chart, range.least, range.most);
          const x = linearScale(chart, range.from, range.to, " s");
          const title = svg(chart.root, "text", {x: chart.left, y: 14, class: "name"}, entry.name);
          const tails = entry.tails;
          const tailOf = !tails ? `no p99 (n=${entry.n} of 1000)`
            : tails.seconds === entry.seconds ? "" : `p99 per ${tails.seconds} s`;
          svg(title, "tspan", {}, ` ${of}${tailOf && ", " + tailOf}`);
          const kind = look(entry.name);
          const medians = [];
          let end = null;
          for (const [start, count, p50, p99, longest] of entry.rows) {
            const from = x(start / 1000);
            const to = Math.max(from + 1, Math.min(chart.right, x(start / 1000 + entry.seconds)));
            const middle = (from + to) / 2;
            const low = y(p50 === null ? longest : p50);
            const high = y(longest);
            const bar = svg(chart.root, "rect", {
              x: from + 0.4, y: high, width: Math.max(0.6, to - from - 0.8),
              height: Math.max(2, low - high), class: "span " + kind, "data-max-ns": longest,
            });
            const figures = [["p50", p50], ["p99", p99], ["max", longest]]
              .filter((pair) => pair[1] !== null)
              .map(([name, ns]) => `${name} ${milliseconds(ns)}`);
            svg(bar, "title", {}, `${start / 1000} s: ${figures.join(", ")} (n=${count})`);
            if (p50 === null) {
              svg(chart.root, "circle", {cx: middle, cy: high, r: 2, class: "peak " + kind});
            }
            // Where nothing was measured in between there is no line.
            if (end !== null && start > end) medians.push(null);
            end = start + entry.seconds * 1000;
            medians.push(p50 === null ? null : [middle, y(p50)]);
          }
          for (const [start, count, p99] of tails ? tails.rows : []) {
            const from = Math.max(chart.left, x(start / 1000));
            const to = Math.min(chart.right, x(start / 1000 + tails.seconds));
            const level = svg(chart.root, "path", {
              d: `M${from.toFixed(1)} ${y(p99).toFixed(1)}H${Math.max(from + 2, to).toFixed(1)}`,
              class: "curve thin " + kind, "data-p99-ns": p99,
            });
            svg(level, "title", {}, `${start / 1000} s, ${tails.seconds} s: p99 `
              + `${milliseconds(p99)} (n=${count})`);
          }
          svg(chart.root, "path", {d: broken(medians), class: "curve " + kind});
        }
        /// A line that ends before what is missing and begins again after it.
        function broken(points) {
          let text = "";
          let run = [];
          for (const point of points.concat(null)) {
            if (point) {
              run.push(point);
              continue;
            }
            // A lone point would be a line of no length.
            if (run.length === 1) run = [[run[0][0] - 2, run[0][1]], [run[0][0] + 2, run[0][1]]];
            if (run.length) text += line(run);
            run = [];
          }
          return text;
        }

        /// The shown value ages until another replaces it; from when the phone has a newer one it
        /// is out of date.
        function drawAge() {
          const parent = picture("age");
          if (!parent) return;
          clear(parent);
          // How long the last would have stayed is not known.
          const spans = face.filter((span) => span.shown < data.face_until_us);
          const oldest = spans.reduce((most, span) => Math.max(most, span.replaced - span.made), 1);
          const chart = plot(parent, "How old the shown complication was", 176);
          const unit = oldest >= 2e6 ? [1e6, " s"] : [1e3, " ms"];
          const top = oldest / unit[0];
          const step = niceStep(top, 4);
          const most = Math.ceil(top / step) * step;
          const y = (age) => chart.bottom - age / unit[0] / most * (chart.bottom - chart.top);
          for (let value = 0; value <= most + step / 2; value += step) {
            const at = y(value * unit[0]);
            svg(chart.root, "line", {
              x1: chart.left, x2: chart.right, y1: at, y2: at, class: "grid",
            });
            svg(chart.root, "text", {
              x: chart.left - 6, y: at + 4, class: "axis end",
            }, short(value) + unit[1]);
          }
          const seconds = linearScale(chart, spans[0].shown / 1e6, data.face_until_us / 1e6, " s");
          const x = (moment) => seconds(moment / 1e6).toFixed(1);
          const height = (age) => y(age).toFixed(1);
          const piece = (made, from, to) => `M${x(from)} ${height(0)}V${height(from - made)}`
            + `L${x(to)} ${height(to - made)}V${height(0)}Z`;
          let fresh = "";
          let stale = "";
          for (const {made, turn, shown, replaced} of spans) {
            if (turn > shown) fresh += piece(made, shown, turn);
            if (replaced > turn) stale += piece(made, turn, replaced);
          }
          svg(chart.root, "path", {d: fresh, class: "age"});
          svg(chart.root, "path", {d: stale, class: "stale"});
          const list = html(parent, "div", {class: "legend"});
          for (const [kind, text] of [["age", "up to date"], ["stale", "the phone has a newer"]]) {
            const item = html(list, "span", {class: "item"});
            const sample = svg(item, "svg", {width: 14, height: 12, "aria-hidden": "true"});
            svg(sample, "rect", {width: 14, height: 12, class: kind});
            html(item, "span", {}, text);
          }
        }

        """#
}
