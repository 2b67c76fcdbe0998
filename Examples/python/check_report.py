#!/usr/bin/env python3
"""Opens the report.html of a run in a headless Chromium and holds it against its results.json.

    python3 Examples/python/check_report.py out/run1

It must draw without a word of complaint and without the network, its figures must be those of results.json,
its packets those of packets.csv where there are any, its timeline must zoom and answer clicks and keys, and no
width may need to scroll sideways. Says what is
wrong, a line each; exit code 1 then, 66 where a file is missing, 69 where there is no Chromium.

Only Python's own library is used; see headless.py beside this.
"""
import base64
import csv
import hashlib
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import headless

MOST_BYTES = 1_000_000
wrong = []


def check(is_right, words):
    if not is_right:
        wrong.append(words)
    return is_right


def check_file(data):
    """Checks that need no browser."""
    text = data.decode()
    check(len(data) < MOST_BYTES, "the page has %d bytes" % len(data))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1)
    check(policy.startswith("default-src 'none'; "), "the policy allows more: " + policy)
    for tag in ["script", "style"]:
        inside = re.search("<%s>(.*?)</%s>" % (tag, tag), text, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        check("%s-src 'sha256-%s'" % (tag, digest) in policy, "the policy has another hash for the " + tag)
    outside = re.search(r"(src|href)=|url\((?![\"']?#)|@import", text)
    check(not outside, "the page refers to something outside of it")


def check_drawn(browser, url):
    browser.open(url)
    for trouble in browser.troubles():
        check(False, "trouble: " + trouble)
    check(browser.requests() == [url], "asked for %s" % browser.requests())
    drawn = browser.evaluate("document.documentElement.dataset.drawn")
    check(drawn == "yes", "the pictures are not drawn")
    check(browser.evaluate("document.getElementById('trouble').hidden"), "it says that it failed")
    for name in browser.evaluate("[...document.querySelectorAll('.picture[id]')].map((node) => node.id)"):
        height = browser.evaluate("document.getElementById('%s').offsetHeight" % name)
        drawn_there = browser.evaluate("Boolean(document.querySelector('#%s svg, #%s canvas'))" % (name, name))
        # Where there is nothing to draw it says why, in a line.
        check(height > (40 if drawn_there else 10), "the picture %s is %d pixels high" % (name, height))
    return drawn == "yes"


ROWS = """[...document.querySelectorAll('#table-%s tbody tr')].map((row) => [...row.cells].map((cell) => {
  const figure = cell.querySelector('data');
  return figure ? Number(figure.value) : cell.textContent;
}))"""
DOTS = """[...document.querySelectorAll('#curves .dot')].map((dot) =>
  [dot.dataset.series, dot.dataset.figure, Number(dot.dataset.ns), Number(dot.getAttribute('cy'))])"""
NAMES = ["p50", "p90", "p99", "p99.9"]
STAGES = ["queued", "air", "commit", "applied"]


def check_figures(browser, results):
    """Tables and pictures have the figures of results.json, to the nanosecond."""
    rows = browser.evaluate(ROWS % "targets")
    metrics = results["metrics"]
    if check(len(rows) == len(metrics), "%d targets, %d in results.json" % (len(rows), len(metrics))):
        for row, metric in zip(rows, metrics):
            check(row[0] == metric["title"], "target %s, %s in results.json" % (row[0], metric["title"]))
            check(row[1] == metric["device"], "%s is measured on %s" % (row[0], row[1]))
            check(row[5].startswith(metric["status"]), "%s is %s" % (row[0], row[5]))
    series = [entry for entry in results["latencies"] if entry["n"] > 0]
    rows = browser.evaluate(ROWS % "percentiles") if series else []
    # Of very many curves not all are drawn at first.
    browser.evaluate("(document.querySelector('#curves .legend .all') || {click() {}}).click()")
    found = browser.evaluate(DOTS)
    dots = {(name, figure): ns for name, figure, ns, _ in found}
    places = sorted((ns, y) for _, _, ns, y in found)
    for (less, low), (more, high) in zip(places, places[1:]):
        check(more < 1.01 * less or high < low, "%d and %d ns are drawn at one height" % (less, more))
    check([row[0] for row in rows] == [entry["name"] for entry in series], "other series: %s" % rows)
    for row, entry in zip(rows, series):
        known = [entry.get(name + "_ns") for name in NAMES] + [entry["max_ns"]]
        shown = [None if value == "(few)" else value for value in row[2:7]]
        check(int(row[1]) == entry["n"], "%s: n is %s, not %d" % (entry["name"], row[1], entry["n"]))
        check(shown == known, "%s: %s, and in results.json %s" % (entry["name"], shown, known))
        # Of a handful of samples no curve is drawn.
        is_drawn = any(other["p50_ns"] is not None for other in series)
        for name, value in zip(NAMES + ["max"], known if is_drawn else [None] * 5):
            dot = dots.get((entry["name"], name))
            check(dot == value, "%s %s is drawn at %s, not %s" % (entry["name"], name, dot, value))
    shown = browser.evaluate("document.getElementById('command').textContent")
    check(shown == results["repeat"], "the command is " + shown)
    facts = browser.evaluate("[...document.querySelectorAll('dd')].map((node) => node.textContent)")
    seed = [] if results["seed"] is None else [str(results["seed"])]
    known = [results["rig"]] + seed + [results["link"]]
    check(facts[:len(known)] == known, "facts: %s" % facts[:len(known)])


def moments(columns):
    """Of each record the steps, in microseconds, from one moment to the next (None: not known), and what its
    latency has beyond them, in nanoseconds."""
    number = lambda text: None if text == "" else int(text, 36)
    split = [column.split(",") for column in columns["moments"]]
    return [([number(column[place]) for column in split], number(rest))
            for place, rest in enumerate(columns["latency"].split(","))]


def check_stages(browser, text, results):
    """No stage is negative, and those of each record add up to its latency."""
    written = re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1)
    data = json.loads(written)
    for place, (steps, rest) in enumerate(moments(data["records"]) if data["records"]["kinds"] else []):
        for name, step in zip(["sent", "come", "reached"], steps):
            check(step is None or step >= 0, "record %d: '%s' is earlier than what comes before it" % (place, name))
        check(steps[1] is None or steps[0] is not None, "nobody knows when record %d was sent" % place)
        # Whole microseconds on either side.
        check(steps[2] is None or rest is None or abs(rest) <= 1000,
              "the moments of record %d differ from its latency by %s ns" % (place, rest))
    for row in browser.evaluate(ROWS % "slowest"):
        known = [stage for stage in row[2:5] if stage != "-"]
        whole, total = row[1], sum(known)
        check(total == whole if len(known) == 3 else total <= whole,
              "the stages of %s add up to %d ns, and it took %d ns" % (row[7], total, whole))
    shown = [[row[0], int(row[1])] + [None if value == "(few)" else value for value in row[2:]]
             for row in browser.evaluate(ROWS % "stages")]
    known = [[entry["series"], entry["n"]] + [entry[stage + "_p50_ns"] for stage in STAGES]
             for entry in results["stages"]]
    check(shown == known, "stages: %s, and in results.json %s" % (shown, known))


