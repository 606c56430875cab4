"""One client's program on one broker.

The program gets AMQP_URL and HTTP_URL in its environment, and prints a line for everything that it has
seen to be right:

    version 1.2.3            of the library
    ok AREA what was seen
    restart                  the broker is stopped and started; the answer is one line on its input
    lose                     the node of AMQP_URL is killed and stays away; the answer likewise

AMQP_ADDRESSES has the nodes of a cluster, that of AMQP_URL first; without a cluster it is not set.

It ends with exit code 0, or whatever else when something is wrong.
"""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from matrix.brokers import BrokerError


@dataclass(frozen=True)
class Outcome:
    """How it went. The transcript is what the program printed, and the broker's log on failure."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"

    state: str
    reason: str = ""
    version: str = ""
    checks: int = 0
    seconds: float = 0.0
    transcript: str = ""


class Session:
    def __init__(self, client, broker, directory, timeout):
        self.client = client
        self.broker = broker
        self.directory = directory
        self.timeout = timeout
        self.version = ""
        self.checked = []

    def run(self):
        log = self.broker.directory / "client.log"
        start = time.monotonic()
        reason = ""
        try:
            self.broker.start()
            start = time.monotonic()
            with log.open("w") as transcript:
                reason = self.converse(transcript)
        except BrokerError as error:
            reason = str(error)
        seconds = time.monotonic() - start
        try:
            self.broker.stop()
        except BrokerError as error:
            reason = reason or str(error)
        complaints = self.broker.complaints()
        if complaints:
            reason = reason or f"the broker logged: {complaints[0]}"
        text = log.read_text(errors="replace") if log.exists() else ""
        if reason:
            text += "-- the broker's log\n" + self.broker.log.read_text(errors="replace")[-8000:]
        state = Outcome.FAILED if reason else Outcome.PASSED
        return Outcome(state, reason, self.version, len(self.checked), seconds, text)

    def converse(self, transcript):
        """Plays the runner's part; returns what went wrong, or an empty text."""
        process = subprocess.Popen(
            self.client.command(self.directory),
            cwd=self.directory,
            env=os.environ
            | self.broker.addresses
            | {"AMQP_URL": self.broker.url, "HTTP_URL": self.broker.http_url, "NO_COLOR": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=transcript,
            text=True,
            start_new_session=True,
        )
        overdue = threading.Event()

        def end():
            overdue.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(self.timeout, end)
        timer.start()
        try:
            for line in process.stdout:
                transcript.write(line)
                transcript.flush()
                self.heed(line.split(maxsplit=2), process.stdin)
            code = process.wait()
        finally:
            timer.cancel()
            try:
                os.killpg(process.pid, signal.SIGKILL)  # whatever it left behind
            except ProcessLookupError:
                pass
        if overdue.is_set():
            return f"not done after {self.timeout:g} s"
        if code:
            return f"exit code {code}"
        missing = [area for area in self.client.areas if area not in self.checked]
        return f"nothing was checked about: {', '.join(missing)}" if missing else ""

    def heed(self, words, answer):
        match words:
            case ["version", version, *_]:
                self.version = version
            case ["ok", area, *_]:
                self.checked.append(area)
            case ["restart"]:
                self.broker.restart()
                self.tell(answer, "restarted")
            case ["lose"]:
                self.broker.lose()
                self.tell(answer, "lost")

    @staticmethod
    def tell(answer, line):
        try:
            answer.write(line + "\n")
            answer.flush()
        except BrokenPipeError:
            pass  # it has ended meanwhile; its exit code tells
