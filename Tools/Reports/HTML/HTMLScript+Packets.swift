extension HTMLScript {
    /// The columns of packets, read; how they are drawn, and found again by a click.
    static let packets = #"""
        /// Packets in the order they were sent, in microseconds since the run began.
        function readPackets() {
          const source = data.packets;
          if (!source || source.look === "") return [];
          const [looks, sents, numbers, bytes, airs, carried] =
            ["look", "sent", "number", "bytes", "air", "records"].map((name) =>
              source[name].split(","));
          const next = {};
          let sent = 0;
          let last = 0;
          return looks.map((look, place) => {
            const [code, session, frames] = source.looks[parseInt(look, 36)];
            const isUp = (code & 1) === 1;
            const way = isUp + " " + session;
            sent += parseInt(sents[place], 36);
            const number = (next[way] || 0) + (parseInt(numbers[place], 36) || 0);
            next[way] = number + 1;
            const [own, others] = carried[place].split("+");
            const records = own === "" ? [] : own.split(".").map((step) => {
              last += parseInt(step, 36);
              return allRecords[last];
            });
            const air = airs[place] === "" ? null : parseInt(airs[place], 36);
            return {
              place, isUp, session, frames, number, sent, air, records, end: sent + (air || 0),
              isRepeated: (code & 2) === 2, fate: code >> 2, bytes: parseInt(bytes[place], 36),
              others: others ? parseInt(others, 36) : 0, times: source.twice[place] || 1,
            };
          });
        }
        const allPackets = readPackets();
        const packetsOf = new Map();
        for (const packet of allPackets) {
          for (const record of packet.records) {
            if (!packetsOf.has(record)) packetsOf.set(record, []);
            packetsOf.get(record).push(packet);
          }
        }
        const packetRoom = allPackets.length ? 112 : 0;
        function packetName(packet) {
          return `packet ${packet.number}`;
        }
        /// Whether a packet never came. FEC may have recovered its frames.
        function isGone(packet) { return packet.fate === 1 || packet.fate === 3; }

        /// The points at which a packet is drawn: its tick, and its way to the other line. The
        /// way of a packet that never came ends early.
        function packetPlace(packet, x, rows) {
          const down = packet.isUp ? -1 : 1;
          const [here, there] = packet.isUp
            ? [rows.received, rows.sends] : [rows.sends, rows.received];
          const at = x(packet.sent);
          const end = packet.fate === 0 ? [x(packet.end), there]
            : [at + 5, here + down * 20];
          return {tick: [[at, here - down * 10], [at, here]], way: [[at, here], end],
            restored: packet.fate === 3 ? [end, [x(packet.end), there]] : null};
        }
        function drawPackets(pen, x, rows, view, paints, picked) {
          const inside = allPackets.filter((packet) =>
            packet.sent <= view.to && packet.end >= view.from);
          const isFine = inside.length <= 700;
          const soft = colour("soft");
          const paint = (packet) => packet.records.length
            ? paints[packet.records[0].series] : soft;
          const groups = new Map();
          for (const packet of inside) {
            const place = packetPlace(packet, x, rows);
            const kind = paint(packet);
            if (!groups.has(kind)) groups.set(kind, []);
            groups.get(kind).push(place.tick);
            if (isFine && packet.fate !== 2) {
              pen.globalAlpha = 0.7;
              stroke(pen, kind, 1, place.way);
              if (place.restored) {
                pen.setLineDash([2, 3]);
                stroke(pen, kind, 1, place.restored);
                pen.setLineDash([]);
              }
            }
          }
          pen.globalAlpha = isFine ? 1 : Math.max(0.25, Math.min(0.9, 1200 / inside.length));
          for (const [kind, ticks] of groups) {
            pen.strokeStyle = kind;
            pen.lineWidth = isFine ? 2 : 1;
            pen.beginPath();
            for (const [[x1, y1], [x2, y2]] of ticks) {
              pen.moveTo(x1, y1);
              pen.lineTo(x2, y2);
            }
            pen.stroke();
          }
          pen.globalAlpha = 1;
          for (const packet of inside) {
            const {tick, way} = packetPlace(packet, x, rows);
            if (packet.isRepeated) drawRing(pen, tick[0], packet.isUp ? 5 : -5);
            if (isGone(packet)) drawCross(pen, way[1][0], way[1][1], inside.length > 700 ? 2.5 : 4);
          }
          if (inside.includes(picked)) drawPicked(pen, packetPlace(picked, x, rows), picked);
          return {packets: inside, isFine, place: (packet) => packetPlace(packet, x, rows)};
        }
        function drawRing(pen, [x, y], away) {
          pen.strokeStyle = colour("ink");
          pen.lineWidth = 1.4;
          pen.beginPath();
          pen.arc(x, y + away, 3.2, 0, 7);
          pen.stroke();
        }
        function drawPicked(pen, place, packet) {
          const ink = colour("ink");
          stroke(pen, ink, 4, place.tick);
          stroke(pen, ink, 2.5, place.way);
          if (place.restored) stroke(pen, ink, 1.5, place.restored);
          if (isGone(packet)) drawCross(pen, place.way[1][0], place.way[1][1], 5);
          pen.fillStyle = ink;
          for (const [x, y] of packet.fate === 0 ? place.way : [place.way[0]]) {
            pen.beginPath();
            pen.arc(x, y, 3.5, 0, 7);
            pen.fill();
          }
        }
        /// The packet nearest to a point, within a finger's width.
        function nearestPacket(drawn, at) {
          let best = null;
          let least = 24;
          for (const packet of drawn.packets) {
            const place = drawn.place(packet);
            const lines = drawn.isFine ? [place.tick, place.way] : [place.tick];
            if (isGone(packet)) lines.push([place.way[1], place.way[1]]);
            for (const [from, to] of lines) {
              const far = distance(at, from, to);
              if (far < least) [best, least] = [packet, far];
            }
          }
          return best;
        }

        """#
}
