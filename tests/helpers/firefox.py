"""Firefox, headless, driven by its own remote protocol (Marionette): JSON with its length in front, over a socket."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

FIREFOX: Final = shutil.which("firefox-esr") or shutil.which("firefox")
_ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""The key of element references, as the WebDriver standard has it."""
_SECONDS: Final = 60


class Firefox:
    """A session of one window."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._stream, self._number = connection, connection.makefile("rb"), 0
        self._receive()  # a greeting
        self._call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self._call("WebDriver:SetTimeouts", {"script": 1000 * _SECONDS, "pageLoad": 1000 * _SECONDS})

    def visit(self, url: str) -> None:
        """Open an address."""
        self._call("WebDriver:Navigate", {"url": url})

    def run(self, script: str, *values: Any) -> Any:
        """Run the body of a function and return what it returns; its arguments are `arguments`."""
        return self._call("WebDriver:ExecuteScript", {"script": script, "args": list(values)})["value"]

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} never became true"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click on an element, as a person would."""
        self._call("WebDriver:ElementClick", {"id": self._find(selector)})

    def type(self, selector: str, text: str) -> None:
        """Type into an element; into a file input, the path of a file."""
        self._call("WebDriver:ElementSendKeys", {"id": self._find(selector), "text": text})

    def _find(self, selector: str) -> str:
        found = self._call("WebDriver:FindElement", {"using": "css selector", "value": selector})
        return str(found["value"][_ELEMENT])

    def _call(self, name: str, values: dict[str, Any]) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, name, values]).encode()
        self._connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._receive()
        assert number == self._number
        assert error is None, f"{name}: {error}"
        return result

    def _receive(self) -> Any:
        length = b""
        while (digit := self._stream.read(1)) != b":":
            assert digit, "Firefox closed the connection"
            length += digit
        return json.loads(self._stream.read(int(length)))


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start Firefox with a new profile, and end it."""
    assert FIREFOX is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        settings = {"marionette.port": port, "intl.accept_languages": "en-GB", "app.update.enabled": False}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
        Path(profile, "user.js").write_text("".join(lines))
        command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", profile]
        environment = {**os.environ, "MOZ_HEADLESS_WIDTH": "1440", "MOZ_HEADLESS_HEIGHT": "900", "HOME": profile}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with _connected(port, process) as connection:
                yield Firefox(connection)
        finally:
            process.kill()
            process.wait()


def _connected(port: int, process: subprocess.Popen[bytes]) -> socket.socket:
    end = time.monotonic() + _SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=_SECONDS)
        except OSError:
            assert process.poll() is None, "Firefox ended at once"
            assert time.monotonic() < end, "Firefox does not answer"
            time.sleep(0.1)
