"""The load generator as a child process."""

import pathlib
import re
import subprocess
import sys
import time

from amqp import Client

SOURCE = pathlib.Path(__file__).with_name("amqpload.c")
HEARTBEAT = "--size 16 --rate 1000 --messages 100000000 --timeout 100000"


def compile_generator(directory):
    """Returns the path of the program."""
    program = directory / "amqpload"
    subprocess.run(["cc", "-O2", "-pthread", "-o", str(program), str(SOURCE)], check=True)
    return program


class Load:
    """Runs the generator against brokers; figures are its key=value pairs."""

    def __init__(self, program):
        self.program = program

    def run(self, broker, options):
        """Figures of a run that ends by itself."""
        with self.start(broker, options) as running:
            return running.figures()

    def start(self, broker, options):
        """A run beside which something else is done."""
        return Running(self._command(broker, options), broker)

    def loopback(self, size, messages):
        """Bytes per second that TCP alone carries on this machine."""
        command = [str(self.program), "--loopback", "--size", str(size), "--messages", str(messages)]
        return figures_of(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["bytes_per_s"]

    def relay(self, options):
        """Figures of the run without a broker, whose place a thread takes that passes on what it gets."""
        command = [str(self.program), "--relay", *options.split()]
        return figures_of(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def relayed_heartbeat(self):
        """The heartbeat through the bare relay."""
        return Running([str(self.program), "--relay", *HEARTBEAT.split()], None)

    def heartbeat(self, broker):
        """A message every millisecond through a queue of its own, until its figures are asked for by stopped()."""
        with Client(broker.port) as client:
            client.declare("heartbeat")
            client.purge("heartbeat")  # What the last one left would seem to have been under way since then.
            running = self.start(broker, f"--queue heartbeat --no-declare {HEARTBEAT}")
            while client.ready_and_consumers("heartbeat")[1] == 0:
                time.sleep(0.01)
        return running

    def _command(self, broker, options):
        return [str(self.program), "--port", str(broker.port), "--pid", str(broker.pid), *options.split()]


class Running:
    """A run of the generator, which is ended if its block is left early."""

    def __init__(self, command, broker):
        self.command, self.broker = command, broker
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def figures(self):
        """Waits for the end."""
        out, errors = self.process.communicate()
        if self.process.returncode != 0:
            log = self.broker.log.read_text(errors="replace")[-4000:]
            sys.exit(f"{' '.join(self.command)}: {out}{errors}\n{log}")
        return figures_of(out)

    def stopped(self):
        """Ends it, and returns the figures so far."""
        self.process.terminate()
        return self.figures()


def figures_of(line):
    return {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", line)}
