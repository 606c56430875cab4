#!/usr/bin/env bash
# A delayed message of dramatiq never runs if its worker is restarted 21 times before, when queues are quorum queues.
#
# With:      dramatiq 2.2.1, pika 1.4.4, RabbitMQ 4.3.6 (Debian 4.3.6-1) with default_queue_type = quorum
# Expected:  a message that is sent with a delay waits in the broker, and restarts of the worker do not matter to it: the actor has
#            not even been called, let alone failed.
# Happens:   workers fetch delayed messages at once and hold them, unacknowledged, until it is time. At a stop they leave it to the closed
#            connection to give them back, and a quorum queue counts that as a failed delivery. At the 21st stop the default
#            limit of 20 is passed, and the message goes to the queue for dead letters, mails.XQ, where it is deleted after a week.
#            No log of dramatiq or of RabbitMQ tells of it. With classic queues the message waits on.
# Who meets it: who sends messages with delays of days (a reminder, the end of a trial) and deploys several times a day, once the
#            virtual host's default type of queues is quorum; dramatiq declares its queues without a type.
. "$(dirname "$0")/lib.bash"

python_packages dramatiq==2.2.1 pika==1.4.4
rabbitmq_conf='default_queue_type = quorum'
rabbitmq 4.3.6-1

cat >"$work/restarts.py" <<'PY'
import logging
import sys
import time

import dramatiq
import pika
from dramatiq.brokers.rabbitmq import RabbitmqBroker

port = int(sys.argv[1])
RESTARTS = 22
DAY = 24 * 3600 * 1000
logging.disable()


class Classic(RabbitmqBroker):
    """Declares classic queues, whatever the default of the virtual host is."""

    def _build_queue_arguments(self, queue_name):
        return {**super()._build_queue_arguments(queue_name), "x-queue-type": "classic"}


def wait(condition):
    """Waits until the condition holds, ten seconds at most, and returns whether it does."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


def restarts(channel, kind, queue):
    """Restarts a worker while a message waits, and returns after how many restarts it is a dead letter, and which dead letters there are."""

    def count(of):
        return channel.queue_declare(of, passive=True).method.message_count

    for restart in range(RESTARTS + 1):
        broker = kind(host="127.0.0.1", port=port)

        @dramatiq.actor(broker=broker, queue_name=queue, actor_name="send")
        def send():
            raise AssertionError("called before it is time")

        if restart == 0:
            send.send_with_options(delay=DAY)
        else:
            worker = dramatiq.Worker(broker, worker_threads=1)
            worker.start()
            if not wait(lambda: count(queue + ".DQ") == 0):
                sys.exit("the worker does not take the message")
            worker.stop()
        broker.close()
        if not wait(lambda: count(queue + ".DQ") + count(queue + ".XQ") == 1):
            sys.exit("the message is in no queue")
        if count(queue + ".XQ"):
            break
    dead = count(queue + ".XQ")
    print(f"{kind.__name__}: after {restart} restarts delayed messages: {count(queue + '.DQ')}, dead letters: {dead}", flush=True)
    return restart, dead


with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port)) as connection:
    channel = connection.channel()
    same = restarts(channel, Classic, "classic") == (RESTARTS, 0)
    same &= restarts(channel, RabbitmqBroker, "mails") == (21, 1)
    sys.exit(0 if same else 1)
PY
verdict "$python" "$work/restarts.py" "$amqp_port"
