#!/usr/bin/env python3
"""Prints what a broker does with connections and frames: "Connections" of docs/compatibility.md.

    src/it/dialects/connections.py --port 5672
    src/it/dialects/connections.py --port 45672 --vhost try frames      RabbitMQ, one group only

It needs pika and requests, and a user who may do anything in the virtual host. Each case has a socket of its own, and sends it bytes.
"""

import socket
import struct
import time

import pika
from pika import frame, spec
from pika.data import encode_table

import broker as peer

HEADER = b"AMQP\x00\x00\x09\x01"
CAPABILITIES = {"authentication_failure_close": True, "basic.nack": True, "consumer_cancel_notify": True, "connection.blocked": True}


class Wire:
    """A socket that says what it reads."""

    def __init__(self, broker, header=HEADER):
        self.broker = broker
        self.socket = socket.create_connection(("127.0.0.1", broker.port), 5)
        self.buffer = b""
        self.socket.sendall(header)

    def send(self, method, channel=0):
        self.socket.sendall(frame.Method(channel, method).marshal())

    def raw(self, kind, channel, payload, end=b"\xce"):
        self.socket.sendall(struct.pack(">BHI", kind, channel, len(payload)) + payload + end)

    def read(self, seconds=3.0):
        """The next frame that is no heartbeat, or what there is instead."""
        until = time.monotonic() + seconds
        while True:
            size, got = frame.decode_frame(self.buffer) if not self.buffer.startswith(b"AMQP") else (8, None)
            if size and len(self.buffer) >= size:
                header, self.buffer = self.buffer[:size], self.buffer[size:]
                if got is None:
                    return f"AMQP {' '.join(str(each) for each in header[4:])}"
                if not isinstance(got, frame.Heartbeat):
                    return got
                continue
            self.socket.settimeout(max(0.01, until - time.monotonic()))
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                return f"silence for {seconds:.0f} s"
            except OSError:
                return "closed"
            if not data:
                return "closed"
            self.buffer += data

    def told(self, seconds=5.0):
        got = self.read(seconds)
        if not isinstance(got, frame.Method):
            return got if isinstance(got, str) else type(got).__name__
        method = got.method
        told = method.NAME
        if hasattr(method, "reply_text"):
            told += f" {method.reply_code} {method.reply_text[:150].splitlines()[0]}"
        return told

    def login(self, mechanism="PLAIN", response=None, properties=None, locale="en_US"):
        self.read()
        if response is None:
            response = f"\0{self.broker.user}\0{self.broker.password}"
        self.send(spec.Connection.StartOk({"capabilities": CAPABILITIES} if properties is None else properties, mechanism, response, locale))
        return self

    def tune(self, channel_max=2047, frame_max=131072, heartbeat=0):
        self.read()
        self.send(spec.Connection.TuneOk(channel_max, frame_max, heartbeat))
        return self

    def open(self, vhost=None, channels=1):
        self.login().tune()
        self.send(spec.Connection.Open(virtual_host=self.broker.vhost if vhost is None else vhost))
        self.read()
        for channel in range(1, channels + 1):
            self.send(spec.Channel.Open(), channel)
            self.read()
        return self


