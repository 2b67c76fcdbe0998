extension HTMLScript {
    /// The text of the timeline about a packet.
    static let packetPanel = #"""
        /// The chosen packet: its number, what is in it, what became of it.
        function tellPacket(panel, packet, show) {
          clear(panel);
          delete panel.dataset.record;
          const sender = packet.isUp ? "watch" : "phone";
          panel.dataset.packet = `${sender} ${packet.session} ${packet.number}`;
          const head = html(panel, "div", {});
          html(head, "strong", {}, packetName(packet));
          const way = packet.isUp ? "watch to phone" : "phone to watch";
          const again = packet.isRepeated ? "; it repeats what an earlier packet held" : "";
          html(head, "span", {},
            `, ${way}, ${packet.frames}: ${data.packets.fates[packet.fate]}${again}`);
          const figures = html(panel, "div", {class: "figures"});
          const figure = (name, text) => {
            const item = html(figures, "div", {});
            html(item, "span", {}, name + " ");
            html(item, "b", {"data-figure": name}, text);
          };
          figure("session", packet.session);
          figure("bytes", packet.bytes + " B");
          figure("sent", (packet.sent / 1e6).toFixed(4) + " s");
          // A repetition has waited for more than its turn.
          if (packet.records.length && !packet.isRepeated) {
            const due = Math.min(...packet.records.map((record) => record.due));
            figure("queued", milliseconds(Math.max(0, packet.sent - due) * 1000));
          }
          if (packet.fate === 3) figure("put together after", milliseconds(packet.air * 1000));
          else figure("air", packet.air === null ? data.packets.fates[packet.fate]
            : milliseconds(packet.air * 1000));
          if (packet.times > 1) figure("came", packet.times + " times");
          const count = packet.records.length + packet.others;
          if (!count) return;
          const list = html(panel, "div", {class: "tools"});
          const many = count === 1 ? "Its record:" : `Its ${count} records:`;
          html(list, "span", {class: "small"}, many);
          for (const record of packet.records.slice(0, 8)) {
            html(list, "button", {type: "button", class: "carried"}, record.name)
              .addEventListener("click", () => show(record));
          }
          const rest = count - Math.min(8, packet.records.length);
          if (rest) {
            html(list, "span", {class: "small"}, packet.records.length
              ? `and ${rest} more` : "not among those drawn");
          }
        }
        /// The packets that a chosen record left in.
        function linkPackets(panel, record, pick) {
          const packets = packetsOf.get(record) || [];
          if (!packets.length) return;
          const list = html(panel, "div", {class: "tools"});
          const many = packets.length === 1 ? "Its packet:" : "Its packets:";
          html(list, "span", {class: "small"}, many);
          for (const packet of packets.slice(0, 8)) {
            const fate = packet.fate === 0 ? "" : ", " + data.packets.fates[packet.fate];
            html(list, "button", {type: "button", class: "carrier"},
              `${packet.number}, ${packet.bytes} B${fate}`)
              .addEventListener("click", () => pick(packet));
          }
          if (packets.length > 8) {
            html(list, "span", {class: "small"}, `and ${packets.length - 8} more`);
          }
        }
        function drawPacketLegend(item) {
          if (!allPackets.length) return;
          item("a packet", [["M13 1L13 11", "heard solid"]]);
          item("packet lost", [["M8 1L18 11M8 11L18 1", "lost"]]);
          if (!allPackets.some((packet) => packet.isRepeated)) return;
          item("it repeats a record", [["M9 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "ring"]]);
        }

        """#
}
