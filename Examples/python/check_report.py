#!/usr/bin/env python3
"""Opens a run's report.html in headless Chromium, and compares what it shows with results.json.

    python3 Examples/python/check_report.py out/run1

Looked at: the page draws its pictures without an error and asks nothing of any network; every
figure of its table and every dot of its percentiles is that of results.json; dragging zooms, a
click tells of a record, a series can be hidden; it is dark where that is preferred, and fits 360
pixels. Exit code 0: all is so; 1: something is not; 69: no Chromium was found.

Only Python's own library is used: the browser is driven over two pipes (Chrome DevTools Protocol,
`--remote-debugging-pipe`: JSON that ends with a zero byte, read from descriptor 3, written to 4).
"""

import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
MOST_SECONDS = 60


class Browser:
    """One page of a browser of its own."""

    def __init__(self, program, profile):
        down, own_end = os.pipe()
        other_end, up = os.pipe()
        self.writing, self.reading = own_end, other_end

        def place_pipes():
            # Above 4 first: either could be 3 or 4 itself.
            high = [os.dup(end) for end in (down, up)]
            high = [os.dup(end) if end < 5 else end for end in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", "--window-size=1280,1000", "--user-data-dir=" + profile],
            preexec_fn=place_pipes, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.deadline = time.monotonic() + MOST_SECONDS
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.reading], [], [], left)[0]:
                raise RuntimeError("the browser does not answer within %d s" % MOST_SECONDS)
            more = os.read(self.reading, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def evaluate(self, expression):
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(expression + ": " + found["exceptionDetails"]["text"])
        return found["result"].get("value")

    def wait(self, expression):
        """Waits for what is true within five seconds; returns whether it was."""
        for _ in range(100):
            if self.evaluate(expression):
                return True
            time.sleep(0.05)
        return False

    def mouse(self, kind, x, y, buttons=1):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button="left",
                  buttons=buttons, clickCount=1)

    def end(self):
        # Chromium has children: its session is a process group of its own.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.writing)
        os.close(self.reading)


def complaints(browser, page, results):
    """What is not as it should be, a line each."""
    browser.call("Page.navigate", url=page.as_uri())
    if not browser.wait("document.readyState === 'complete'"):
        yield "the page does not load"
    if not browser.wait("document.documentElement.dataset.drawn === 'yes'"):
        yield "the pictures were not drawn"
        yield from silence(browser, page)
        return
    trouble = browser.evaluate("document.getElementById('trouble')?.textContent ?? 'no page'")
    if trouble:
        yield trouble
    yield from figures(browser, results)
    if browser.evaluate("document.getElementById('lanes') !== null"):
        yield from timeline(browser)
    yield from legend(browser)
    yield from looks(browser)
    yield from silence(browser, page)


def figures(browser, results):
    """Tables and dots against results.json."""
    rows = browser.evaluate("""[...document.querySelectorAll('#table-percentiles tbody tr')].map(
        (row) => [...row.cells].map(
            (cell) => cell.firstElementChild?.getAttribute('value') ?? cell.textContent))""")
    heads = browser.evaluate(
        "[...document.querySelectorAll('#table-percentiles th')].map((head) => head.textContent)")
    dots = {(name, figure): value for name, figure, value in browser.evaluate(
        """[...document.querySelectorAll('#percentiles circle')].map(
            (dot) => [dot.dataset.series, dot.dataset.figure, dot.dataset.ns])""")}
    series = [one for one in results["latencies"] if one["n"]]
    if [row[0] for row in rows] != [one["name"] for one in series]:
        yield "the table's series are %s" % [row[0] for row in rows]
        return
    compared = 0
    for one, row in zip(series, rows):
        shown = dict(zip(heads, row))
        if shown["n"] != str(one["n"]):
            yield "%s: n is %s on the page, %s in results.json" % (
                one["name"], shown["n"], one["n"])
        for name in heads[2:-1]:
            known = one[name + "_ns"]
            expected = "(few)" if known is None else str(known)
            dot = dots.pop((one["name"], name), None)
            for place, seen in [("table", shown[name]), ("picture", dot)]:
                if seen != expected and not (place == "picture" and known is None and seen is None):
                    yield "%s: %s is %s in the %s, %s in results.json" % (
                        one["name"], name, seen, place, expected)
                compared += 1
    for name, figure in dots:
        yield "%s: a dot for %s that results.json does not have" % (name, figure)
    if compared == 0:
        yield "no figure could be compared"
    statuses = browser.evaluate(
        """[...document.querySelectorAll('#table-targets tbody tr')].map(
            (row) => row.cells[4].firstElementChild.textContent)""")
    known = [row["status"] for row in results["metrics"]]
    if statuses != known:
        yield "the targets are %s on the page, %s in results.json" % (statuses, known)