def handshake(broker):
    def wire(header=HEADER):
        return Wire(broker, header)

    for header in (b"AMQP\x01\x01\x00\x09", b"AMQP\x01\x01\x09\x01", b"AMQP\x00\x00\x08\x00", b"AMQP\x03\x01\x00\x00", b"GET / HT"):
        peer_wire = wire(header)
        yield f"header {header!r}", f"{peer_wire.told()}, then {peer_wire.told(2)}"
    start = wire().read().method
    yield "version", f"{start.version_major}.{start.version_minor}, mechanisms {sorted(start.mechanisms.decode().split())}, locales {start.locales}"
    yield "server properties", str(sorted(start.server_properties))
    yield "capabilities", str(sorted(start.server_properties["capabilities"]))
    tune = wire().login().read().method
    yield "tune", f"channel_max {tune.channel_max}, frame_max {tune.frame_max}, heartbeat {tune.heartbeat}"
    for what, given in (("a wrong password", {"response": "\0guest\0wrong"}), ("an unknown mechanism", {"mechanism": "OTHER"}), ("ANONYMOUS", {"mechanism": "ANONYMOUS"}),
                        ("EXTERNAL", {"mechanism": "EXTERNAL"}), ("PLAIN without a password", {"response": "\0guest"}), ("PLAIN with an empty password", {"response": "\0guest\0"}),
                        ("AMQPLAIN", {"mechanism": "AMQPLAIN", "response": amqplain(broker)}), ("a locale that is not offered", {"locale": "de_DE"}),
                        ("capabilities that are a text", {"properties": {"capabilities": "x"}}),
                        ("a response of 9,000 bytes", {"response": "\0guest\0" + "x" * 9000}), ("a response of 7,000 bytes", {"response": "\0guest\0" + "x" * 7000})):
        begin = time.monotonic()
        it = wire().login(**given)
        yield what, f"{it.told()}, {'at once' if time.monotonic() - begin < 0.5 else f'after {time.monotonic() - begin:.0f} s'}"
    begin = time.monotonic()
    yield "a wrong password, without authentication_failure_close", f"{wire().login(response=chr(0) + 'guest' + chr(0) + 'wrong', properties={}).told(5)} after {time.monotonic() - begin:.0f} s"

    def tuned(**given):
        begin = time.monotonic()
        it = wire().login().tune(**given)
        it.send(spec.Connection.Open(virtual_host=broker.vhost))
        return f"{it.told()}{'' if time.monotonic() - begin < 0.5 else f', after {time.monotonic() - begin:.0f} s'}"

    for given in ({"frame_max": 4096}, {"frame_max": 4095}, {"frame_max": 8191}, {"frame_max": 8192}, {"frame_max": 0}, {"frame_max": 131073}, {"channel_max": 0}, {"channel_max": 2048},
                  {"channel_max": 65535}, {"channel_max": 1}, {"heartbeat": 600}):
        yield f"tune-ok with {given}", tuned(**given)
    it = wire().login().tune()
    it.send(spec.Connection.Open(virtual_host="dialect.none"))
    yield "connection.open of no virtual host", it.told()
    it = wire()
    it.read()
    it.send(spec.Connection.Open(virtual_host=broker.vhost))
    yield "connection.open instead of start-ok", it.told()
    it = wire()
    it.read()
    it.send(spec.Channel.Open(), 1)
    yield "channel.open instead of start-ok", it.told()
    it = wire().open(channels=0)
    it.send(spec.Connection.UpdateSecret("other", "reason"))
    yield "connection.update-secret", it.told()
    it = wire().open(channels=0)
    it.send(spec.Connection.Close(200, "bye", 0, 0))
    yield "connection.close", f"{it.told()}, then {it.told(8)}"
    it = wire().open()
    it.send(spec.Channel.Close(200, "bye", 0, 0), 1)
    yield "channel.close", it.told()


def size(broker):
    def published(channel, megabytes):
        channel.queue_declare("dialect.q", durable=True)
        channel.confirm_delivery()
        channel.basic_publish("", "dialect.q", b"x" * (megabytes << 20))
        channel.queue_purge("dialect.q")
        return "confirmed"

    for megabytes in (16, 17):
        yield f"a message of {megabytes} MiB", broker.run(published, megabytes)
    broker.run(lambda channel: channel.queue_delete("dialect.q"))


def amqplain(broker):
    pieces = []
    encode_table(pieces, {"LOGIN": broker.user, "PASSWORD": broker.password})
    return b"".join(pieces)[4:].decode("latin-1")


