extension HTMLScript {
    /// Zooming, moving and picking, by pointer and by keys.
    static let timelineControls = #"""
        function makeTimeline() {
          const parent = picture("timeline");
          if (!parent) return {draw() {}};
          const records = readRecords();
          placeRows(records, data.series.length);
          const whole = Math.max(data.duration_ns / 1e3, ...data.face.map((span) => span[4]));
          const [from, to] = loadSpan();
          const view = {from, to: Math.min(to, whole), left: 2, laneHeight: 48};
          let picked = null;
          let brush = null;

          const tools = html(parent, "div", {class: "tools"});
          const button = (id, text, act) => {
            html(tools, "button", {type: "button", id}, text).addEventListener("click", act);
          };
          button("zoom-in", "Zoom in", () => zoom(0.5, middle()));
          button("zoom-out", "Zoom out", () => zoom(2, middle()));
          button("zoom-all", "All", () => show(0, whole));
          button("previous", "Previous", () => step(-1));
          button("next", "Next", () => step(1));
          const span = html(tools, "span", {class: "span", id: "span"});
          const canvas = html(parent, "canvas", {
            id: "lanes", tabindex: "0", role: "img",
            "aria-label": "Records over time; arrows move, plus and minus zoom, N and P pick",
          });
          drawStageLegend(parent);
          const facts = html(parent, "div", {class: "facts", id: "facts", "aria-live": "polite"});
          html(facts, "p", {}, "Drag to zoom, click a record to see its way. With the keyboard: "
            + "arrows, plus, minus, 0, N and P.");

          function middle() { return (view.from + view.to) / 2; }
          function timeAt(x) {
            return view.from + (x - view.left) / (view.right - view.left) * (view.to - view.from);
          }
          /// No less than a millisecond, no more than there is.
          function show(from, to) {
            const length = Math.min(whole, Math.max(1000, to - from));
            view.from = Math.min(Math.max(0, from), whole - length);
            view.to = view.from + length;
            draw();
          }
          function zoom(factor, around) {
            const length = (view.to - view.from) * factor;
            const part = (around - view.from) / (view.to - view.from);
            show(around - part * length, around + (1 - part) * length);
          }
          function draw() {
            view.width = Math.max(280, parent.clientWidth);
            view.right = view.width - 2;
            view.lanes = data.series.map((_, place) => 20 + place * (view.laneHeight + 26));
            view.face = 20 + data.series.length * (view.laneHeight + 26);
            view.height = view.face + (data.face.length ? 44 : 0);
            drawLanes(canvas, records, view, picked);
            const [from, to] = [view.from, view.to].map((us) => short(Math.round(us) / 1e6));
            span.textContent = `${from} s to ${to} s`;
            const shown = [view.from, view.to].map(Math.round).join("-");
            document.documentElement.dataset.view = shown;
          }
          function pick(record) {
            picked = record;
            clear(facts);
            if (record) tellRecord(facts, record);
            draw();
          }
          function step(by) {
            if (!records.length) return;
            const now = picked ? records.indexOf(picked)
              : records.findIndex((record) => record.due >= view.from) - by;
            const next = records[Math.min(records.length - 1, Math.max(0, now + by))];
            const length = view.to - view.from;
            if (next.due < view.from || next.end > view.to) {
              show(next.due - length / 4, next.due + 3 * length / 4);
            }
            pick(next);
          }
          /// The nearest bar within eight pixels.
          function nearest(x, y) {
            const perPixel = (view.to - view.from) / (view.right - view.left);
            const at = timeAt(x);
            let best = null;
            let least = 8;
            for (const record of records) {
              const top = view.lanes[record.series] + record.row * view.laneHeight / rowsPerLane;
              const dy = Math.max(0, top - y, y - top - view.laneHeight / rowsPerLane);
              if (dy > 8) continue;
              const dx = Math.max(0, record.due - at, at - record.end) / perPixel;
              const distance = Math.hypot(dx, dy);
              if (distance < least) [best, least] = [record, distance];
            }
            return best;
          }
          function place(event) {
            const box = canvas.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
          }
          canvas.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            brush = place(event);
            canvas.setPointerCapture(event.pointerId);
          });
          canvas.addEventListener("pointermove", (event) => {
            if (!brush) return;
            draw();
            const pen = canvas.getContext("2d");
            pen.globalAlpha = 0.2;
            pen.fillStyle = colours()("accent");
            pen.fillRect(brush[0], 0, place(event)[0] - brush[0], view.height - 18);
            pen.globalAlpha = 1;
          });
          canvas.addEventListener("pointerup", (event) => {
            if (!brush) return;
            const [start, end] = [brush[0], place(event)[0]].sort((a, b) => a - b);
            const clicked = brush;
            brush = null;
            if (end - start < 5) pick(nearest(...clicked)); else show(timeAt(start), timeAt(end));
          });
          canvas.addEventListener("pointercancel", () => { brush = null; draw(); });
          canvas.addEventListener("wheel", (event) => {
            // A page that scrolls past must not be caught.
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(place(event)[0]));
          }, {passive: false});
          canvas.addEventListener("keydown", (event) => {
            const by = (view.to - view.from) / 4;
            const acts = {
              "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()),
              "-": () => zoom(2, middle()), "0": () => show(0, whole),
              ArrowLeft: () => show(view.from - by, view.to - by),
              ArrowRight: () => show(view.from + by, view.to + by),
              n: () => step(1), p: () => step(-1),
            };
            if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            acts[event.key]();
          });
          return {draw};
        }
        function drawStageLegend(parent) {
          const list = html(parent, "div", {class: "legend"});
          stageNames.forEach((name, stage) => {
            const item = html(list, "span", {class: "item"});
            const sample = svg(item, "svg", {width: 14, height: 12, "aria-hidden": "true"});
            svg(sample, "rect", {width: 14, height: 12, class: "stage t" + stage});
            html(item, "span", {}, name);
          });
        }
        /// A record in words: what it is, when, and how long each stage took.
        function tellRecord(parent, record) {
          const series = data.series[record.series];
          const title = html(parent, "p", {});
          html(title, "strong", {}, record.name);
          const latency = record.latency === null ? "" : `, ${milliseconds(record.latency * 1e3)}`;
          html(title, "span", {}, `: ${series.name}, ${data.outcomes[record.outcome]}${latency}`);
          let start = 0;
          const parts = stageEnds(record).map((end, stage) => {
            if (end === null) return `${stageNames[stage]} -`;
            const took = Math.max(0, end - start);
            start = Math.max(start, end);
            return `${stageNames[stage]} ${milliseconds(took * 1e3)}`;
          });
          html(parent, "p", {}, `due at ${(record.due / 1e6).toFixed(6)} s; ${parts.join(", ")}`);
        }

        """#
}
