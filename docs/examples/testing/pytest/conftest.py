import os
import shlex
import signal
import socket
import subprocess
import time
import urllib.error

import pytest

from welcome import call

COMMAND = os.environ.get("LATCHKEY_COMMAND", "npx latchkey serve --test --seed empty --now 2027-01-04T09:00:00Z")
START_SECONDS = 60


class Server:
    def __init__(self, url):
        self.url = url

    def post(self, path, body=None):
        return call(self.url, "POST", f"/test/{path}", body or {})

    def deliveries(self):
        return call(self.url, "GET", "/test/deliveries")["deliveries"]


def find_free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_until_ready(server, process):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{COMMAND} ended with status {process.returncode}")
        try:
            return server.post("reset")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise TimeoutError(f"{COMMAND} was not ready within {START_SECONDS} seconds")


@pytest.fixture(scope="session")
def running_server():
    port = find_free_port()
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port)}
    # A group of its own, so that the signal reaches the server behind npx too.
    process = subprocess.Popen(shlex.split(COMMAND), env=environment, start_new_session=True)
    server = Server(f"http://127.0.0.1:{port}")
    try:
        wait_until_ready(server, process)
        yield server
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


@pytest.fixture
def latchkey(running_server):
    """The server, reset before each test."""
    running_server.post("reset")
    return running_server
