"""Drives a headless Chromium over two pipes, in the Chrome DevTools Protocol. Standard library only.

A browser has a profile directory of its own; closing it ends its process and removes that. Messages are
JSON, each ended by a NUL byte: commands on its descriptor 3, answers and events on its descriptor 4.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"]


def find():
    """The path of a Chromium, or None."""
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


class BrowserError(Exception):
    """A call that the browser refused, or did not answer."""


class Browser:
    """One process of a browser with one page."""

    def __init__(self, executable, timeout=60):
        self.timeout = timeout
        self.events = []
        self._buffer = b""
        self._last = 0
        self._profile = tempfile.mkdtemp(prefix="browser-")
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        flags = [
            "--headless", "--remote-debugging-pipe", "--hide-scrollbars", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-dev-shm-usage", "--font-render-hinting=none",
            "--user-data-dir=" + self._profile,
        ]
        if os.geteuid() == 0:
            # Chromium's sandbox does not start for root.
            flags.append("--no-sandbox")
        # Far from 3 and 4, so that neither takes the other's place.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands, answers)]

        def take():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [executable] + flags, pass_fds=[3, 4], preexec_fn=take, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=dict(os.environ, HOME=self._profile))
        for end in ends:
            os.close(end)
        os.close(commands)
        os.close(answers)
        try:
            target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
            attached = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})
            self._session = attached["sessionId"]
            for domain in ["Page", "Runtime", "Log", "Network"]:
                self.send(domain + ".enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, method, **parameters):
        """Sends a command to the page and returns its result."""
        return self._call(method, parameters, self._session)

    def _call(self, method, parameters, session=None):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        end = time.monotonic() + self.timeout
        while True:
            answer = self._next(end)
            if answer.get("id") != self._last:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError("%s: %s" % (method, answer["error"].get("message")))
            else:
                return answer["result"]

    def _next(self, end):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
            chunk = os.read(self._answers, 1 << 16) if ready else b""
            if not chunk:
                raise BrowserError("the browser " + ("ended" if ready else "did not answer"))
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(line)

    def evaluate(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def show(self, width, height, dark=False, scale=1):
        """Gives the page's window a size, in pixels of the page, and light or dark."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def open(self, url):
        """Opens a page and waits until it has loaded."""
        self.events.clear()
        self.send("Page.navigate", url=url)
        end = time.monotonic() + self.timeout
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next(end))

    def troubles(self):
        """The complaints of scripts, the page's policy and the network since the page was opened."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details.get("text", "?")))
            elif event.get("method") == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                found.append("console: %s" % [value.get("value") for value in parameters["args"]])
        return found

    def requests(self):
        """The addresses that the page asked for since it was opened."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def mouse(self, x, y, to=None):
        """Clicks at a place, or drags from it to another."""
        def act(kind, at, buttons):
            self.send("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=buttons,
                      clickCount=1)
        act("mousePressed", (x, y), 1)
        if to:
            act("mouseMoved", to, 1)
        act("mouseReleased", to or (x, y), 0)

    def picture(self, clip=None):
        """A PNG of the window, or of a part of the page: x, y, width and height."""
        more = {"clip": dict(clip, scale=1), "captureBeyondViewport": True} if clip else {}
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", **more)["data"])

    def close(self):
        """Ends the browser with all its processes, and removes its profile."""
        for descriptor in [self._commands, self._answers]:
            os.close(descriptor)
        try:
            # It ends when its pipe does.
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)
