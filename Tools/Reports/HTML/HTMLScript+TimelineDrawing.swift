extension HTMLScript {
    /// How the timeline is drawn, on canvases: a run has thousands of records.
    static let timelineDrawing = #"""
        function colour(name) {
          return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
        }
        function seriesColour(series) {
          return colour(look(data.series[series].name).split(" ")[0]);
        }
        /// A clean canvas with one unit per pixel of the page, however fine the screen is.
        function surface(canvas, height) {
          const width = Math.max(260, canvas.parentNode.clientWidth);
          const fine = window.devicePixelRatio || 1;
          canvas.width = Math.round(width * fine);
          canvas.height = Math.round(height * fine);
          canvas.style.height = height + "px";
          const pen = canvas.getContext("2d");
          pen.setTransform(fine, 0, 0, fine, 0, 0);
          pen.font = "11.5px system-ui, 'DejaVu Sans', sans-serif";
          return {pen, width, height, left: leftOf(width), right: width - 14};
        }
        function leftOf(width) { return width < 500 ? 52 : 62; }
        function stroke(pen, paint, wide, points) {
          pen.strokeStyle = paint;
          pen.lineWidth = wide;
          pen.beginPath();
          points.forEach(([x, y], place) => place ? pen.lineTo(x, y) : pen.moveTo(x, y));
          pen.stroke();
        }
        function write(area, text, x, y, align, paint) {
          area.pen.fillStyle = paint || colour("soft");
          area.pen.textAlign = align;
          area.pen.fillText(text, x, y);
        }

        /// Latency of each record by when it was due, over the whole run, with the window.
        function drawOverview(canvas, records, view) {
          const area = surface(canvas, 100);
          const {pen, left, right} = area;
          const [top, bottom] = [8, 78];
          const paints = data.series.map((series, place) => seriesColour(place));
          const timed = records.filter((record) => record.latency !== null);
          const most = timed.reduce((value, record) => Math.max(value, record.latency), 1e4);
          const least = timed.reduce((value, record) => Math.min(value, record.latency), most);
          const low = Math.floor(Math.log10(Math.max(least, 1)));
          const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
          const y = (ns) => bottom
            - (Math.log10(Math.max(ns, 1)) - low) / (high - low) * (bottom - top);
          const x = (moment) =>
            left + (moment - view.first) / (view.last - view.first) * (right - left);
          pen.fillStyle = colour("hover");
          pen.fillRect(x(view.from), top - 6, x(view.to) - x(view.from), bottom - top + 12);
          const each = high - low > 4 ? 2 : 1;
          for (let decade = low; decade <= high; decade += each) {
            const at = y(10 ** decade);
            stroke(pen, colour("gridstrong"), 1, [[left, at], [right, at]]);
            write(area, tick(10 ** decade), left - 6, at + 4, "right");
          }
          const size = timed.length > 5000 ? 1.4 : timed.length > 600 ? 2
            : timed.length > 60 ? 3 : 6;
          pen.globalAlpha = timed.length > 5000 ? 0.5 : 0.75;
          for (const record of timed) {
            pen.fillStyle = paints[record.series];
            pen.fillRect(x(record.due) - size / 2, y(record.latency) - size / 2, size, size);
          }
          pen.globalAlpha = 1;
          for (const record of records) {
            if (isTrouble(record)) drawCross(pen, x(record.due), top + 2, 3);
          }
          pen.strokeStyle = colour("accent");
          pen.lineWidth = 1.5;
          const wide = Math.max(3, x(view.to) - x(view.from));
          pen.strokeRect(x(view.from), top - 6, wide, bottom - top + 12);
          drawSeconds(area, view.first, view.last, bottom + 19, null);
        }
        /// Lost, or delivered twice.
        function isTrouble(record) { return record.outcome === 2 || record.outcome === 3; }
        function drawCross(pen, x, y, size) {
          stroke(pen, colour("fail"), 2, [[x - size, y - size], [x + size, y + size]]);
          stroke(pen, colour("fail"), 2, [[x - size, y + size], [x + size, y - size]]);
        }
        function drawSeconds(area, from, to, y, lines) {
          const {pen, left, right} = area;
          const step = niceStep((to - from) / 1e6, (right - left) / 95);
          const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
          const first = Math.ceil(from / 1e6 / step - 1e-9);
          for (let tick = first; tick * step <= to / 1e6 + step / 1e6; tick += 1) {
            const x = left + (tick * step * 1e6 - from) / (to - from) * (right - left);
            if (lines) stroke(pen, colour("grid"), 1, [[x, lines[0]], [x, lines[1]]]);
            const isLast = x > right - 24;
            write(area, (tick * step).toFixed(decimals) + " s", isLast ? right : x, y,
              isLast ? "right" : "center");
          }
        }

        /// Two time lines, phone above watch, and each record on its way between them; below, in
        /// the same way, each packet.
        function drawWays(canvas, records, view, chosen, picked) {
          const area = surface(canvas, (face.length ? 252 : 216) + packetRoom);
          const {pen, left, right} = area;
          const rows = {phone: 26, watch: 186, sends: 222, received: 282, face: 204 + packetRoom};
          const scale = (right - left) / (view.to - view.from);
          const x = (moment) => left + (moment - view.from) * scale;
          drawSeconds(area, view.from, view.to, area.height - 6, [8, area.height - 22]);
          const inside = records.filter((record) =>
            record.due <= view.to && endOf(record) >= view.from);
          pen.save();
          pen.beginPath();
          pen.rect(left, 0, right - left, area.height);
          pen.clip();
          const paints = data.series.map((series, place) => seriesColour(place));
          const isFine = inside.length <= 400;
          pen.globalAlpha = isFine ? 0.9 : Math.max(0.12, Math.min(0.9, 500 / inside.length));
          for (const record of inside) {
            if (record !== chosen) drawWay(pen, record, wayOf(record, x, rows), isFine, paints);
          }
          pen.globalAlpha = 1;
          if (face.length) drawFace(pen, x, rows.face, view);
          if (!picked && inside.includes(chosen)) {
            drawChosen(pen, wayOf(chosen, x, rows), chosen, paints, rows);
          }
          const below = drawPackets(pen, x, rows, view, paints, picked);
          pen.restore();
          const lines = {phone: "phone", watch: "watch"};
          if (allPackets.length) Object.assign(lines, {sends: "phone", received: "watch"});
          for (const name in lines) {
            stroke(pen, colour("soft"), 1.5, [[left, rows[name]], [right, rows[name]]]);
            write(area, lines[name], left - 6, rows[name] + 4, "right", colour("ink"));
          }
          if (allPackets.length) {
            write(area, "packets", left - 6, (rows.sends + rows.received) / 2 + 4, "right");
          }
          if (face.length) {
            write(area, "face", left - 6, rows.face + 14, "right", colour("ink"));
          }
          return {inside, way: (record) => wayOf(record, x, rows), ...below,
            packetTop: allPackets.length ? (rows.watch + rows.sends) / 2 - 4 : Infinity};
        }
        function endOf(record) {
          return Math.max(record.due, record.sent, record.delivered, record.reached,
            record.applied);
        }
        /// Corners of a record's way: due, sent, come, reached; without the last two it ends.
        function wayOf(record, x, rows) {
          const isUp = data.series[record.series].isFromWatch;
          const [here, there] = isUp ? [rows.watch, rows.phone] : [rows.phone, rows.watch];
          const points = [[x(record.due), here]];
          if (record.sent !== null) points.push([x(record.sent), here]);
          if (record.delivered !== null) {
            points.push([x(record.delivered), there]);
            if (record.reached !== null) points.push([x(record.reached), there]);
          } else {
            const [at, y] = points[points.length - 1];
            points.push([at + 10, y + (there - y) * 0.3]);
          }
          const heard = record.applied === null || record.delivered === null ? null
            : [x(record.applied), here];
          return {points, heard};
        }
        function drawWay(pen, record, way, isFine, paints) {
          const paint = paints[record.series];
          stroke(pen, paint, isFine ? 1.5 : 1, way.points);
          if (isFine && way.heard) {
            pen.setLineDash([2, 4]);
            stroke(pen, paint, 1, [way.points[way.points.length - 1], way.heard]);
            pen.setLineDash([]);
          }
          if (record.delivered !== null && record.outcome !== 3) return;
          const [x, y] = way.points[way.points.length - 1];
          if (isTrouble(record)) {
            drawCross(pen, x, y, 4);
          } else if (isFine) {
            pen.fillStyle = colour("card");
            pen.beginPath();
            pen.arc(x, y, 3, 0, 7);
            pen.fill();
            pen.stroke();
          }
        }
        function drawChosen(pen, way, record, paints, rows) {
          const all = way.heard ? way.points.concat([way.heard]) : way.points;
          stroke(pen, colour("card"), 8, way.points);
          stroke(pen, colour("ink"), 5, way.points);
          stroke(pen, paints[record.series], 2.5, way.points);
          if (way.heard) {
            pen.setLineDash([3, 3]);
            stroke(pen, colour("ink"), 1.5, all.slice(-2));
            pen.setLineDash([]);
          }
          for (const [x, y] of all) {
            pen.fillStyle = colour("ink");
            pen.beginPath();
            pen.arc(x, y, 3.5, 0, 7);
            pen.fill();
          }
        }
        function drawFace(pen, x, top, view) {
          for (const {name, turn, shown, replaced} of face) {
            if (shown > view.to || replaced < view.from) continue;
            const parts = [[shown, turn, "s0", name], [turn, replaced, "stale", "STALE"]];
            for (const [from, to, paint, text] of parts) {
              if (to <= from) continue;
              const [start, end] = [Math.max(x(from), x(view.from)), Math.min(x(to), x(view.to))];
              const wide = Math.max(0.5, end - start - (end - start > 4 ? 1 : 0));
              pen.fillStyle = colour(paint);
              // A stale value is drawn lower, as well as in another colour.
              const isStale = paint === "stale";
              pen.globalAlpha = isStale ? 1 : 0.28;
              pen.fillRect(start, isStale ? top + 8 : top, wide, isStale ? 12 : 20);
              pen.globalAlpha = 1;
              if (isStale || pen.measureText(text).width + 10 > wide) continue;
              pen.fillStyle = colour("ink");
              pen.textAlign = "left";
              pen.fillText(text, start + 5, top + 14);
            }
          }
        }

        """#
}
