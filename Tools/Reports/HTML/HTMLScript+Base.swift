extension HTMLScript {
    /// Elements, figures and scales.
    static let base = #"""
        const data = JSON.parse(document.getElementById("data").textContent);
        const svgSpace = document.getElementById("blank").namespaceURI;

        function put(parent, node, attributes, text) {
          for (const name in attributes) node.setAttribute(name, attributes[name]);
          if (text !== undefined) node.textContent = text;
          parent.appendChild(node);
          return node;
        }
        function svg(parent, tag, attributes, text) {
          return put(parent, document.createElementNS(svgSpace, tag), attributes, text);
        }
        function html(parent, tag, attributes, text) {
          return put(parent, document.createElement(tag), attributes, text);
        }
        /// Three significant digits or so, as in the tables: a nanosecond is 0.000001 ms.
        function digits(value) {
          const size = Math.abs(value);
          if (size > 0 && size < 0.0005) return value.toFixed(6).replace(/0+$/, "");
          return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
        }
        function milliseconds(ns) { return digits(ns / 1e6) + " ms"; }
        /// A value of an axis, in the unit that needs the fewest digits.
        function tick(ns) {
          const [size, unit] = ns >= 1e9 ? [1e9, " s"] : ns >= 1e6 ? [1e6, " ms"]
            : ns >= 1e3 ? [1e3, " \u00b5s"] : [1, " ns"];
          return short(ns / size) + unit;
        }
        function short(number) { return String(Number(number.toPrecision(6))); }

        /// An empty picture with a frame for axes; the old one is taken away.
        function plot(parent, label, height, margins) {
          const width = Math.max(280, parent.clientWidth);
          const frame = Object.assign({left: 62, right: 14, top: 12, bottom: 26}, margins);
          const root = svg(parent, "svg", {
            viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label,
          });
          return {
            root, width, height,
            left: frame.left, right: width - frame.right,
            top: frame.top, bottom: height - frame.bottom,
          };
        }
        function clear(parent) { while (parent.firstChild) parent.removeChild(parent.firstChild); }
        function picture(id) { return document.getElementById(id); }

        /// Latencies span decades: a logarithmic axis from a decade below to one above.
        function logScale(chart, least, most) {
          let low = Math.floor(Math.log10(Math.max(least, 1)));
          let high = Math.ceil(Math.log10(Math.max(most, least, 10)));
          if (high === low) high += 1;
          const place = (ns) => chart.bottom
            - (Math.log10(Math.max(ns, 1)) - low) / (high - low)
              * (chart.bottom - chart.top);
          const rows = (chart.bottom - chart.top) / (high - low);
          for (let decade = low; decade <= high; decade += 1) {
            for (const step of rows > 90 ? [1, 2, 5] : [1]) {
              const ns = step * 10 ** decade;
              if (ns > 10 ** high) continue;
              const y = place(ns);
              svg(chart.root, "line", {
                x1: chart.left, x2: chart.right, y1: y, y2: y,
                class: step === 1 ? "grid strong" : "grid",
              });
              if (rows < 13 && (decade - low) % 2) continue;
              svg(chart.root, "text", {
                x: chart.left - 6, y: y + 4, class: "axis end",
              }, tick(ns));
            }
          }
          return place;
        }
        /// Steps of 1, 2 or 5 so that about `count` fit.
        function niceStep(length, count) {
          const rough = length / Math.max(1, count);
          const power = 10 ** Math.floor(Math.log10(rough));
          return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough);
        }
        function linearScale(chart, least, most, unit) {
          const length = Math.max(most - least, 1e-6);
          const place = (value) =>
            chart.left + (value - least) / length * (chart.right - chart.left);
          const step = niceStep(length, (chart.right - chart.left) / 90);
          for (let at = Math.ceil(least / step) * step; at <= most + step / 1e6; at += step) {
            const x = place(at);
            svg(chart.root, "line", {
              x1: x, x2: x, y1: chart.top, y2: chart.bottom, class: "grid",
            });
            const isLast = x > chart.right - 16;
            svg(chart.root, "text", {
              x: isLast ? chart.right : x, y: chart.bottom + 16,
              class: isLast ? "axis end" : "axis middle",
            }, short(at) + unit);
          }
          return place;
        }
        function line(points) {
          return points.map(([x, y], place) =>
            (place ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("");
        }

        """#
}
