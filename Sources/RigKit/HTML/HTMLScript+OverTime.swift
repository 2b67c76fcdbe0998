extension HTMLScript {
    /// Latencies over time, and how old what the face showed was.
    static let overTime = #"""
        /// Median, p99 and longest of each interval: a picture for each series, on one time axis.
        function drawIntervals() {
          const parent = picture("intervals");
          if (!parent) return;
          clear(parent);
          const most = data.duration_ns / 1e9;
          data.intervals.forEach((found, place) => {
            if (!found.rows.length) return;
            const series = data.series[place];
            const every = found.seconds === 1 ? "second" : `${found.seconds} seconds`;
            html(parent, "h3", {}, `${series.name}, each ${every}`);
            const chart = plot(parent, `${series.name} over time`, 132, {});
            const values = found.rows.flatMap((row) => row.slice(2).filter((ns) => ns !== null));
            const y = logScale(chart, Math.min(...values), Math.max(...values));
            const x = linearScale(chart, 0, most, " s");
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

        /// A saw-tooth: age grows until a newer value is shown, and is drawn bold from when the
        /// phone had one.
        function drawAge() {
          const parent = picture("age");
          if (!parent) return;
          clear(parent);
          const chart = plot(parent, "Age of the shown complication over time", 200, {});
          const most = Math.max(...data.face.map((span) => span[4] - span[1])) / 1e6;
          const x = linearScale(chart, 0, data.duration_ns / 1e9, " s");
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
          const fresh = [];
          const stale = [];
          for (const [, made, outdated, shown, replaced] of data.face) {
            const point = (at) => `${x(at / 1e6).toFixed(1)} ${y((at - made) / 1e6).toFixed(1)}`;
            const turn = outdated === null ? replaced
              : Math.min(replaced, Math.max(shown, outdated));
            if (turn > shown) fresh.push(`M${point(shown)}L${point(turn)}`);
            if (replaced > turn) stale.push(`M${point(turn)}L${point(replaced)}`);
          }
          svg(chart.root, "path", {d: fresh.join(""), class: "fresh"});
          svg(chart.root, "path", {d: stale.join(""), class: "stale"});
          const left = data.face_total - data.face.length;
          const ages = data.face.map(([, , outdated, shown, replaced]) =>
            outdated === null ? 0 : Math.max(0, replaced - Math.max(shown, outdated)));
          const worst = Math.max(...ages);
          html(parent, "p", {class: "small"},
            "Thin: the newest value the phone had. Bold: the phone had a newer one; for "
            + `${milliseconds(worst * 1e3)} at most.`
            + (left ? ` ${left} values that were shown more briefly are left out.` : ""));
        }

        """#
}
