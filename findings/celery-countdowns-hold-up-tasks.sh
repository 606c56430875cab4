#!/usr/bin/env bash
# With RabbitMQ 4 and classic queues, four Celery tasks with a countdown hold up all other tasks of a worker until they run.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), Celery 5.7.0, kombu 5.7.0, amqp 5.4.2
# Expected:  a worker that keeps tasks with a countdown until their time raises its prefetch for each one, so that it gets others
#            meanwhile, as it always did with classic queues. Only with quorum queues, where it cannot, Celery sends such tasks through
#            queues that delay them, and says in its log that the prefetch is static.
# Happens:   from version 4.0 of RabbitMQ on, kombu takes it that the prefetch of consumers may be set at any time, and leaves out the flag
#            global. But without that flag RabbitMQ sets the prefetch of consumers to come, and leaves those that are there as they are, so
#            the raise does nothing. A worker gets no task any more while the four that it may have per process wait for their time.
#            deprecated_features.permit.global_qos of RabbitMQ 4.3 does not change that.
# Who meets it: who updates kombu, or RabbitMQ, and uses countdowns or retries of minutes or hours: tasks that should run at once run
#            after them.
. "$(dirname "$0")/lib.bash"

python_packages celery==5.7.0 kombu==5.7.0 amqp==5.4.2
rabbitmq 4.3.6-1

cat >"$work/shop.py" <<'PY'
import os
import time

from celery import Celery
from kombu import Queue

app = Celery("shop", broker=os.environ["BROKER"])
app.conf.task_ignore_result = True
app.conf.broker_connection_retry_on_startup = True
app.conf.task_default_queue = "tasks"
app.conf.task_queues = [Queue("tasks", durable=True, queue_arguments={"x-queue-type": "classic"})]


@app.task(name="work")
def work(name, sent):
    with open(os.environ["DONE"], "a") as file:
        file.write(f"{name} {time.time() - sent}\n")
PY
cat >"$work/send.py" <<'PY'
import os
import sys
import time

from shop import app, work

COUNTDOWN = 25


def done():
    if not os.path.exists(os.environ["DONE"]):
        return []
    with open(os.environ["DONE"]) as file:
        return [line.split() for line in file]


def send(name, **options):
    work.apply_async((name, time.time()), **options)


send("first")
for _ in range(400):
    if done():
        break
    time.sleep(0.1)
for _ in range(4):
    send("later", countdown=COUNTDOWN)
time.sleep(3)
for _ in range(3):
    send("now")
for _ in range(600):
    if len(done()) == 8:
        break
    time.sleep(0.1)
took = {name: sorted(float(took) for other, took in done() if other == name) for name in ("first", "later", "now")}
print(f"a task before ran after {took['first'][0]:.0f} s; four with a countdown of {COUNTDOWN} s were sent, and 3 s later three without:")
print(f"those ran after {', '.join(f'{seconds:.0f}' for seconds in took['now'])} s")
sys.exit(0 if len(took["now"]) == 3 and min(took["now"]) > COUNTDOWN - 10 else 1)
PY

export BROKER="amqp://guest:guest@127.0.0.1:$amqp_port//" DONE="$work/done"
run_in_background "$work/worker.log" env --chdir="$work" "$python" -m celery -A shop worker --concurrency 1 --without-gossip --without-mingle
verdict env --chdir="$work" "$python" send.py