def check_slowest(browser, results):
    """Each of the slowest leads to its place in the timeline."""
    rows = browser.evaluate(ROWS % "slowest")
    worst = max(entry["max_ns"] for entry in results["latencies"]
                if entry["name"] in [row[8] for row in rows])
    check(rows[0][1] == worst, "the slowest took %s, in results.json %s" % (rows[0][1], worst))
    for place in [0, len(rows) - 1]:
        button = "document.querySelectorAll('#table-slowest tbody tr')[%d].querySelector('.record button')" % place
        if not check(browser.evaluate("Boolean(%s)" % button), "%s leads nowhere" % rows[place][7]):
            continue
        browser.evaluate(button + ".click()")
        panel = browser.evaluate("({...document.querySelector('.chosen').dataset})")
        latency = browser.evaluate("document.querySelector('.chosen [data-figure=latency]').textContent")
        written = browser.evaluate("document.querySelectorAll('#table-slowest tbody tr')[%d].cells[1].textContent" % place)
        check(panel.get("record") == rows[place][7], "%s leads to %s" % (rows[place][7], panel))
        check(float(latency.split()[0]) == float(written), "%s in the table, %s in the timeline" % (written, latency))


def check_timeline(browser):
    """Buttons, keys, drags and clicks do what they say."""
    def window():
        found = browser.evaluate("({...document.getElementById('timeline').dataset})")
        return int(found["from"]), int(found["to"]), int(found["shown"])

    def press(name):
        browser.evaluate("document.querySelector('[data-do=%s]').click()" % name)
        return window()

    whole = press("all")
    half = press("in")
    check(abs((half[1] - half[0]) * 2 - (whole[1] - whole[0])) <= 2, "zoomed from %s to %s" % (whole, half))
    check(half[2] <= whole[2], "more records in a part: %s, %s" % (half, whole))
    check(press("all") == whole, "the whole run is not the whole run")

    box = browser.evaluate("""(() => {
      const canvas = document.querySelector('canvas.ways');
      canvas.scrollIntoView({block: 'center'});
      const {x, y, width, height} = canvas.getBoundingClientRect();
      return {x, y, width, height};
    })()""")
    middle = box["y"] + box["height"] / 2
    left, right = box["x"] + box["width"] * 0.4, box["x"] + box["width"] * 0.6
    browser.mouse(left, middle, (right, middle))
    part = window()
    share = (part[1] - part[0]) / (whole[1] - whole[0])
    ends = [round(100 * (at - whole[0]) / (whole[1] - whole[0])) for at in part[:2]]
    check(0.15 < share < 0.3 and 35 < ends[0] < 45 and 55 < ends[1] < 65,
          "dragging shows %d %% to %d %% of the run" % tuple(ends))
    browser.evaluate("document.querySelector('canvas.ways').focus()")
    browser.send("Input.dispatchKeyEvent", type="keyDown", key="+", text="+")
    check(window()[1] - window()[0] < part[1] - part[0], "the key + does not zoom")

    # In the whole run, clicks along the lines choose another record than the one that was chosen.
    press("frame")
    choice = "document.querySelector('.chosen').dataset.record"
    name = browser.evaluate(choice)
    if press("all")[2] < 2:
        return
    press("next")
    if browser.evaluate(choice) == name:
        press("previous")
    other = browser.evaluate(choice)
    check(other != name, "there is neither a next record nor one before")
    press("all")
    box = browser.evaluate("""(() => {
      const canvas = document.querySelector('canvas.ways');
      canvas.scrollIntoView({block: 'center'});
      const {x, y, width, height} = canvas.getBoundingClientRect();
      return {x, y, width, height};
    })()""")
    found = other
    for column in range(3, 60):
        browser.mouse(box["x"] + box["width"] * column / 60, box["y"] + 100)
        found = browser.evaluate(choice)
        if found != other:
            break
    check(found != other, "no click chooses a record")


