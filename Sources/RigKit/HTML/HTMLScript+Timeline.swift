extension HTMLScript {
    /// Every record as a bar from when it was due until it was known to be applied.
    static let timelineDrawing = #"""
        /// Columns of numbers in base 36, of microseconds, as records.
        function readRecords() {
          const texts = data.records;
          const column = (text) => text === "" ? [] : text.split(",");
          const number = (text) => text === undefined || text === "" ? null : parseInt(text, 36);
          const due = column(texts.due);
          const moments = texts.moments.map(column);
          const [names, kinds, latency] = [texts.names, texts.kinds, texts.latency].map(column);
          const last = {};
          let at = 0;
          return due.map((step, place) => {
            at += number(step);
            const [prefix, count] = names[place].split(":").map(number);
            if (count !== null) last[prefix] = (last[prefix] || 0) + count;
            const kind = number(kinds[place]);
            const since = moments.map((one) => number(one[place]));
            const known = since.filter((us) => us !== null);
            return {
              name: texts.prefixes[prefix] + (count === null ? "" : last[prefix]),
              series: kind >> 3, outcome: kind & 7, due: at,
              accepted: since[0], sent: since[1], delivered: since[2], visible: since[3],
              durable: since[4], applied: since[5], latency: number(latency[place]),
              end: at + Math.max(0, ...known), row: 0,
            };
          });
        }
        /// Where each stage ends, in microseconds after the record was due.
        function stageEnds(record) {
          const committed = record.durable === null ? record.visible : record.durable;
          return [record.sent, record.delivered, committed, record.applied];
        }
        /// 3 and 4 are lost and delivered twice: what nobody wants to miss.
        function isTrouble(record) { return record.outcome === 2 || record.outcome === 3; }

        const rowsPerLane = 8;
        /// Rows of a lane, so that records which overlap stand below each other where they can.
        function placeRows(records, count) {
          const free = Array.from({length: count}, () => new Array(rowsPerLane).fill(-1));
          for (const record of records) {
            const ends = free[record.series];
            let row = ends.findIndex((end) => end <= record.due);
            if (row < 0) row = ends.indexOf(Math.min(...ends));
            record.row = row;
            ends[row] = record.end;
          }
        }
        function colours() {
          const style = getComputedStyle(document.documentElement);
          return (name) => style.getPropertyValue("--" + name).trim();
        }

        /// Draws lanes and face between `view.from` and `view.to` on the canvas.
        function drawLanes(canvas, records, view, picked) {
          const colour = colours();
          const pen = canvas.getContext("2d");
          const scale = window.devicePixelRatio || 1;
          canvas.width = Math.round(view.width * scale);
          canvas.height = Math.round(view.height * scale);
          pen.setTransform(scale, 0, 0, scale, 0, 0);
          pen.font = "12px system-ui, sans-serif";
          const x = (us) =>
            view.left + (us - view.from) / (view.to - view.from) * (view.right - view.left);
          drawTimes(pen, view, x, colour);
          data.series.forEach((series, place) => {
            pen.fillStyle = colour("quiet");
            pen.fillText(`${series.name}${series.isFromWatch ? ", from the watch" : ""}`,
              view.left, view.lanes[place] - 5);
            pen.fillStyle = colour("line");
            pen.fillRect(view.left, view.lanes[place] + view.laneHeight, view.right - view.left, 1);
          });
          pen.save();
          pen.beginPath();
          pen.rect(view.left, 0, view.right - view.left, view.height);
          pen.clip();
          const fills = [0, 1, 2, 3].map((stage) => colour("t" + stage));
          const step = view.laneHeight / rowsPerLane;
          for (const record of records) {
            if (record.end < view.from || record.due > view.to) continue;
            const y = view.lanes[record.series] + record.row * step;
            let start = 0;
            stageEnds(record).forEach((end, stage) => {
              if (end === null) return;
              const from = x(record.due + start);
              // Whatever is too short to see is a mark all the same.
              const width = Math.max(stage ? 0.4 : 1, x(record.due + end) - from);
              pen.fillStyle = fills[stage];
              pen.fillRect(from, y, width, step - 1);
              start = Math.max(start, end);
            });
            if (start === 0) {
              pen.fillStyle = colour("few");
              pen.fillRect(x(record.due), y, 1, step - 1);
            }
            if (isTrouble(record)) drawTrouble(pen, x(record.due), view, record, colour);
          }
          drawFace(pen, view, x, colour);
          if (picked) {
            pen.strokeStyle = colour("ink");
            pen.lineWidth = 2;
            const y = view.lanes[picked.series] + picked.row * step;
            const width = Math.max(4, x(picked.end) - x(picked.due));
            pen.strokeRect(x(picked.due) - 2, y - 2, width + 4, step + 3);
          }
          pen.restore();
        }
        /// A cross and a line through its lane.
        function drawTrouble(pen, x, view, record, colour) {
          const top = view.lanes[record.series];
          pen.strokeStyle = colour("fail");
          pen.lineWidth = 1.5;
          pen.beginPath();
          pen.moveTo(x, top);
          pen.lineTo(x, top + view.laneHeight);
          for (const side of [-1, 1]) {
            pen.moveTo(x - 4, top + 5 - 4 * side);
            pen.lineTo(x + 4, top + 5 + 4 * side);
          }
          pen.stroke();
        }
        function drawTimes(pen, view, x, colour) {
          const step = niceStep((view.to - view.from) / 1e6, (view.right - view.left) / 110);
          const first = Math.ceil(view.from / 1e6 / step);
          for (let at = first; at * step <= view.to / 1e6; at += 1) {
            const place = x(at * step * 1e6);
            pen.fillStyle = colour("faint");
            pen.fillRect(place, 0, 1, view.height - 18);
            pen.fillStyle = colour("quiet");
            const text = short(at * step) + " s";
            const width = pen.measureText(text).width;
            pen.fillText(text, Math.min(view.right - width, place - width / 2), view.height - 4);
          }
        }
        /// What the face showed: outdated values are hatched, and say so where there is room.
        function drawFace(pen, view, x, colour) {
          if (!data.face.length) return;
          pen.fillStyle = colour("quiet");
          pen.fillText("shown by the face", view.left, view.face - 5);
          for (const [name, , outdated, shown, replaced] of data.face) {
            if (replaced < view.from || shown > view.to) continue;
            const [from, to] = [x(shown), x(replaced)];
            const width = Math.max(0.5, to - from - 1);
            pen.fillStyle = colour("faint");
            pen.fillRect(from, view.face, width, 20);
            if (outdated !== null && outdated < replaced) {
              const turn = x(Math.max(shown, outdated));
              pen.fillStyle = colour("fail");
              pen.fillRect(turn, view.face + 16, Math.max(1, to - turn - 1), 4);
              if (to - turn > 46) pen.fillText("STALE", turn + 4, view.face + 13);
            }
            const visible = Math.max(from, view.left) + 5;
            if (to - visible > pen.measureText(name).width + 60) {
              pen.fillStyle = colour("ink");
              pen.fillText(name, visible, view.face + 13);
            }
          }
        }

        """#
}
