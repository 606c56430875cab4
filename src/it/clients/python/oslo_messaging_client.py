"""oslo.messaging: remote calls and notifications of OpenStack, on kombu, in Python."""

import os
import queue
import tempfile
import time
from importlib.metadata import version
from urllib.parse import urlencode

import oslo_messaging as messaging
from oslo_concurrency import lockutils
from oslo_config import cfg

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")
TRANSPORT_URL = URL.replace("amqp://", "rabbit://").replace("%2f", "%2F")


# Where programs of one machine agree on the names of their queues.
lockutils.set_defaults(tempfile.mkdtemp())


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def transport(make, **options):
    # The options of one transport are in its URL; a service has them in its configuration file.
    usual = {"amqp_durable_queues": True, "kombu_reconnect_delay": 0.2, "rabbit_retry_interval": 1}
    return make(cfg.CONF, url=f"{TRANSPORT_URL}?{urlencode(usual | options)}")


class Calculator:
    """What a server offers. A call is answered through an exclusive queue of the caller's."""

    target = messaging.Target(namespace="sums", version="1.0")

    def __init__(self):
        self.noted = queue.Queue()

    def add(self, _context, a, b):
        return a + b

    def fail(self, _context):
        raise ValueError("as asked")

    def note(self, _context, text):
        self.noted.put(text)


class Listener:
    def __init__(self):
        self.heard = queue.Queue()

    def info(self, _context, publisher, event, payload, metadata):
        self.heard.put((publisher, event, payload))
        return messaging.NotificationResult.HANDLED


def server(made, name, endpoint, topic="sums"):
    target = messaging.Target(topic=topic, server=name)
    running = messaging.get_rpc_server(made, target, [endpoint])
    running.start()
    return running


def calls(client, kind):
    assert client.call({}, "add", a=20, b=22) == 42
    try:
        client.call({}, "fail")
        raise AssertionError("the call succeeded")
    except ValueError as error:
        assert "as asked" in str(error), error
    ok(kind, "a call returns, and so does the error of another")


def fanout(client, endpoints):
    client.prepare(fanout=True).cast({}, "note", text="to all")
    for endpoint in endpoints:
        assert endpoint.noted.get(timeout=60) == "to all"
    ok("fanout", "a cast reaches both servers")
    try:
        client.prepare(topic="nobody", timeout=1).call({}, "add", a=1, b=1)
        raise AssertionError("nobody answered")
    except messaging.MessagingTimeout:
        ok("timeout", "a call that nobody answers ends")


def notifications():
    """Events of one service that another one reads."""
    made = transport(messaging.get_notification_transport)
    listener = Listener()
    running = messaging.get_notification_listener(
        made, [messaging.Target(topic="events")], [listener]
    )
    running.start()
    notifier = messaging.Notifier(made, "shop", driver="messagingv2", topics=["events"])
    for number in range(20):
        notifier.info({}, "order.new", {"number": number})
    heard = [listener.heard.get(timeout=60) for _ in range(20)]
    assert heard == [("shop", "order.new", {"number": number}) for number in range(20)], heard
    running.stop()
    running.wait()
    made.cleanup()
    ok("notifications", "20 notifications arrive in order")


def quorum():
    """The form that OpenStack recommends: quorum queues, and a stream instead of fanout queues."""
    made = transport(
        messaging.get_rpc_transport,
        rabbit_quorum_queue=True,
        rabbit_transient_quorum_queue=True,
        rabbit_stream_fanout=True,
        rabbit_qos_prefetch_count=10,
        use_queue_manager=True,
    )
    endpoint = Calculator()
    running = server(made, "s0", endpoint, "totals")
    client = messaging.get_rpc_client(
        made, messaging.Target(topic="totals", namespace="sums"), timeout=60
    )
    calls(client, "quorum")
    client.prepare(fanout=True).cast({}, "note", text="by stream")
    assert endpoint.noted.get(timeout=60) == "by stream"
    ok("stream", "a cast to all goes through a stream")
    running.stop()
    running.wait()
    made.cleanup()


def restart(client):
    print("restart", flush=True)
    input()
    deadline = time.monotonic() + 60
    while True:
        try:
            assert client.prepare(timeout=3).call({}, "add", a=1, b=2) == 3
            break
        except messaging.MessagingException:
            assert time.monotonic() < deadline, "no call returns after the restart"
    ok("restart", "the servers and the caller go on")


def main():
    print(f"version {version('oslo.messaging')}", flush=True)
    notifications()
    made = transport(messaging.get_rpc_transport)
    endpoints = [Calculator(), Calculator()]
    servers = [server(made, f"s{i}", endpoint) for i, endpoint in enumerate(endpoints)]
    client = messaging.get_rpc_client(
        made, messaging.Target(topic="sums", namespace="sums"), timeout=60
    )
    calls(client, "rpc")
    fanout(client, endpoints)
    quorum()
    restart(client)
    for running in servers:
        running.stop()
        running.wait()
    made.cleanup()


if __name__ == "__main__":
    main()
