extension HTMLScript {
    /// Latency by percentile, and the stages of a record.
    static let charts = #"""
        /// The series that `name` measures in another way: for `sync, service time` it is `sync`.
        function baseOf(name) {
          const of = (curve) => name.startsWith(curve.name + ", ");
          const base = data.curves.find(of);
          return base ? base.name : name;
        }
        const names = [...new Set(data.curves.map((curve) => baseOf(curve.name)))];
        /// Of very many curves, those of another way are hidden at first, and so are those for
        /// which there are no colours left.
        const hidden = new Set(data.curves.length <= 12 ? [] : data.curves
          .map((curve) => curve.name)
          .filter((name) => baseOf(name) !== name || names.indexOf(name) > 9));
        /// The colour and the dashes of a series are the same in every picture. A curve of the same
        /// records by another way has the colour, and dashes; a curve of another build has dots.
        /// If there are more series than colours, the colours come again with other dashes.
        function look(name) {
          const place = Math.max(0, names.indexOf(baseOf(name)));
          const round = Math.min(2, Math.floor(place / 10));
          const dashes = name.endsWith(", against") ? " dotted"
            : baseOf(name) !== name ? " dashed" : round ? ` more${round}` : "";
          return `s${place % 10}${dashes}`;
        }

        function drawPercentiles() {
          const parent = picture("curves");
          if (!parent) return;
          clear(parent);
          const shown = data.curves.filter((curve) => !hidden.has(curve.name));
          const isLabelled = parent.clientWidth > 640 && shown.length > 1 && shown.length <= 12;
          const longest = Math.max(0, ...shown.map((curve) => curve.name.length));
          const chart = plot(parent, "Latency by percentile, on logarithmic axes", 320, {
            bottom: 40, right: isLabelled ? Math.min(250, 24 + 6.7 * longest) : 14,
          });
          const marks = data.marks;
          // The machine's own curves must not press those of the records into a corner.
          const sized = shown.length ? shown : data.curves;
          const records = sized.filter((curve) => !curve.machine);
          const all = records.length ? records : sized;
          // The fastest few would stretch the axis and say little.
          const tenth = (curve) =>
            (curve.points.find(([above]) => above <= 0.9 * curve.n) || [0, curve.min_ns])[1];
          const values = all.flatMap((curve) => [tenth(curve), curve.max_ns])
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
          }, "% of records at or below");
          const frame = svg(chart.root, "clipPath", {id: "curveframe"});
          svg(frame, "rect", {
            x: chart.left - 5, y: chart.top, width: chart.right - chart.left + 10,
            height: chart.bottom - chart.top,
          });
          const cut = shown.filter((curve) => all.indexOf(curve) < 0
            && (y(curve.max_ns) < chart.top || y(curve.min_ns) > chart.bottom
              || x(Math.log10(curve.n)) > chart.right + 5));
          for (const curve of shown) {
            const layer = svg(chart.root, "g", {"clip-path": "url(#curveframe)"});
            drawCurve(layer, curve, x, y);
          }
          marks.forEach((mark) => drawMark(chart, mark, x, y));
          nameMarks(chart, marks, x, y);
          if (isLabelled) nameCurves(chart, shown, x, y);
          drawLegend(parent);
          html(parent, "p", {class: "small"}, "Dotted: fewer than ten samples lie above."
            + cut.map((curve) => ` The scale is that of the records: ${curve.name} (longest `
              + `${milliseconds(curve.max_ns)}) is cut where it goes beyond.`).join("")
            + (marks.length ? " Dashed bars: targets; red bars: the most that is allowed." : ""));
        }
        function drawMark(chart, mark, x, y) {
          const at = x(-Math.log10(1 - mark.ppm / 1e6));
          const wide = Math.min(46, chart.width / 14);
          const drawn = [["goal", mark.goal_ns], ["limit", mark.max_ns]];
          for (const [kind, ns] of drawn) {
            if (!ns) continue;
            const node = svg(chart.root, "line", {
              x1: at - wide, x2: at + wide, y1: y(ns), y2: y(ns), class: kind,
            });
            svg(node, "title", {}, `${mark.title}: ${kind} ${milliseconds(ns)}`);
          }
        }
        /// The names of targets, beside their bars where there is room, none upon another.
        function nameMarks(chart, marks, x, y) {
          let free = -Infinity;
          const sorted = [...marks].sort((left, right) => right.goal_ns - left.goal_ns);
          for (const mark of sorted) {
            const at = x(-Math.log10(1 - mark.ppm / 1e6));
            const wide = Math.min(46, chart.width / 14) + 18;
            const text = mark.title.replace(/ p[0-9.]+$/, "");
            const isRight = chart.right - at - wide > 6.6 * text.length;
            const isLeft = !isRight && at - wide - chart.left > 6.6 * text.length;
            const own = y(mark.goal_ns) + (isRight || isLeft ? 4 : -5);
            const place = Math.max(own, free);
            free = place + 13;
            const side = isRight ? wide : -wide;
            if ((isRight || isLeft) && place > own + 6) svg(chart.root, "path", {
              d: line([[at + side * .7, own - 4], [at + side, place - 4]]), class: "leader",
            });
            svg(chart.root, "text", {
              x: isRight ? at + wide : isLeft ? at - wide : chart.right, y: place,
              class: isRight ? "halo" : "halo end",
            }, text);
          }
        }
        /// The name of each curve beside its end, none upon another.
        function nameCurves(chart, curves, x, y) {
          const ends = curves.map((curve) => ({
            curve, x: Math.min(chart.right, x(Math.log10(curve.n))),
            y: Math.max(chart.top, y(curve.max_ns)),
          })).sort((left, right) => left.y - right.y);
          let free = chart.top + 4;
          ends.forEach((end, place) => {
            // Those below must still find room above the axis.
            const lowest = chart.bottom - 13 * (ends.length - 1 - place);
            const at = Math.min(lowest, Math.max(free, end.y + 4));
            free = at + 13;
            const kind = look(end.curve.name);
            const left = chart.right + 18;
            svg(chart.root, "path", {
              d: line([[end.x + 5, end.y], [left - 3, at - 4]]), class: "leader " + kind,
            });
            svg(chart.root, "text", {x: left, y: at, class: "label " + kind}, end.curve.name);
          });
        }
        function drawCurve(layer, curve, x, y) {
          const place = (above) => x(Math.log10(curve.n / Math.max(above, 1)));
          const points = [[x(0), y(curve.min_ns)]];
          const tail = [];
          for (const [above, ns] of curve.points) {
            (above >= 10 ? points : tail).push([place(above), y(ns)]);
          }
          tail.unshift(points[points.length - 1]);
          svg(layer, "path", {d: line(points), class: "curve " + look(curve.name)});
          svg(layer, "path", {d: line(tail), class: "curve tail " + look(curve.name)});
          const dots = Object.entries(curve.figures).map(([name, [ppm, ns]]) =>
            [name, x(-Math.log10(1 - ppm / 1e6)), ns]);
          dots.push(["max", x(Math.log10(curve.n)), curve.max_ns]);
          for (const [name, at, ns] of dots) {
            const dot = svg(layer, "circle", {
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
          if (!hidden.size) return;
          const all = html(list, "button", {type: "button", class: "all"},
            `Show all ${data.curves.length}`);
          all.addEventListener("click", () => {
            hidden.clear();
            drawPercentiles();
            parent.querySelector("button").focus();
          });
        }

        const stageNames = ["queued", "air", "commit", "applied"];
        /// Those that a latency is made of: a sender learns that a record is applied after it.
        const latencyStages = 3;
        /// Medians; of a series with too few records for any, its slowest.
        function stageRows() {
          const slow = slowestFirst(allRecords);
          return data.stages.map((row, place) => {
            if (row.ns.some((ns) => ns !== null)) return row;
            const record = slow.find((record) => record.series === place
              && !stagesOf(record).includes(null));
            return {
              name: row.name + ", slowest",
              ns: record ? stagesOf(record).map((length) => length * 1000) : [],
            };
          }).filter((row) => row.ns.length);
        }
        function drawStages() {
          const parent = picture("stagebars");
          if (!parent) return;
          clear(parent);
          const rows = stageRows();
          if (!rows.length) {
            html(parent, "p", {class: "small"}, "No record's stages are all known.");
            return;
          }
          const left = 12 + 7 * Math.max(...rows.map((row) => row.name.length));
          const chart = plot(parent, "The stages, stacked", 26 * rows.length + 40, {
            left, top: 4,
          });
          const most = Math.max(...rows.map((row) => row.ns.slice(0, latencyStages)
            .reduce((sum, ns) => sum + ns, 0)));
          const x = linearScale(chart, 0, most / 1e6, " ms");
          rows.forEach((row, place) => {
            const y = chart.top + 26 * place + 4;
            svg(chart.root, "text", {x: left - 6, y: y + 13, class: "axis end"}, row.name);
            let sum = 0;
            row.ns.slice(0, latencyStages).forEach((ns, stage) => {
              if (!ns) return;
              const start = x(sum / 1e6);
              sum += ns;
              const width = Math.max(0.5, x(sum / 1e6) - start);
              const bar = svg(chart.root, "rect", {
                x: start, y, width, height: 18, class: "stage t" + stage,
              });
              const text = `${stageNames[stage]} ${milliseconds(ns)}`;
              svg(bar, "title", {}, `${row.name}, ${text}`);
              if (width > 7.6 * text.length) {
                svg(chart.root, "text", {x: start + 5, y: y + 13, class: "in t" + stage}, text);
              }
            });
          });
          const list = html(parent, "div", {class: "legend"});
          stageNames.slice(0, latencyStages).forEach((name, stage) => {
            const item = html(list, "span", {class: "item"});
            const sample = svg(item, "svg", {width: 14, height: 12, "aria-hidden": "true"});
            svg(sample, "rect", {width: 14, height: 12, class: "stage t" + stage});
            html(item, "span", {}, name);
          });
        }

        """#
}
