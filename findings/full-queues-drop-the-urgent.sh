#!/usr/bin/env bash
# A full queue with priorities drops its most urgent messages, and keeps the least urgent ones for good.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  a queue with a max-length makes room by dropping what matters least: the oldest of the lowest priority. So a burst of news of
#            priority 0 does not cost an alert of priority 9.
# Happens:   drop-head drops what would be delivered next, the most urgent: in quorum queues, which have priorities without being
#            asked for them, as in classic ones with x-max-priority. Once a queue is full of news, each alert that comes is
#            dropped at once. The publisher gets a confirm for it.
# Who meets it: who bounds the queue of a consumer that may be away, and has urgent messages pass the others. While it is away, the
#            others are what stays. With quorum queues a priority that publishers had always set, and that classic queues without
#            x-max-priority do not look at, decides what is lost.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/urgent.py" <<'PY'
import sys
import time

import pika

connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1])))
channel = connection.channel()
channel.confirm_delivery()
right = True
for name, arguments in (
    ("quorum", {"x-queue-type": "quorum"}),
    ("classic with x-max-priority", {"x-queue-type": "classic", "x-max-priority": 9}),
    ("classic without", {"x-queue-type": "classic"}),
):
    channel.queue_declare(name, durable=True, arguments={**arguments, "x-max-length": 4})
    for number, priority in enumerate([9, 0, 0, 9, 0, 0, 9, 9]):
        body = f"{'alert' if priority else 'news'} {number}"
        channel.basic_publish("", name, body, pika.BasicProperties(priority=priority))
    time.sleep(1)
    kept = []
    while (body := channel.basic_get(name, auto_ack=True)[2]) is not None:
        kept.append(body.decode())
    print(f"{name}: of four alerts and four news, in the order 0 to 7, there are {kept}")
    expected = ["news 4", "news 5", "alert 6", "alert 7"] if name == "classic without" else ["news 1", "news 2", "news 4", "news 5"]
    right &= kept == expected
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/urgent.py" "$amqp_port"
