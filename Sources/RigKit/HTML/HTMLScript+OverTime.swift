extension HTMLScript {
    /// Latencies over time, and how old what the face showed was.
    static let overTime = #"""
        /// From the first record to the last, in microseconds: what comes before and after, such as
        /// a measurement of the store, would press the pictures together.
        function loadSpan() {
          const rows = data.intervals.flatMap((found) => found.rows.map((row) =>
            [row[0] * 1e3, (row[0] / 1e3 + found.seconds) * 1e6]));
          const from = Math.min(...rows.map((row) => row[0]));
          return [from, Math.max(...rows.map((row) => row[1]), from + 1e6)];
        }

        /// Median, p99 and longest of each interval: a picture for each series, on one time axis.
        function drawIntervals() {
          const parent = picture("intervals");
          if (!parent) return;
          clear(parent);
          const [from, to] = loadSpan();
          // All cells first: how many there are decides how wide each is.
          const cells = data.intervals.map((found, place) => {
            if (!found.rows.length) return null;
            const cell = html(parent, "div", {class: "cell"});
            const every = found.seconds === 1 ? "second" : `${found.seconds} seconds`;
            html(cell, "h3", {}, `${data.series[place].name}, each ${every}`);
            return cell;
          });
          data.intervals.forEach((found, place) => {
            const [cell, series] = [cells[place], data.series[place]];
            if (!cell) return;
            const chart = plot(cell, `${series.name} over time`, 140, {});
            const values = found.rows.flatMap((row) => row.slice(2).filter((ns) => ns !== null));
            const y = logScale(chart, Math.min(...values), Math.max(...values));
            const x = linearScale(chart, from / 1e6, to / 1e6, " s");
            const at = (row) => x(row[0] / 1e3 + found.seconds / 2);
            for (const [column, kind] of [[2, ""], [3, " dashed"]]) {
              const points = found.rows.filter((row) => row[column] !== null)
                .map((row) => [at(row), y(row[column])]);
              if (!points.length) continue;
              svg(chart.root, "path", {
                d: line(points), class: "curve thin " + look(series.name) + kind,
              });
              for (const [cx, cy] of points.length > 60 ? [] : points) {
                svg(chart.root, "circle", {cx, cy, r: 2.5, class: "dot " + look(series.name)});
              }
            }
            for (const row of found.rows) {
              const peak = svg(chart.root, "path", {
                d: `M${at(row) - 3} ${y(row[4]) + 4}l3 -4l3 4`,
                class: "peak " + look(series.name),
              });
              const told = [["p50", row[2]], ["p99", row[3]], ["max", row[4]]]
                .map(([name, ns]) => `${name} ${ns === null ? "(few)" : milliseconds(ns)}`);
              svg(peak, "title", {}, `${row[0] / 1e3} s, n=${row[1]}: ${told.join(", ")}`);
            }
          });
          html(parent, "p", {class: "small"},
            "Solid: p50. Dashed: p99. Angles: the longest. By when records were due.");
        }

        /// Age grows until a newer value is shown, and is drawn bold from when the phone had one.
        function drawTeeth(chart, spans, x, y) {
          const fresh = [];
          const stale = [];
          for (const [made, outdated, shown, replaced] of spans) {
            const point = (at) => `${x(at / 1e6).toFixed(1)} ${y((at - made) / 1e6).toFixed(1)}`;
            const turn = outdated === null ? replaced
              : Math.min(replaced, Math.max(shown, outdated));
            if (turn > shown) fresh.push(`M${point(shown)}L${point(turn)}`);
            if (replaced > turn) stale.push(`M${point(turn)}L${point(replaced)}`);
          }
          svg(chart.root, "path", {d: fresh.join(""), class: "fresh"});
          svg(chart.root, "path", {d: stale.join(""), class: "stale"});
        }
        /// Where teeth are narrower than they can be seen: the highest of each two pixels.
        function drawOldest(chart, spans, x, y) {
          const ages = new Map();
          for (const [made, , , replaced] of spans) {
            const column = Math.round(x(replaced / 1e6) / 2);
            ages.set(column, Math.max(ages.get(column) || 0, (replaced - made) / 1e6));
          }
          const points = [...ages].sort((left, right) => left[0] - right[0])
            .map(([column, age]) => [column * 2, y(age)]);
          svg(chart.root, "path", {d: line(points), class: "fresh"});
        }

        /// A saw-tooth, or its tips.
        function drawAge() {
          const parent = picture("age");
          if (!parent) return;
          clear(parent);
          const chart = plot(parent, "Age of the shown complication over time", 200, {});
          const [begin, end] = loadSpan();
          const spans = data.face.filter((span) => span[4] > begin && span[3] < end)
            .map(([, made, outdated, shown, replaced]) =>
              [made, outdated, Math.max(begin, shown), Math.min(end, replaced)]);
          const most = Math.max(...spans.map((span) => span[3] - span[0]), 1e3) / 1e6;
          const x = linearScale(chart, begin / 1e6, end / 1e6, " s");
          const step = niceStep(most, 4);
          const top = Math.max(step, Math.ceil(most / step) * step);
          const y = (age) => chart.bottom - age / top * (chart.bottom - chart.top);
          for (let age = 0; age <= top * 1.001; age += step) {
            svg(chart.root, "line", {
              x1: chart.left, x2: chart.right, y1: y(age), y2: y(age), class: "grid",
            });
            svg(chart.root, "text", {
              x: chart.left - 6, y: y(age) + 4, class: "axis end",
            }, short(age) + " s");
          }
          if (spans.length > (chart.right - chart.left) / 4) {
            drawOldest(chart, spans, x, y);
          } else {
            drawTeeth(chart, spans, x, y);
          }
          const left = data.face_total - data.face.length;
          const ages = data.face.map(([, , outdated, shown, replaced]) =>
            outdated === null ? 0 : Math.max(0, replaced - Math.max(shown, outdated)));
          const worst = Math.max(0, ...ages);
          html(parent, "p", {class: "small"},
            (spans.length > (chart.right - chart.left) / 4
              ? "The oldest of each moment. The phone had a newer value for "
              : "Thin: the newest value the phone had. Bold: the phone had a newer one; for ")
            + `${milliseconds(worst * 1e3)} at most.`
            + (left ? ` ${left} values that were shown more briefly are left out.` : ""));
        }

        """#
}