def timeline(browser):
    """Zooming and picking."""
    box = browser.evaluate("""(() => {
        const lanes = document.getElementById('lanes');
        lanes.scrollIntoView();
        const box = lanes.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height];
    })()""")
    view = "document.documentElement.dataset.view"
    start, end = map(int, browser.evaluate(view).split("-"))
    left, top, width, _ = box
    at = [left + width * part for part in (0.25, 0.75)]
    browser.mouse("Pressed", at[0], top + 40)
    browser.mouse("Moved", at[1], top + 40)
    browser.mouse("Released", at[1], top + 40, 0)
    zoomed = list(map(int, browser.evaluate(view).split("-")))
    for seen, part in zip(zoomed, (0.25, 0.75)):
        expected = start + (end - start) * part
        if abs(seen - expected) > (end - start) * 0.02:
            yield "dragging shows %s, not the middle half of %d to %d" % (zoomed, start, end)
            break
    browser.evaluate("document.getElementById('zoom-all').click()")
    whole = list(map(int, browser.evaluate(view).split("-")))
    if whole[0] != 0 or whole[1] < end:
        yield "'All' shows %s" % whole
    said = "document.getElementById('facts').textContent"
    browser.evaluate("document.getElementById('zoom-all').click();"
                     "document.getElementById('next').click()")
    if "due at" not in browser.evaluate(said):
        yield "'Next' tells of no record"
    told = set()
    for step in range(1, 40):
        x = left + width * step / 40
        browser.mouse("Pressed", x, top + 23)
        browser.mouse("Released", x, top + 23, 0)
        text = browser.evaluate(said)
        if "due at" in text:
            told.add(text)
    if not told:
        yield "no click tells of a record"


def legend(browser):
    """A series that is switched off is not drawn, and comes back."""
    count = "document.querySelectorAll('#percentiles path.curve.tail').length"
    before = browser.evaluate(count)
    click = "document.querySelector('#percentiles .legend button').click()"
    browser.evaluate(click)
    without = browser.evaluate(count)
    browser.evaluate(click)
    if (without, browser.evaluate(count)) != (before - 1, before):
        yield "hiding a series leaves %s of %s curves" % (without, before)


def looks(browser):
    """Dark and light, wide and narrow."""
    paper = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for scheme in ["light", "dark"]:
        browser.call("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
        seen.append(browser.evaluate(paper))
    if seen[0] == seen[1]:
        yield "light and dark are both %s" % seen[0]
    for width in [1280, 360]:
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800,
                     deviceScaleFactor=1, mobile=False)
        browser.wait("innerWidth === %d" % width)
        time.sleep(0.2)
        needed = browser.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            yield "the page is %d pixels wide where there are %d" % (needed, width)


def silence(browser, page):
    """No error was told, and nothing was asked for but the page."""
    for event in browser.events:
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            yield "script error: " + told["exceptionDetails"]["text"]
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            yield "the browser says: " + told["entry"]["text"]
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            yield "the page says on the console: %s" % told["args"]
        elif method == "Network.requestWillBeSent":
            address = told["request"]["url"]
            if address != page.as_uri():
                yield "the page asks for " + address


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 64
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("no Chromium was found; try: apt-get install chromium-headless-shell")
        return 69
    run = pathlib.Path(sys.argv[1]).resolve()
    page = run / "report.html"
    results = json.loads((run / "results.json").read_text())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        found = []
        try:
            for line in complaints(browser, page, results):
                found.append(line)
        except RuntimeError as error:
            found.append(str(error))
        finally:
            browser.end()
    for line in found:
        print(line)
    if not found:
        print("%s: drawn without an error, and every figure is that of results.json" % page.name)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
