extension HTMLScript {
    /// Latency by percentile, and the stages of a record.
    static let charts = #"""
        const hidden = new Set();
        const names = data.curves.map((curve) => curve.name);
        /// The colour and the dashes of a series are the same in every picture.
        function look(name) {
          const place = Math.max(0, names.indexOf(name.replace(/, service time$/, "")));
          const isSecond = place >= 8 || /service time|hiccup/.test(name);
          return `s${place % 8}` + (isSecond ? " dashed" : "");
        }

        function drawPercentiles() {
          const parent = picture("percentiles");
          if (!parent) return;
          clear(parent);
          const shown = data.curves.filter((curve) => !hidden.has(curve.name));
          const chart = plot(parent, "Latency by percentile, on logarithmic axes", 320, {
            bottom: 40,
          });
          const marks = data.marks;
          const all = shown.length ? shown : data.curves;
          const values = all.flatMap((curve) => [curve.min_ns, curve.max_ns])
            .concat(marks.flatMap((mark) => [mark.goal_ns, mark.max_ns || mark.goal_ns]));
          const y = logScale(chart, Math.min(...values), Math.max(...values));
          const most = Math.max(2.2, ...all.map((curve) => Math.log10(curve.n)));
          const x = (above) => chart.left + above / most * (chart.right - chart.left);
          for (const p of [0, 50, 90, 99, 99.9, 99.99, 99.999]) {
            const above = -Math.log10(1 - p / 100);
            if (above > most) continue;
            svg(chart.root, "line", {
              x1: x(above), x2: x(above), y1: chart.top, y2: chart.bottom, class: "grid",
            });
            svg(chart.root, "text", {
              x: x(above), y: chart.bottom + 16, class: "axis middle",
            }, String(p));
          }
          svg(chart.root, "text", {
            x: chart.right, y: chart.bottom + 33, class: "axis end",
          }, "per cent of records at or below; dotted: fewer than ten lie above");
          drawMarks(chart, marks, x, y);
          shown.forEach((curve) => drawCurve(chart, curve, x, y));
          drawLegend(parent);
        }
        /// Names stand left of their lines, and never on each other.
        function drawMarks(chart, marks, x, y) {
          const wide = Math.min(46, chart.width / 14);
          let lowest = chart.top;
          const ordered = [...marks].sort((left, right) => right.goal_ns - left.goal_ns);
          for (const mark of ordered) {
            const at = x(-Math.log10(1 - mark.ppm / 1e6));
            for (const [kind, ns] of [["goal", mark.goal_ns], ["limit", mark.max_ns]]) {
              if (!ns) continue;
              const node = svg(chart.root, "line", {
                x1: at - wide, x2: at + wide, y1: y(ns), y2: y(ns), class: kind,
              });
              svg(node, "title", {}, `${mark.title}: ${kind} ${milliseconds(ns)}`);
            }
            lowest = Math.max(lowest + 13, y(mark.goal_ns) + 4);
            // Where there is no room for it, the lines tell their name under the pointer.
            if (at - wide - 6 - 7 * mark.title.length < chart.left) continue;
            svg(chart.root, "text", {
              x: at - wide - 6, y: lowest, class: "axis end markname",
            }, mark.title);
          }
        }
        function drawCurve(chart, curve, x, y) {
          const place = (above) => x(Math.log10(curve.n / Math.max(above, 1)));
          const points = [[x(0), y(curve.min_ns)]];
          const tail = [];
          for (const [above, ns] of curve.points) {
            (above >= 10 ? points : tail).push([place(above), y(ns)]);
          }
          tail.unshift(points[points.length - 1]);
          svg(chart.root, "path", {d: line(points), class: "curve " + look(curve.name)});
          svg(chart.root, "path", {d: line(tail), class: "curve tail " + look(curve.name)});
          const dots = Object.entries(curve.figures).map(([name, [ppm, ns]]) =>
            [name, x(-Math.log10(1 - ppm / 1e6)), ns]);
          dots.push(["max", x(Math.log10(curve.n)), curve.max_ns]);
          for (const [name, at, ns] of dots) {
            const dot = svg(chart.root, "circle", {
              cx: at, cy: y(ns), r: 3.5, class: "dot " + look(curve.name),
              "data-series": curve.name, "data-figure": name, "data-ns": ns,
            });
            svg(dot, "title", {}, `${curve.name} ${name}: ${milliseconds(ns)}`);
          }
        }
        /// Each name is a switch, with a piece of its line.
        function drawLegend(parent) {
          const list = html(parent, "div", {class: "legend"});
          for (const curve of data.curves) {
            const button = html(list, "button", {
              type: "button", "aria-pressed": String(!hidden.has(curve.name)),
            });
            const sample = svg(button, "svg", {width: 26, height: 8, "aria-hidden": "true"});
            svg(sample, "path", {d: "M1 4L25 4", class: "curve " + look(curve.name)});
            html(button, "span", {}, curve.name);
            button.addEventListener("click", () => {
              const place = [...list.children].indexOf(button);
              hidden.has(curve.name) ? hidden.delete(curve.name) : hidden.add(curve.name);
              drawPercentiles();
              parent.querySelectorAll("button")[place].focus();
            });
          }
        }

        const stageNames = ["queued", "air", "commit", "applied"];
        function drawStages() {
          const parent = picture("stages");
          if (!parent) return;
          clear(parent);
          const rows = data.stages.filter((row) => row.ns.some((ns) => ns !== null));
          if (!rows.length) {
            html(parent, "p", {class: "small"}, "Too few records for medians.");
            return;
          }
          const left = 12 + 7 * Math.max(...rows.map((row) => row.name.length));
          const chart = plot(parent, "Medians of each stage, stacked", 26 * rows.length + 40, {
            left, top: 4,
          });
          const most = Math.max(...rows.map((row) => row.ns.reduce((sum, ns) => sum + ns, 0)));
          const x = linearScale(chart, 0, most / 1e6, " ms");
          rows.forEach((row, place) => {
            const y = chart.top + 26 * place + 4;
            svg(chart.root, "text", {x: left - 6, y: y + 13, class: "axis end"}, row.name);
            let sum = 0;
            row.ns.forEach((ns, stage) => {
              if (!ns) return;
              const start = x(sum / 1e6);
              sum += ns;
              const width = Math.max(0.5, x(sum / 1e6) - start);
              const bar = svg(chart.root, "rect", {
                x: start, y, width, height: 18, class: "stage t" + stage,
              });
              const text = `${stageNames[stage]} ${milliseconds(ns)}`;
              svg(bar, "title", {}, `${row.name}, ${text}`);
              if (width > 7 * text.length) {
                svg(chart.root, "text", {x: start + 5, y: y + 13, class: "in t" + stage}, text);
              }
            });
          });
          drawStageLegend(parent);
        }

        """#
}
