#!/usr/bin/env bash
# With streams for fanout, each start of an OpenStack service carries out the last fanout casts again, however old they are.
#
# With:      oslo.messaging 18.3.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a fanout cast goes to the servers that run. With rabbit_stream_fanout all servers read one stream: a server that starts
#            reads what comes from then on, and what is older than rabbit_transient_queues_ttl, the stream's x-max-age, is gone.
# Happens:   a server starts reading at the offset "last". That is not the end: it is the last chunk that the stream has, of one message
#            or of all that came close together. A server that starts for the first time carries out casts that were made
#            before it existed; one that is restarted carries out again what it had done, at each restart.
#            x-max-age does not prevent it: RabbitMQ removes whole segments of a stream, and never the only one.
# Who meets it: who turns on rabbit_stream_fanout so as not to have a queue for each agent. What was cast last may be days old:
#            an agent that is restarted acts on what was true then.
. "$(dirname "$0")/lib.bash"

python_packages oslo.messaging==18.3.1
rabbitmq 4.3.6-1

cat >"$work/agent.py" <<'PY'
import sys
import time

import oslo_messaging
from oslo_config import cfg

role, name, file, *casts = sys.argv[1:]
cfg.CONF(["--config-file", file], project="agent")
transport = oslo_messaging.get_rpc_transport(cfg.CONF)


class Endpoint:
    target = oslo_messaging.Target(version="1.0")

    def refresh(self, context, cast):
        print(cast, flush=True)


if role == "server":
    server = oslo_messaging.get_rpc_server(transport, oslo_messaging.Target(topic="agents", server=name), [Endpoint()])
    server.start()
    print("started", flush=True)
    sys.stdin.read()
    server.stop()
    server.wait()
else:
    client = oslo_messaging.get_rpc_client(transport, oslo_messaging.Target(topic="agents", version="1.0")).prepare(fanout=True)
    for cast in casts:
        client.cast({}, "refresh", cast=cast)
        time.sleep(1)
PY

cat >"$work/main.py" <<'PY'
import subprocess
import sys
import threading
import time

AGE = 5
program, port, directory = sys.argv[1:]


def settings(name):
    """Writes the settings of the process of that name, and returns their file."""
    file = f"{directory}/{name}.conf"
    with open(file, "w") as out:
        out.write(f"""[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:{port}/
[oslo_messaging_rabbit]
rabbit_quorum_queue = true
rabbit_transient_quorum_queue = true
rabbit_stream_fanout = true
rabbit_qos_prefetch_count = 10
rabbit_transient_queues_ttl = {AGE}
use_queue_manager = true
processname = agent
hostname = {name}
""")
    return file


def command(role, name, *casts):
    return [sys.executable, "-W", "ignore", program, role, name, settings(name), *casts]


class Server:
    """A process with a server; what it printed is what it did."""

    def __init__(self, name):
        self.process = subprocess.Popen(
            command("server", name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.done = []
        self.started = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        if not self.started.wait(60):
            sys.exit("a server did not start")

    def read(self):
        for line in self.process.stdout:
            if line.strip() == "started":
                self.started.set()
            else:
                self.done.append(line.strip())

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
        return self.done


def wait(condition):
    for _ in range(100):
        if condition():
            return
        time.sleep(0.1)


first = Server("one")
time.sleep(2)
subprocess.run(command("client", "api", "cast 1", "cast 2", "cast 3"), check=True, stderr=subprocess.DEVNULL)
wait(lambda: len(first.done) == 3)
print("server one, running, does", first.end())
time.sleep(3 * AGE)
repeats = []
for name in ("two", "one", "one"):
    server = Server(name)
    wait(lambda: server.done)
    time.sleep(1)
    repeats.append(server.end())
    print(f"server {name}, started {3 * AGE} seconds and more after the last cast, does {repeats[-1]}")
sys.exit(0 if first.done == ["cast 1", "cast 2", "cast 3"] and repeats == [["cast 3"]] * 3 else 1)
PY

verdict "$python" "$work/main.py" "$work/agent.py" "$amqp_port" "$work"
