#!/usr/bin/env bash
# With quorum queues Celery refuses a countdown below one second, and an eta that is a second ahead.
#
# With:      Celery 5.7.0, kombu 5.7.0; no broker is needed to show it, since the client itself refuses
# Expected:  apply_async(countdown=0.5) is sent, as it is with classic queues: at worst the task runs a little early or late.
# Happens:   once any queue of the app is a quorum queue, and exchanges are of the type topic, as delays need then, it raises
#            ValueError "countdown must be a positive number", though 0.5 is positive: the delay is cut to whole seconds
#            first, and 0 is then refused. countdown=0 is fine, and so is 1.
#            eta=now+1s always raises, because it is a little less than a second away when it is looked at.
# Who meets it: who moves a working application to quorum queues. Tasks that wait for half a second, or that retry with a
#            countdown that is computed (jitter, a rate limit's remaining time), fail now and then at the sender.
. "$(dirname "$0")/lib.bash"

python_packages celery==5.7.0 kombu==5.7.0 amqp==5.4.2

cat >"$work/countdown.py" <<'PY'
import datetime
import socket
import sys

from celery import Celery
from kombu import Exchange, Queue
from kombu.exceptions import OperationalError

with socket.socket() as nobody:
    # Bound, but not listening: who gets past the client's own checks is refused the connection.
    nobody.bind(("127.0.0.1", 0))
    port = nobody.getsockname()[1]

    def outcome(queue_type, when):
        app = Celery("shop", broker=f"amqp://guest:guest@127.0.0.1:{port}//", set_as_current=False)
        app.conf.task_publish_retry = False
        app.conf.broker_transport_options = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
        app.conf.task_ignore_result = True
        app.conf.task_default_queue = "orders"
        exchange = Exchange("orders", type="topic")
        app.conf.task_queues = [
            Queue("orders", exchange, routing_key="orders", queue_arguments={"x-queue-type": queue_type})
        ]
        app.conf.task_default_exchange = "orders"
        app.conf.task_default_exchange_type = "topic"
        app.conf.task_default_routing_key = "orders"
        try:
            app.send_task("send", **when())
        except OperationalError:
            return "goes to the broker"
        except ValueError as error:
            return f"ValueError: {error}"

    def in_a_second():
        return {"eta": datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)}

    cases = {
        "countdown 0": lambda: {"countdown": 0},
        "countdown 0.5": lambda: {"countdown": 0.5},
        "countdown 0.99": lambda: {"countdown": 0.99},
        "countdown 1": lambda: {"countdown": 1},
        "eta in 1 s": in_a_second,
    }
    refused = set()
    for queue_type in "classic", "quorum":
        for name, when in cases.items():
            seen = outcome(queue_type, when)
            print(f"{queue_type}, {name}: {seen}")
            if seen == "ValueError: countdown must be a positive number":
                refused.add((queue_type, name))
            elif seen != "goes to the broker":
                sys.exit(1)

sys.exit(0 if refused == {("quorum", name) for name in ("countdown 0.5", "countdown 0.99", "eta in 1 s")} else 1)
PY
verdict "$python" "$work/countdown.py"
