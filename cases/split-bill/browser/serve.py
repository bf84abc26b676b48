"""Opens pages in Chromium for clients that have the key, and returns what the pages show.

POST /KEY has a JSON list of steps. They are done in a browser context of their own, and the reply is a JSON list with a
result for each step: a text, or null.

    ["open", URL]                 waits until the page is loaded
    ["fill", SELECTOR, TEXT]      types a text into a field, in place of what is there
    ["click", SELECTOR]           clicks in the middle of an element
    ["text", SELECTOR]            the text of an element
    ["texts", SELECTOR]           the texts of all such elements

Chromium is driven by two pipes, so it listens nowhere. What is read, is read in a world of its own (`isolated world`):
no script of the page can change what the functions there do. A visit that takes too long ends the browser, and the
next one gets another.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from select import select
from typing import Any

PORT = 9000
VISIT_SECONDS = 60.0
OPTIONS = (
    # Nothing but the submission's page runs in this container, whose own walls are around it.
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--no-proxy-server", "--hide-scrollbars",
)  # fmt: skip
FIND = "const found = [...document.querySelectorAll(%s)]; if (!found.length) throw Error('there is no ' + %s);"
MIDDLE = "const box = found[0].getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2];"


class Failed(Exception):
    """A step could not be done."""


class Browser:
    """One Chromium."""

    def __init__(self) -> None:
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        # Chromium reads from 3 and writes to 4.
        ends = [fcntl(end, F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]
        for end in (theirs_in, theirs_out):
            os.close(end)
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            ["chromium", *OPTIONS, f"--user-data-dir={self._home.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._home.name}, start_new_session=True, close_fds=False,
            preexec_fn=lambda: [os.dup2(end, number) for end, number in zip(ends, (3, 4))],
        )  # fmt: skip
        for end in ends:
            os.close(end)
        self._number, self._received = 0, b""
        self._until = 0.0
        self._events: list[dict[str, Any]] = []

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        for end in (self._to, self._from):
            os.close(end)
        self._home.cleanup()

    def visit(self, steps: list[list[str]]) -> list[Any]:
        """Do steps in a context of their own, and return their results."""
        self._until, self._events = time.monotonic() + VISIT_SECONDS, []
        context = self.call("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable", session)
        results = [self._step(session, *step) for step in steps]
        self.call("Target.disposeBrowserContext", browserContextId=context)
        return results

    def _step(self, session: str, what: str, *words: str) -> Any:
        if what == "open":
            self._events.clear()
            if error := self.call("Page.navigate", session, url=words[0]).get("errorText"):
                raise Failed(f"{words[0]} cannot be opened: {error}")
            while not any(event["method"] == "Page.loadEventFired" for event in self._events):
                self._take()
            return None
        place = json.dumps(words[0])
        find = FIND % (place, place)
        if what == "fill":
            self._evaluate(session, f"{find} found[0].focus(); found[0].select();")
            self.call("Input.dispatchKeyEvent", session, type="keyDown", key="Delete", windowsVirtualKeyCode=46)
            self.call("Input.insertText", session, text=words[1])
            return None
        if what == "click":
            x, y = self._evaluate(session, f"{find} found[0].scrollIntoView({{block: 'center'}}); {MIDDLE}")
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", session, type=kind, x=x, y=y, button="left", clickCount=1)
            return None
        if what == "text":
            return self._evaluate(session, f"{find} return found[0].innerText.trim();")
        if what == "texts":
            return self._evaluate(session, f"return [...document.querySelectorAll({place})].map(e => e.innerText.trim());")
        raise Failed(f"there is no step {what}")

    def _evaluate(self, session: str, text: str) -> Any:
        frame = self.call("Page.getFrameTree", session)["frameTree"]["frame"]["id"]
        world = self.call("Page.createIsolatedWorld", session, frameId=frame)["executionContextId"]
        done = self.call(
            "Runtime.evaluate", session, expression=f"(() => {{ {text} }})()", contextId=world, returnByValue=True
        )
        if "exceptionDetails" in done:
            raise Failed(done["exceptionDetails"]["exception"]["description"].splitlines()[0])
        return done["result"].get("value")

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        number = self._number
        self._send(number, method, session, parameters)
        while True:
            message = self._take()
            if message.get("id") == number:
                if "error" in message:
                    raise Failed(f"{method}: {message['error']['message']}")
                return message["result"]

    def _send(self, number: int, method: str, session: str, parameters: dict[str, Any]) -> None:
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self._to, json.dumps(message).encode() + b"\0")

    def _take(self) -> dict[str, Any]:
        """Return the next message; a dialog of the page is closed, which would hold up everything."""
        while b"\0" not in self._received:
            left = self._until - time.monotonic()
            if left <= 0 or not select([self._from], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(self._from, 1 << 16)
            if not piece:
                raise Failed("the browser has ended")
            self._received += piece
        line, _, self._received = self._received.partition(b"\0")
        message = json.loads(line)
        if message.get("method") == "Page.javascriptDialogOpening":
            self._number += 1
            self._send(self._number, "Page.handleJavaScriptDialog", message["sessionId"], {"accept": True})
        if "method" in message:
            self._events.append(message)
        return message


class Browsers:
    """A browser for one visit at a time."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._browser: Browser | None = None
        self.visit([["open", "about:blank"]])

    def visit(self, steps: list[list[str]]) -> dict[str, Any]:
        with self._turn:
            browser = self._browser = self._browser or Browser()
            try:
                return {"results": browser.visit(steps)}
            except (Failed, TimeoutError, OSError) as error:
                browser.close()
                self._browser = None
                return {"error": str(error) or f"the page took more than {VISIT_SECONDS:.0f} s"}


class Handler(BaseHTTPRequestHandler):
    browsers: Browsers

    def do_GET(self) -> None:
        self._reply(200 if self.path == "/ready" else 404, {})

    def do_POST(self) -> None:
        if self.path != f"/{os.environ['BROWSER_KEY']}":
            return self._reply(403, {"error": "that is not the key"})
        steps = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return self._reply(200, self.browsers.visit(steps))

    def _reply(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    Handler.browsers = Browsers()
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