FATES = ["arrived", "lost", "under way at the end", "lost, recovered by FEC"]
CANVAS = """(() => {
  const canvas = document.querySelector('canvas.ways');
  canvas.scrollIntoView({block: 'center'});
  const {x, y, width, height} = canvas.getBoundingClientRect();
  return {x, y, width, height};
})()"""
PACKET = """(() => {
  const panel = document.querySelector('.chosen');
  const figures = [...panel.querySelectorAll('[data-figure]')]
    .map((node) => [node.dataset.figure, node.textContent]);
  return {name: panel.dataset.packet || null, head: panel.firstChild.textContent, figures: Object.fromEntries(figures),
    records: [...panel.querySelectorAll('.carried')].map((node) => node.textContent)};
})()"""
# Where the lines of the packets are in the picture, the phone's and the watch's, and what is left of them.
SENDS, RECEIVED = 222, 282


def unpacked(data):
    """The packets of the page by sender, session and number."""
    source = data["packets"]
    if source["look"] == "":
        return {}
    column = {name: source[name].split(",") for name in ["look", "sent", "number", "bytes", "air"]}
    packets, following, sent = {}, {}, 0
    for place, look in enumerate(column["look"]):
        code, session, frames = source["looks"][int(look, 36)]
        way = ("down" if code & 1 else "up", session)
        sent += int(column["sent"][place], 36)
        number = following.get(way, 0) + int(column["number"][place] or "0", 36)
        following[way] = number + 1
        air = column["air"][place]
        packets[way + (number,)] = {
            "sent": sent, "bytes": int(column["bytes"][place], 36), "air": int(air, 36) if air else None,
            "frames": frames, "fate": FATES[code >> 2], "repeats": bool(code & 2),
            "came": source["twice"].get(str(place))}
    return packets