def frames(broker):
    def case(send, channels=1):
        wire = Wire(broker).open(channels=channels)
        send(wire)
        first = wire.told(2)
        if first.startswith("Connection.Close "):
            wire.send(spec.Connection.CloseOk())
        return first

    header = struct.pack(">HHQH", 60, 0, 5, 0)

    def publish(wire, *then):
        wire.send(spec.Basic.Publish(exchange="", routing_key="dialect.none"), 1)
        for each in then:
            each(wire)

    cases = (
        ("an unknown frame type", lambda w: w.raw(7, 1, b"x")), ("a bad end of a frame", lambda w: w.raw(1, 1, b"\0\x14\0\x28\0", b"\0")),
        ("a frame that is too large", lambda w: w.socket.sendall(struct.pack(">BHI", 1, 1, 200000) + b"x" * 200001)),
        ("an unknown class", lambda w: w.raw(1, 1, struct.pack(">HH", 99, 10))), ("an unknown method", lambda w: w.raw(1, 1, struct.pack(">HH", 50, 99))),
        ("a method that is cut off", lambda w: w.raw(1, 1, struct.pack(">HHH", 50, 10, 0))),
        ("an empty method frame", lambda w: w.raw(1, 1, b"")),
        ("a header without a publish", lambda w: w.raw(2, 1, header)), ("a body without a publish", lambda w: w.raw(3, 1, b"x")),
        ("a method instead of a header", lambda w: publish(w, lambda w: w.send(spec.Queue.Declare(passive=True, queue="q"), 1))),
        ("a method instead of a body", lambda w: publish(w, lambda w: w.raw(2, 1, header), lambda w: w.send(spec.Queue.Declare(passive=True, queue="q"), 1))),
        ("a body instead of a header", lambda w: publish(w, lambda w: w.raw(3, 1, b"x"))),
        ("a header of another class", lambda w: publish(w, lambda w: w.raw(2, 1, struct.pack(">HHQH", 50, 0, 5, 0)))),
        ("a body that is too long", lambda w: publish(w, lambda w: w.raw(2, 1, header), lambda w: w.raw(3, 1, b"x" * 9))),
        ("a header of 300 MB", lambda w: publish(w, lambda w: w.raw(2, 1, struct.pack(">HHQH", 60, 0, 300_000_000, 0)))),
        ("a header with weight 1", lambda w: publish(w, lambda w: w.raw(2, 1, struct.pack(">HHQH", 60, 1, 0, 0)), lambda w: w.send(spec.Channel.Flow(True), 1))),
        ("properties that are cut off", lambda w: publish(w, lambda w: w.raw(2, 1, struct.pack(">HHQH", 60, 0, 0, 0x8000)), lambda w: w.send(spec.Channel.Flow(True), 1))),
        ("a method of the server", lambda w: w.send(spec.Queue.DeclareOk("q", 0, 0), 1)), ("basic.deliver", lambda w: w.send(spec.Basic.Deliver("c", 1, False, "", ""), 1)),
        ("a channel that is not open", lambda w: w.send(spec.Queue.Declare(queue="q"), 7)), ("channel.open twice", lambda w: w.send(spec.Channel.Open(), 1)),
        ("channel.open on channel 0", lambda w: w.send(spec.Channel.Open(), 0)), ("queue.declare on channel 0", lambda w: w.send(spec.Queue.Declare(queue="q"), 0)),
        ("connection.close on channel 1", lambda w: w.send(spec.Connection.Close(200, "", 0, 0), 1)),
        ("channel.open above channel_max", lambda w: w.send(spec.Channel.Open(), 2048)), ("channel.close of one that is not open", lambda w: w.send(spec.Channel.Close(200, "", 0, 0), 7)),
        ("channel.close-ok of one that is not open", lambda w: w.send(spec.Channel.CloseOk(), 7)),
        ("connection.close-ok without close", lambda w: w.send(spec.Connection.CloseOk(), 0)), ("connection.start-ok again", lambda w: w.send(spec.Connection.StartOk({}, "PLAIN", "", ""), 0)),
        ("connection.tune-ok again", lambda w: w.send(spec.Connection.TuneOk(0, 0, 0), 0)), ("connection.open again", lambda w: w.send(spec.Connection.Open("/"), 0)),
        ("a heartbeat on channel 1", lambda w: w.raw(8, 1, b"")), ("a heartbeat with a payload", lambda w: w.raw(8, 0, b"x")),
        ("connection.blocked by a client", lambda w: w.send(spec.Connection.Blocked("x"), 0)), ("connection.unblocked by a client", lambda w: w.send(spec.Connection.Unblocked(), 0)))
    for what, send in cases:
        yield what, case(send)
    wire = Wire(broker).login().tune(channel_max=2)
    wire.send(spec.Connection.Open(virtual_host=broker.vhost))
    wire.read()
    told = []
    for channel in (1, 2, 3):
        wire.send(spec.Channel.Open(), channel)
        told.append(wire.told())
    yield "channels 1 to 3 with channel_max 2", str(told)
    wire = Wire(broker).open()
    wire.send(spec.Queue.Declare(queue="dialect.none", passive=True), 1)
    told = [wire.told()]
    wire.send(spec.Channel.Open(), 1)
    told.append(wire.told())
    yield "channel.open of a channel that awaits close-ok", str(told)


def heartbeats(broker):
    wire = Wire(broker).login().tune(heartbeat=1)
    wire.send(spec.Connection.Open(virtual_host=broker.vhost))
    wire.read()
    begin = time.monotonic()
    got = wire.told(10)
    yield "a client that sends nothing, heartbeat 1 s", f"{got} after {time.monotonic() - begin:.0f} s"
    wire = Wire(broker).login().tune(heartbeat=2)
    wire.send(spec.Connection.Open(virtual_host=broker.vhost))
    wire.read()
    begin = time.monotonic()
    wire.socket.settimeout(5)
    wire.socket.recv(8)
    yield "first heartbeat of the broker, heartbeat 2 s", f"after {time.monotonic() - begin:.1f} s"
    for what, header in (("no header", b""), ("a header only", HEADER)):
        begin = time.monotonic()
        wire = Wire(broker, header)
        if header:
            wire.read()
        yield what, f"{wire.told(20)} after {time.monotonic() - begin:.0f} s"


GROUPS = {each.__name__: each for each in (handshake, frames, size, heartbeats)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
