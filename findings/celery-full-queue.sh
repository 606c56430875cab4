#!/usr/bin/env bash
# For Celery a full queue is a broken connection: three new connections within a moment, and an error without a text.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), Celery 5.7.0, kombu 5.7.0, amqp 5.4.2
# Expected:  with confirm_publish a task for a full queue (x-overflow reject-publish) fails with an exception that says that the
#            broker refused it, after the pauses of task_publish_retry_policy: by default 0, 0.2 and 0.4 s between four tries.
# Happens:   each basic.nack makes kombu close the connection without a goodbye (the broker logs a warning) and open a new
#            one. The tries follow each other at once: the policy's pauses are those between attempts to connect, and connecting
#            succeeds. Then comes OperationalError with an empty text; MessageNacked is only its cause.
# Who meets it: who bounds queues and turns confirms on to slow producers down: they do not wait but open connections,
#            three for each task, just when the broker is full; and the log of the application says nothing of why.
. "$(dirname "$0")/lib.bash"

python_packages celery==5.7.0 kombu==5.7.0 amqp==5.4.2
rabbitmq 4.3.6-1

cat >"$work/full.py" <<'PY'
import sys
import time

from celery import Celery
from kombu import Queue

port, log = sys.argv[1:]
app = Celery("shop", broker=f"amqp://guest:guest@127.0.0.1:{port}//")
app.conf.task_ignore_result = True
app.conf.broker_transport_options = {"confirm_publish": True}
app.conf.task_queues = [
    Queue("orders", durable=True, queue_arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
]


def connections():
    with open(log) as lines:
        return sum("accepting AMQP connection" in line for line in lines)


app.send_task("send", queue="orders")
before = connections()
began = time.monotonic()
try:
    app.send_task("send", queue="orders")
    seen = None
except Exception as error:
    seen = type(error).__name__, str(error), type(error.__cause__).__name__
took = time.monotonic() - began
time.sleep(1)
opened = connections() - before
print("with retries, as is the default:", seen)
print(f"new connections: {opened}, and all together took {took:.2f} s")
same = seen == ("OperationalError", "", "MessageNacked") and opened >= 3 and took < 0.5
sys.exit(0 if same else 1)
PY
verdict "$python" "$work/full.py" "$amqp_port" "$work/rabbitmq.log"