def check_packets(browser, text, results, path):
    """The packets of the page are those of packets.csv; clicks and keys choose them, and the panel says what
    they are."""
    written = re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1)
    data = json.loads(written)
    says_so = "no list of packets was kept" in text
    if not path.is_file():
        check("packets" not in data and says_so, "there is no packets.csv, and the page does not say so")
        return
    check(not says_so and "packets" in data, "there is a packets.csv, and the page has no packets")
    with open(path, newline="") as file:
        rows = {(row["way"], row["session"], int(row["packet"])): row for row in csv.DictReader(file)}
    drawn = unpacked(data)
    notice = re.search("([0-9]+) of ([0-9]+) packets are drawn", text)
    whole = (int(notice.group(1)), int(notice.group(2))) if notice else (len(rows), len(rows))
    check((len(drawn), len(rows)) == whole, "%d packets of %d, not %s" % (len(drawn), len(rows), whole))
    for name, packet in drawn.items():
        row = rows.get(name)
        if not check(row, "packet %s is not in packets.csv" % (name,)):
            continue
        known = {"sent": int(row["sent_ns"]) // 1000, "bytes": int(row["bytes"]),
                 "air": int(row["air_ns"]) // 1000 if row["air_ns"] else None, "frames": row["frames"],
                 "fate": row["fate"], "repeats": row["repeats"] == "yes",
                 "came": int(row["came"]) if int(row["came"]) > 1 else None}
        check(packet == known, "packet %s is %s, in packets.csv %s" % (name, packet, known))
    for way, words in [("up", "phone to watch"), ("down", "watch to phone")]:
        mine = [row for row in rows.values() if row["way"] == way]
        counts = results["counts"]["packets"][words]
        found = [len(mine), sum(row["fate"] == "lost" for row in mine), sum(row["repeats"] == "yes" for row in mine)]
        told = [counts["sent"], counts["lost"], counts["repeating"]]
        check(found == told, "%s: %s packets in packets.csv, %s in results.json" % (words, found, told))
    if drawn:
        check_packet_clicks(browser, rows, drawn)


