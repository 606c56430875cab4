#!/usr/bin/env bash
# After one error of its channel syslog-ng goes on as before, and counts as written what RabbitMQ throws away, until it is started anew.
#
# With:      syslog-ng 4.12.0 with its amqp destination (Debian 4.12.0-2), RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  an exchange that is missing for a while, as when it is deleted and declared again, costs the messages of that while at
#            most. syslog-ng notes the error, keeps its messages in its buffer and tries again after time-reopen, as it does when
#            the connection fails.
# Happens:   RabbitMQ closes the channel with 404, no exchange. syslog-ng does not read it: it publishes each further message on the
#            closed channel, where RabbitMQ ignores it. When the exchange is there again, nothing arrives all the same. syslog-ng writes
#            nothing to its log, and its statistics count all as written, none as queued or dropped. A restart of it helps.
# Who meets it: who deploys the exchange after the loggers, or declares it anew with another type: from then on no log arrives,
#            while syslog-ng's own figures are those of a good day. It is the log of RabbitMQ that says why.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
debian_packages syslog-ng-core=4.12.0-2 syslog-ng-mod-amqp=4.12.0-2
rabbitmq 4.3.6-1

cat >"$work/debian/syslog.conf" <<CONF
@version: 4.8
options { stats(freq(0)); };
source lines { stdin(flags(no-parse)); };
destination rabbitmq {
  amqp(host("127.0.0.1") port($amqp_port) vhost("/") username("guest") password("guest")
    exchange("logs") exchange-type("topic") routing-key("app") body("\$MSG") persistent(yes) time-reopen(1));
};
log { source(lines); destination(rabbitmq); };
CONF
mkdir -p "$work/debian/var/lib/syslog-ng"

cat >"$work/log.py" <<'PY'
import subprocess
import sys
import time

import pika

port, *debian = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
channel = connection.channel()
channel.queue_declare("logs", durable=True)


def exchange():
    channel.exchange_declare("logs", "topic", durable=True)
    channel.queue_bind("logs", "logs", "#")


def arrived():
    """Waits until nothing has come for three seconds."""
    lines, end = [], time.monotonic() + 3
    while time.monotonic() < end:
        body = channel.basic_get("logs", auto_ack=True)[2]
        if body is None:
            connection.process_data_events(0.1)
        else:
            lines.append(body.decode())
            end = time.monotonic() + 3
    return lines


class Logger:
    """A running syslog-ng that forwards lines."""

    def __init__(self):
        self.process = subprocess.Popen(
            [*debian, "syslog-ng", "-F", "-e", "-f", "/syslog.conf", "--no-caps", "--control=/tmp/control"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(2)

    def log(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            time.sleep(0.5)

    def statistics(self):
        out = subprocess.run([*debian, "syslog-ng-ctl", "stats", "--control=/tmp/control"], capture_output=True, text=True).stdout
        rows = [line.split(";") for line in out.splitlines() if line.startswith("dst.amqp")]
        return {kind: int(number) for *_, kind, number in rows if kind in ("written", "queued", "dropped")}

    def end(self):
        """Ends it, and returns what it wrote about its own state but that it started and ended."""
        self.process.stdin.close()
        said = self.process.stdout.read().splitlines()
        self.process.wait(20)
        return [line for line in said if "starting up" not in line and "shutting down" not in line]


exchange()
logger = Logger()
logger.log("one", "two")
first = arrived()
channel.exchange_delete("logs")
logger.log("three")
time.sleep(1)
exchange()
logger.log("four", "five", "six")
second, statistics = arrived(), logger.statistics()
said = logger.end()
logger = Logger()
logger.log("seven")
third = arrived()
logger.end()
print(f"arrived with the exchange {first}, when it had been away for a moment {second}, after a restart of syslog-ng {third}")
print(f"syslog-ng counts {statistics}, and says {said}")
right = first == ["one", "two"] and second == [] and third == ["seven"]
sys.exit(0 if right and statistics == {"written": 6, "queued": 0, "dropped": 0} and said == [] else 1)
PY

verdict "$python" "$work/log.py" "$amqp_port" env LC_ALL=C chroot "$work/debian"
