#!/usr/bin/env bash
# A Celery task that takes longer than the consumer timeout runs for ever, whatever the delivery limit, and no other task runs.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), Celery 5.7.0, kombu 5.7.0, amqp 5.4.2
# Expected:  with acks_late and a quorum queue, whose limit is 2 here, a task whose ack comes too late is run again, up to three
#            times in all; then it is dead-lettered. Tasks behind it run in between.
# Happens:   at the timeout the broker puts all that the worker has in hand back where it was, and cancels its consumer. For Celery
#            that is a lost connection: no ack is sent any more for what it has in hand, and it fetches the same tasks again. In 4.3 a
#            timeout does not count as a failed delivery, as a closed channel does, which it was before. So the task is first again each
#            time: it ends successfully again and again, and the short tasks behind it do not get their turn.
# Who meets it: who has a task that takes longer than the timeout one day, 30 minutes if nothing is set, because there is more to
#            do than usual: it stops a worker, and its effect is there many times over.
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
app.conf.task_acks_late = True
app.conf.broker_connection_retry_on_startup = True
app.conf.task_default_queue = "tasks"
app.conf.task_queues = [
    Queue("tasks", durable=True, queue_arguments={
        "x-queue-type": "quorum", "x-consumer-timeout": 2000, "x-delivery-limit": 2,
        "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"})
]


@app.task(name="work")
def work(name, seconds):
    time.sleep(seconds)
    with open(os.environ["DONE"], "a") as file:
        file.write(name + "\n")
PY
cat >"$work/watch.py" <<'PY'
import os
import sys
import time

from kombu import Queue

from shop import app, work

LONG_RUNS = 6
with app.connection_for_write() as connection:
    channel = connection.default_channel
    Queue("dead", durable=True)(channel).declare()
    app.amqp.queues["tasks"](channel).declare()
    work.apply_async(("long", 4))
    for _ in range(2):
        work.apply_async(("short", 0))
    done = []
    for _ in range(600):
        time.sleep(0.1)
        if os.path.exists(os.environ["DONE"]):
            with open(os.environ["DONE"]) as file:
                done = file.read().split()
        if done.count("long") >= LONG_RUNS or done.count("short"):
            break
    dead = channel.queue_declare("dead", passive=True).message_count
print(f"the long task was done {done.count('long')} times, short tasks {done.count('short')} times, dead letters {dead}")
sys.exit(0 if done == ["long"] * LONG_RUNS and dead == 0 else 1)
PY

export BROKER="amqp://guest:guest@127.0.0.1:$amqp_port//" DONE="$work/done"
run_in_background "$work/worker.log" env --chdir="$work" "$python" -m celery -A shop worker --concurrency 1 --without-gossip --without-mingle
verdict env --chdir="$work" "$python" watch.py