def check_panel(browser, rows):
    """The panel tells of a packet as packets.csv does; gives its name."""
    told = browser.evaluate(PACKET)
    if not told["name"]:
        return None
    sender, rest = told["name"].split(" ", 1)
    session, number = rest.rsplit(" ", 1)
    name = ("down" if sender == "watch" else "up", session, int(number))
    row, figures = rows[name], told["figures"]
    check(row["frames"] in told["head"] and row["fate"] in told["head"], "packet %s: %s" % (name, told["head"]))
    check(figures["bytes"] == row["bytes"] + " B",
          "packet %s has %s, not %s B" % (name, figures["bytes"], row["bytes"]))
    check(figures["sent"] == "%.4f s" % (int(row["sent_ns"]) // 1000 / 1e6) or
          abs(float(figures["sent"].split()[0]) - int(row["sent_ns"]) / 1e9) < 1e-4,
          "packet %s was sent at %s, not %s ns" % (name, figures["sent"], row["sent_ns"]))
    air = figures.get("put together after" if "FEC" in row["fate"] else "air")
    if row["air_ns"]:
        shown, known = float(air.split()[0]), int(row["air_ns"]) / 1e6
        check(abs(shown - known) <= max(0.0011, known / 100), "packet %s took %s, not %.3f ms" % (name, air, known))
    else:
        check(air == row["fate"], "packet %s took %s, and it is %s" % (name, air, row["fate"]))
    for record in told["records"]:
        check(record in row["records"], "packet %s has %s, in packets.csv %s" % (name, record, row["records"]))
    return name


def check_way(browser, name):
    """The record of the chosen packet goes the way of the packet."""
    browser.evaluate("document.querySelector('.chosen .carried').click()")
    way = "watch to phone" if name[0] == "down" else "phone to watch"
    head = browser.evaluate("document.querySelector('.chosen').firstChild.textContent")
    check(way in head, "packet %s goes from %s, and its record is %s" % (name, way, head))


def check_packet_clicks(browser, rows, drawn):
    """One of each fate, one that repeats something, and one with a record: in the whole run, where others are near,
    and alone."""
    wanted = [next((name for name in drawn if fits(rows[name])), None) for fits in [
        lambda row: row["fate"] == "arrived" and row["records"], lambda row: row["fate"] == "lost",
        lambda row: row["repeats"] == "yes", lambda row: "FEC" in row["fate"],
        lambda row: row["way"] == "down" and row["fate"] == "arrived" and "unmeasured" not in row["records"]
        and row["records"]]]
    hits = 0
    for name in filter(None, wanted):
        for zoomed in [False, True]:
            if zoomed:
                browser.evaluate("document.querySelector('[data-do=frame]').click()")
            else:
                browser.evaluate("document.querySelector('[data-do=all]').click()")
            box = browser.evaluate(CANVAS)
            window = browser.evaluate("({...document.getElementById('timeline').dataset})")
            first, last = int(window["from"]), int(window["to"])
            left = 52 if box["width"] < 500 else 62
            x = left + (drawn[name]["sent"] - first) / (last - first) * (box["width"] - left - 14)
            if not left <= x <= box["width"] - 14:
                continue
            browser.mouse(box["x"] + x, box["y"] + (RECEIVED + 6 if name[0] == "down" else SENDS - 6))
            found = check_panel(browser, rows)
            if check(found, "no click chooses a packet"):
                check(found[0] == name[0], "a click on %s chooses %s" % (name, found))
                hits += found == name
                if zoomed and browser.evaluate("Boolean(document.querySelector('.chosen .carried'))"):
                    check_way(browser, found)
    check(hits, "no click chooses the packet that it is meant for")
    last = list(drawn)[-1]
    box = browser.evaluate(CANVAS)
    browser.evaluate("document.querySelector('[data-do=all]').click()")
    browser.mouse(box["x"] + box["width"] - 16, box["y"] + (RECEIVED + 6 if last[0] == "down" else SENDS - 6))
    # From a packet to its record, from that to its packet, and on by keys.
    before = browser.evaluate(PACKET)["name"]
    if len(drawn) > 1 and before:
        browser.evaluate("document.querySelector('canvas.ways').focus()")
        for key in ["]", "["]:
            browser.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            check_panel(browser, rows)
        other = browser.evaluate(PACKET)["name"]
        browser.evaluate("document.querySelector('.chosen [data-do=next]').click()")
        last = browser.evaluate(PACKET)["name"]
        check(other == before or last == before or other != last, "keys and buttons leave %s chosen" % before)
    browser.evaluate("document.querySelector('#table-slowest .record button').click()")
    if browser.evaluate("Boolean(document.querySelector('.chosen .carrier'))"):
        record = browser.evaluate("document.querySelector('.chosen').dataset.record")
        browser.evaluate("document.querySelector('.chosen .carrier').click()")
        check_panel(browser, rows)
        told = browser.evaluate(PACKET)
        check(record in told["records"] or len(told["records"]) == 8, "%s is not in its packet, %s" % (record, told))
        browser.evaluate("document.querySelector('.chosen .carried').click()")
        back = browser.evaluate("document.querySelector('.chosen').dataset.record")
        check(back in told["records"], "the packet of %s leads to %s" % (record, back))


CONTRAST = """(() => {
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
    .reduce((sum, value, place) => sum + value * [.2126, .7152, .0722][place], 0);
  const parts = (text) => text.match(/[0-9.]+/g).map(Number);
  const ground = (node) => {
    const own = parts(getComputedStyle(node).backgroundColor);
    return own.length === 4 && own[3] === 0 ? ground(node.parentElement) : own;
  };
  return [...document.querySelectorAll('h1, h2, p, td, th, dt, dd, li, button, .chip, code')]
    .filter((node) => node.offsetWidth && node.textContent.trim()).map((node) => {
      const [a, b] = [parts(getComputedStyle(node).color), ground(node)].map(light);
      return [node.className || node.tagName, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)];
    }).filter(([, contrast]) => contrast < 4.5);
})()"""


# Tables with a figure that only scrolling would bring to light.
OUTSIDE = """[...new Set([...document.querySelectorAll('table data')]
  .filter((figure) => figure.getBoundingClientRect().right > %d)
  .map((figure) => figure.closest('table').id))].join(', ')"""


# Words before a figure that are not the head of its column, and cells that lie on each other.
LABELS = """[...document.querySelectorAll('table td[data-head]')].map((cell) => {
  const words = getComputedStyle(cell, '::before').content.replace('attr(data-head)', cell.dataset.head);
  const label = words.replaceAll('"', '').trim().toLowerCase();
  const head = cell.closest('table').tHead.rows[0].cells[cell.cellIndex].textContent;
  return [cell.closest('table').id, head, ['none', 'normal'].includes(label) ? '' : label];
}).filter(([, head, label]) => label !== '' && label !== head.toLowerCase())"""
OVERLAPS = """[...new Set([...document.querySelectorAll('#table-targets tbody tr')].flatMap((row) => {
  const places = [...row.cells].map((cell) => cell.getBoundingClientRect());
  return places.flatMap((one, number) => places.slice(number + 1)
    .filter((other) => one.left < other.right - 1 && other.left < one.right - 1
      && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(() => row.cells[0].textContent));
}))]"""


def check_looks(browser):
    grounds = []
    for dark in [False, True]:
        for width in [360, 768, 1280]:
            browser.show(width, 900, dark)
            wide = browser.evaluate("document.scrollingElement.scrollWidth")
            check(wide <= width, "at a width of %d the page is %d wide" % (width, wide))
            hidden = browser.evaluate(OUTSIDE % width) if width < 700 else []
            check(not hidden, "at a width of %d the figures of %s are not to be seen" % (width, hidden))
            for table, head, label in browser.evaluate(LABELS):
                check(False, "at a width of %d a cell of %s in the column %s is called %s"
                      % (width, table, head, label))
            for row in browser.evaluate(OVERLAPS):
                check(False, "at a width of %d the figures of %s lie on each other" % (width, row))
        for kind, contrast in browser.evaluate(CONTRAST):
            check(False, "%s has a contrast of %.1f, %s" % (kind, contrast, "dark" if dark else "light"))
        grounds.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    check(grounds[0] != grounds[1], "dark is as light")


def check_legend(browser):
    """A series that is switched off is not drawn, and comes back."""
    count = "document.querySelectorAll('#curves path.curve.tail').length"
    before = browser.evaluate(count)
    if before == 0:
        return
    click = "document.querySelector('#curves .legend button').click()"
    browser.evaluate(click)
    without = browser.evaluate(count)
    browser.evaluate(click)
    check((without, browser.evaluate(count)) == (before - 1, before),
          "hiding a series leaves %d of %d curves" % (without, before))


def check_copy(browser, results):
    browser.evaluate("document.getElementById('copy').click()")
    chosen = browser.evaluate("String(getSelection())")
    check(chosen == results["repeat"], "the button copies " + repr(chosen))


def main(directory):
    folder = pathlib.Path(directory).resolve()
    page, results = folder / "report.html", folder / "results.json"
    for path in [page, results]:
        if not path.is_file():
            print("missing: %s" % path)
            return 66
    executable = headless.find()
    if not executable:
        print("there is no Chromium; its package is chromium-headless-shell")
        return 69
    results = json.loads(results.read_text())
    check_file(page.read_bytes())
    with headless.Browser(executable) as browser:
        browser.show(1280, 900)
        if check_drawn(browser, page.as_uri()):
            check_figures(browser, results)
            if browser.evaluate("Boolean(document.querySelector('canvas.ways'))"):
                check_stages(browser, page.read_text(), results)
                check_slowest(browser, results)
                check_timeline(browser)
                check_packets(browser, page.read_text(), results, folder / "packets.csv")
            check_legend(browser)
            check_copy(browser, results)
            check_looks(browser)
        for trouble in browser.troubles():
            check(False, "trouble: " + trouble)
    for words in dict.fromkeys(wrong):
        print(words)
    print("%s: %s" % (page.name, "%d faults" % len(wrong) if wrong else "drawn, its figures are those of results.json"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
