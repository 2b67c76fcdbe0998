/// The script of a page, in plain JavaScript (ECMAScript 2020).
enum HTMLScript {
    /// The text between its tags. An error is shown in the page, where the tables still are.
    static let text =
        "\n\"use strict\";\n(() => {\ntry {\n"
        + [
            base, charts, overTime, records, packets, timelineDrawing, timelinePanel, packetPanel,
            timelineControls, start,
        ].joined()
            + """
            } catch (error) {
              const place = document.getElementById("trouble");
              place.hidden = false;
              place.textContent = "The pictures could not be drawn: " + error;
              throw error;
            }
            })();

            """

    private static let start = """
        function drawAll() {
          drawPercentiles();
          drawIntervals();
          drawStages();
          drawAge();
          timeline.draw();
        }
        document.documentElement.classList.add("scripted");
        const timeline = makeTimeline();
        drawAll();
        let drawnWidth = document.body.clientWidth;
        window.addEventListener("resize", () => {
          if (document.body.clientWidth === drawnWidth) return;
          drawnWidth = document.body.clientWidth;
          drawAll();
        });
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
        const copy = document.getElementById("copy");
        copy.addEventListener("click", () => {
          const command = document.getElementById("command");
          const range = document.createRange();
          range.selectNodeContents(command);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          // The clipboard of pages that are files is not everywhere to be had.
          copy.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl-C";
        });
        document.documentElement.dataset.drawn = "yes";

        """
}
