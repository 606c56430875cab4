#!/usr/bin/env bash
# A stream that is full and read is declared to have no messages and no consumers, and if-unused and if-empty delete it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  queue.declare-ok has the number of messages and of consumers, as for classic and quorum queues. queue.delete with
#            if-unused or if-empty is refused with 406, as by a classic queue that is used or has messages; or with 540, as by
#            every quorum queue, which does not support these flags.
# Happens:   declare-ok says 0 messages and 0 consumers, while three confirmed messages are in the stream and a consumer has
#            got them. queue.delete with if-unused deletes the stream, its messages and its consumer; so does if-empty.
# Who meets it: tools that clean up by deleting what is not used or empty, and leave it to the broker to refuse the rest; health
#            checks and autoscalers that count by a passive declaration.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/streams.py" <<'PY'
import sys

import pika

parameters = pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))
MESSAGES = 3


def deletion(kind, **flag):
    """Fills a queue, reads it, and deletes it on a condition that does not hold; returns what was seen."""
    connection = pika.BlockingConnection(parameters)
    channel = connection.channel()
    name = f"{kind}.{'.'.join(flag)}"
    channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind})
    channel.confirm_delivery()
    for _ in range(MESSAGES):
        channel.basic_publish("", name, b"m", pika.BasicProperties(delivery_mode=2))
    reader = connection.channel()
    reader.basic_qos(prefetch_count=MESSAGES)
    got, cancelled = [], []
    reader.add_on_cancel_callback(cancelled.append)
    if "if_unused" in flag:
        arguments = {"x-stream-offset": "first"} if kind == "stream" else {}
        reader.basic_consume(name, lambda *delivery: got.append(delivery), arguments=arguments)
        while len(got) < MESSAGES:
            connection.process_data_events(time_limit=1)
    told = channel.queue_declare(name, passive=True).method
    try:
        channel.queue_delete(name, **flag)
        connection.process_data_events(time_limit=1)
        answer = f"deleted, consumers cancelled: {len(cancelled)}"
    except pika.exceptions.ChannelClosedByBroker as refused:
        answer = str(refused.reply_code)
    except pika.exceptions.ConnectionClosedByBroker as refused:
        answer = str(refused.reply_code)
    print(f"{kind}, {MESSAGES} messages, {len(got)} got by a consumer: declare-ok says {told.message_count} messages, "
          f"{told.consumer_count} consumers; delete {' '.join(flag)}: {answer}")
    if connection.is_open:
        connection.close()
    return told.message_count, told.consumer_count, answer


seen = {
    (kind, flag): deletion(kind, **{flag: True})
    for kind in ("classic", "quorum", "stream")
    for flag in ("if_unused", "if_empty")
}
holds = (
    seen["classic", "if_unused"] == (0, 1, "406")
    and seen["classic", "if_empty"] == (MESSAGES, 0, "406")
    and seen["quorum", "if_unused"][1:] == (1, "540")
    and seen["quorum", "if_empty"][2] == "540"
    and seen["stream", "if_unused"] == (0, 0, "deleted, consumers cancelled: 1")
    and seen["stream", "if_empty"] == (0, 0, "deleted, consumers cancelled: 0")
)
sys.exit(0 if holds else 1)
PY
verdict "$python" "$work/streams.py" "$amqp_port"
