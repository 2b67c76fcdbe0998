extension HTMLScript {
    /// The reader's controls of the timeline: drag, click, keys, buttons.
    static let timelineControls = #"""
        function makeTimeline() {
          const parent = picture("timeline");
          const records = allRecords;
          if (!parent || !records.length) return {draw() {}};
          const slow = slowestFirst(records);
          const first = Math.min(records[0].due, allPackets.length ? allPackets[0].sent : Infinity);
          const last = allPackets.reduce((most, packet) => Math.max(most, packet.end),
            records.reduce((most, record) => Math.max(most, endOf(record)), first + 50));
          const view = {first, last, from: first, to: last};
          let chosen = slow.find((record) => record.applied !== null) || slow[0] || records[0];
          // A packet that was chosen in place of a record.
          let picked = null;
          let drawn = null;

          const tools = html(parent, "div", {class: "tools"});
          const button = (parent, id, text, label, act) => {
            const node = html(parent, "button", {type: "button", "data-do": id}, text);
            if (label) node.setAttribute("aria-label", label);
            node.addEventListener("click", act);
          };
          button(tools, "in", "+", "Zoom in", () => zoom(0.5));
          button(tools, "out", "\u2212", "Zoom out", () => zoom(2));
          button(tools, "back", "\u25c0", "Earlier", () => pan(-0.5));
          button(tools, "on", "\u25b6", "Later", () => pan(0.5));
          button(tools, "all", "Whole run", null, () => set(first, last));
          const told = html(tools, "span", {class: "small"});
          const overview = html(parent, "canvas", {
            class: "overview", role: "img",
            "aria-label": "Latency of each record over the whole run, and what the lines show",
          });
          const ways = html(parent, "canvas", {
            class: "ways", role: "img", tabindex: "0",
            "aria-label": "Records and packets between phone and watch; arrows move, plus and "
              + "minus zoom, brackets choose the one before and the next",
          });
          drawSeriesLegend(parent);
          const panel = html(parent, "div", {class: "chosen", "aria-live": "polite"});

          function set(from, to) {
            const length = Math.min(last - first, Math.max(50, to - from));
            view.from = Math.min(Math.max(first, from), last - length);
            view.to = view.from + length;
            draw();
          }
          function zoom(factor, around) {
            const length = (view.to - view.from) * factor;
            const [start, end] = focus();
            const isSeen = start >= view.from && start <= view.to;
            const centre = around !== undefined ? around
              : isSeen ? (start + end) / 2 : (view.from + view.to) / 2;
            const share = (centre - view.from) / (view.to - view.from);
            set(centre - length * share, centre + length * (1 - share));
          }
          function pan(share) {
            const step = (view.to - view.from) * share;
            set(view.from + step, view.to + step);
          }
          /// From when to when what was chosen lasted.
          function focus() {
            return picked ? [picked.sent, picked.end] : [chosen.due, endOf(chosen)];
          }
          /// Shows what was just chosen: alone, or where it is already to be seen.
          function show(isFramed) {
            const [start, end] = focus();
            const length = Math.max(1000, end - start);
            if (isFramed) return set(start - 2 * length, start + 3 * length);
            const isSeen = start >= view.from && start <= view.to;
            if (!isSeen) pan((start - (view.from + view.to) / 2) / (view.to - view.from));
            draw();
          }
          function choose(record, isFramed) {
            [chosen, picked] = [record, null];
            show(isFramed);
          }
          function pick(packet, isFramed) {
            picked = packet;
            show(isFramed);
          }
          function step(by) {
            const next = picked ? allPackets[picked.place + by] : records[chosen.place + by];
            if (!next) return;
            if (picked) pick(next, false);
            else choose(next, false);
          }
          function draw() {
            drawOverview(overview, records, view);
            drawn = drawWays(ways, records, view, chosen, picked);
            const decimals = view.to - view.from < 1e5 ? 4 : 2;
            const [from, to] = [view.from, view.to].map((at) => (at / 1e6).toFixed(decimals));
            told.textContent = `${from} s to ${to} s, ${drawn.inside.length} records`
              + (allPackets.length ? `, ${drawn.packets.length} packets` : "");
            Object.assign(parent.dataset, {
              from: Math.round(view.from), to: Math.round(view.to), shown: drawn.inside.length,
              packets: drawn.packets.length,
            });
            if (picked) {
              tellPacket(panel, picked, (record) => choose(record, false));
            } else {
              tell(panel, chosen);
              linkPackets(panel, chosen, (packet) => pick(packet, false));
            }
            const around = html(panel, "div", {class: "tools"});
            const stepAndStay = (by) => {
              step(by);
              panel.querySelector(`[data-do=${by < 0 ? "previous" : "next"}]`).focus();
            };
            const what = picked ? "packet" : "record";
            button(around, "previous", `Previous ${what}`, null, () => stepAndStay(-1));
            button(around, "next", `Next ${what}`, null, () => stepAndStay(1));
            button(around, "frame", "Zoom to it", null, () => show(true));
          }

          const moment = (event) => {
            const box = ways.getBoundingClientRect();
            const left = leftOf(box.width);
            const share = (event.clientX - box.left - left) / (box.width - left - 14);
            return {share: Math.min(1, Math.max(0, share)), x: event.clientX - box.left,
              y: event.clientY - box.top};
          };
          const along = ({share}) => first + share * (last - first);
          dragged(ways, moment, (start, end) => {
            const length = view.to - view.from;
            set(view.from + start.share * length, view.from + end.share * length);
          }, (at) => {
            const packet = at.y > drawn.packetTop ? nearestPacket(drawn, at) : null;
            if (packet) return pick(packet, false);
            const near = nearest(drawn, at);
            if (near) choose(near, false);
          }, draw);
          dragged(overview, moment, (start, end) => set(along(start), along(end)),
            (at) => {
              const half = (view.to - view.from) / 2;
              set(along(at) - half, along(at) + half);
            }, draw);
          ways.addEventListener("dblclick", () => set(first, last));
          ways.addEventListener("wheel", (event) => {
            // Without Control the wheel scrolls the page, as everywhere.
            if (!event.ctrlKey) return;
            event.preventDefault();
            const at = view.from + moment(event).share * (view.to - view.from);
            zoom(event.deltaY < 0 ? 0.8 : 1.25, at);
          }, {passive: false});
          ways.addEventListener("keydown", (event) => {
            const acts = {
              ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.5),
              "=": () => zoom(0.5), "-": () => zoom(2), 0: () => set(first, last),
              "[": () => step(-1), "]": () => step(1),
            };
            if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            acts[event.key]();
          });
          linkSlowest(slow, (record) => {
            choose(record, true);
            parent.parentNode.scrollIntoView({block: "nearest"});
          });
          if (records.length > 150) {
            const about = Math.min((last - first) * 60 / records.length,
              Math.max(1000, 15 * (endOf(chosen) - chosen.due)));
            view.from = Math.max(first, Math.min(last - about, chosen.due - about / 2));
            view.to = view.from + about;
          }
          return {draw};
        }
        /// Calls `chosen` with both ends of a drag and `clicked` where there was none.
        function dragged(canvas, moment, chosen, clicked, redraw) {
          let start = null;
          canvas.addEventListener("pointerdown", (event) => {
            if (event.button) return;
            start = moment(event);
            canvas.setPointerCapture(event.pointerId);
          });
          canvas.addEventListener("pointermove", (event) => {
            if (!start) return;
            const at = moment(event);
            if (Math.abs(at.x - start.x) < 5) return;
            redraw();
            const pen = canvas.getContext("2d");
            pen.globalAlpha = 0.2;
            pen.fillStyle = colour("accent");
            pen.fillRect(start.x, 0, at.x - start.x, canvas.height);
            pen.globalAlpha = 1;
          });
          canvas.addEventListener("pointerup", (event) => {
            if (!start) return;
            const ends = [start, moment(event)];
            start = null;
            if (Math.abs(ends[0].x - ends[1].x) < 5) return clicked(ends[1]);
            ends.sort((left, right) => left.x - right.x);
            chosen(ends[0], ends[1]);
          });
          canvas.addEventListener("pointercancel", () => {
            start = null;
            redraw();
          });
        }
        /// The record whose way is nearest to a point, within a finger's width.
        function nearest(drawn, at) {
          let best = null;
          let least = 24;
          for (const record of drawn.inside) {
            const {points} = drawn.way(record);
            for (let end = 1; end < points.length; end += 1) {
              const far = distance(at, points[end - 1], points[end]);
              if (far < least) [best, least] = [record, far];
            }
          }
          return best;
        }
        function distance(at, [x1, y1], [x2, y2]) {
          const [dx, dy] = [x2 - x1, y2 - y1];
          const length = dx * dx + dy * dy;
          const share = length ? ((at.x - x1) * dx + (at.y - y1) * dy) / length : 0;
          const near = Math.min(1, Math.max(0, share));
          return Math.hypot(at.x - x1 - near * dx, at.y - y1 - near * dy);
        }

        """#
}
