extension HTMLScript {
    /// The text of the timeline: its legend, and the record that was clicked.
    static let timelinePanel = #"""
        function drawSeriesLegend(parent) {
          const list = html(parent, "div", {class: "legend"});
          const item = (text, drawing) => {
            const node = html(list, "span", {class: "item"});
            const sample = svg(node, "svg", {width: 26, height: 12, "aria-hidden": "true"});
            for (const [d, kind] of drawing) svg(sample, "path", {d, class: kind});
            html(node, "span", {}, text);
          };
          for (const {name, isFromWatch} of data.series) {
            const way = isFromWatch ? "M2 11L24 1" : "M2 1L24 11";
            item(name, [[way, `curve ${look(name).split(" ")[0]}`]]);
          }
          item("the sender hears of it", [["M2 6L24 6", "heard"]]);
          item("lost or twice", [["M8 1L18 11M8 11L18 1", "lost"]]);
          drawPacketLegend(item);
          if (!face.length) return;
          item("face up to date", [["M1 1L25 1L25 11L1 11Z", "age"]]);
          item("face out of date", [["M1 5L25 5L25 11L1 11Z", "stale"]]);
        }
        /// The chosen record: what became of it, its moments, its stages.
        function tell(panel, record) {
          clear(panel);
          delete panel.dataset.packet;
          panel.dataset.record = record.name;
          const head = html(panel, "div", {});
          html(head, "strong", {}, record.name);
          const series = data.series[record.series];
          const way = series.isFromWatch ? "watch to phone" : "phone to watch";
          html(head, "span", {}, `, ${series.name}, ${way}: ${data.outcomes[record.outcome]}`);
          const figures = html(panel, "div", {class: "figures"});
          const figure = (name, text) => {
            const item = html(figures, "div", {});
            html(item, "span", {}, name + " ");
            html(item, "b", {"data-figure": name}, text);
          };
          figure("due", (record.due / 1e6).toFixed(4) + " s");
          if (record.latency !== null) figure("latency", milliseconds(record.latency));
          const stages = stagesOf(record);
          stages.forEach((length, place) => {
            if (length === null && record.delivered === null) return;
            figure(stageNames[place], length === null ? "not known" : milliseconds(length * 1000));
          });
          const sum = stages.reduce((total, length) => total + (length || 0), 0);
          if (!sum) return;
          const width = Math.min(560, Math.max(200, panel.clientWidth - 26));
          const bar = svg(panel, "svg", {
            width, height: 12, role: "img", "aria-label": "The stages, one after another",
          });
          let start = 0;
          stages.forEach((length, place) => {
            if (!length) return;
            const part = length / sum * width;
            const rect = svg(bar, "rect", {
              x: start, y: 0, width: Math.max(0.5, part), height: 12, class: "stage t" + place,
            });
            svg(rect, "title", {}, `${stageNames[place]} ${milliseconds(length * 1000)}`);
            start += part;
          });
        }
        /// The rows of the slowest records lead to them.
        function linkSlowest(slow, show) {
          const rows = document.querySelectorAll("#table-slowest tbody tr");
          rows.forEach((row, place) => {
            const record = slow[place];
            const cell = row.querySelector(".record");
            if (!record || !cell || cell.textContent !== record.name) return;
            clear(cell);
            html(cell, "button", {type: "button", title: "Show it in the timeline"}, record.name)
              .addEventListener("click", () => show(record));
          });
        }

        """#
}
