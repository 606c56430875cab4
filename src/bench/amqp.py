"""The few methods of AMQP that are needed beside the load, and what their arguments are made of."""

import re
import socket
import struct
import time


def short(text):
    return bytes([len(text)]) + text.encode()


def long(text):
    return struct.pack(">I", len(text)) + text.encode()


def table(**fields):
    """A field table of integers and strings; an underscore in a name stands for a hyphen."""
    encoded = b""
    for name, value in fields.items():
        of_type = b"S" + long(value) if isinstance(value, str) else b"l" + struct.pack(">q", value)
        encoded += short(name.replace("_", "-")) + of_type
    return struct.pack(">I", len(encoded)) + encoded


def frame(kind, channel, payload):
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce"


def message(exchange, key, body, headers=b"", **properties):
    """The frames of basic.publish on channel 1. The headers are an encoded table; the properties are delivery_mode, a
    number, and correlation_id, reply_to and expiration, texts."""
    flags, encoded = 0, b""
    if headers:
        flags, encoded = flags | 0x2000, encoded + headers
    if "delivery_mode" in properties:
        flags, encoded = flags | 0x1000, encoded + bytes([properties["delivery_mode"]])
    if "correlation_id" in properties:
        flags, encoded = flags | 0x0400, encoded + short(properties["correlation_id"])
    if "reply_to" in properties:
        flags, encoded = flags | 0x0200, encoded + short(properties["reply_to"])
    if "expiration" in properties:
        flags, encoded = flags | 0x0100, encoded + short(properties["expiration"])
    method = struct.pack(">HH", 60, 40) + b"\0\0" + short(exchange) + short(key) + b"\0"
    header = struct.pack(">HHQH", 60, 0, len(body), flags) + encoded
    return frame(1, 1, method) + frame(2, 1, header) + frame(3, 1, body)


class Client:
    """A connection as guest with one channel."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        # Otherwise Linux keeps a message back until the one before it is acknowledged: up to 40 ms.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.socket.sendall(b"AMQP\0\0\x09\x01")
        self.server = self.expect(10, 10)
        self.method(0, 10, 11, struct.pack(">I", 0) + short("PLAIN") + long("\0guest\0guest") + short("en_US"))
        self.expect(10, 30)
        self.method(0, 10, 31, struct.pack(">HIH", 2047, 131072, 0))
        self.method(0, 10, 40, short("/") + b"\0\0")
        self.expect(10, 41)
        self.method(1, 20, 10, b"\0")
        self.expect(20, 11)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def version(self):
        """What the broker says that it is."""
        found = re.search(rb"\x07versionS....([\w.-]+)", self.server, re.DOTALL)
        return found[1].decode() if found else ""

    def method(self, channel, class_id, method_id, arguments):
        self.socket.sendall(frame(1, channel, struct.pack(">HH", class_id, method_id) + arguments))

    def expect(self, class_id, method_id):
        """Skips frames up to a method's, and returns its arguments."""
        while True:
            header = self.stream.read(7)
            if len(header) < 7:
                raise ConnectionError(f"connection closed while waiting for {class_id}.{method_id}")
            kind, _, size = struct.unpack(">BHI", header)
            payload = self.stream.read(size + 1)[:-1]
            if kind == 1 and payload[:4] == struct.pack(">HH", class_id, method_id):
                return payload[4:]
            if kind == 1 and payload[:4] in (b"\0\x0a\0\x32", b"\0\x14\0\x28"):
                raise ConnectionError(f"closed by the broker: {payload[7 : 7 + payload[6]].decode()}")

    def frames(self, patience):
        """The frames that arrive: when each was read, in ns of the wall clock, its kind and its payload. They end when none
        has come for so many seconds, or the connection ends."""
        buffer = bytearray()
        self.socket.settimeout(patience)
        while True:
            try:
                part = self.socket.recv(1 << 20)
            except TimeoutError:
                return
            now = time.time_ns()
            if not part:
                return
            buffer += part
            at = 0
            while len(buffer) - at >= 8:
                end = at + 8 + int.from_bytes(buffer[at + 3 : at + 7], "big")
                if len(buffer) < end:
                    break
                yield now, buffer[at], bytes(buffer[at + 7 : end - 1])
                at = end
            del buffer[:at]

    def declare(self, queue, passive=False, **arguments):
        """Declares a durable queue, or looks at one; returns how many messages are ready."""
        return self.ready_and_consumers(queue, passive, **arguments)[0]

    def ready_and_consumers(self, queue, passive=True, **arguments):
        self.method(1, 50, 10, b"\0\0" + short(queue) + bytes([1 if passive else 2]) + table(**arguments))
        return self.counts()

    def counts(self):
        """Those of queue.declare-ok: messages that are ready, and consumers."""
        answer = self.expect(50, 11)
        return struct.unpack(">II", answer[1 + answer[0] :][:8])

    def declare_many(self, queues, batch=500, **arguments):
        """Declares queues that do not wait for each other: a batch, then an answer."""
        for first in range(0, len(queues), batch):
            for queue in queues[first : first + batch]:
                self.method(1, 50, 10, b"\0\0" + short(queue) + bytes([2 | 16]) + table(**arguments))
            self.declare(queues[first], **arguments)

    def lengths(self, queues, batch=500):
        """How many messages are ready in each queue: a batch of questions, then its answers."""
        lengths = []
        for first in range(0, len(queues), batch):
            asked = queues[first : first + batch]
            for queue in asked:
                self.method(1, 50, 10, b"\0\0" + short(queue) + bytes([1]) + table())
            lengths += [self.counts()[0] for _ in asked]
        return lengths

    def declare_exchange(self, exchange, kind, durable=True, **arguments):
        flags = bytes([2 if durable else 0])
        self.method(1, 40, 10, b"\0\0" + short(exchange) + short(kind) + flags + table(**arguments))
        self.expect(40, 11)

    def bind_many(self, queue, exchange, keys, batch=500):
        """Binds a queue by many keys: a batch, then an answer."""
        for first in range(0, len(keys), batch):
            for key in keys[first : first + batch]:
                self.method(1, 50, 20, b"\0\0" + short(queue) + short(exchange) + short(key) + b"\1" + table())
            self.bind(queue, exchange, keys[first])

    def bind(self, queue, exchange, key):
        self.method(1, 50, 20, b"\0\0" + short(queue) + short(exchange) + short(key) + b"\0" + table())
        self.expect(50, 21)

    def delete(self, *queues):
        for queue in queues:
            self.method(1, 50, 40, b"\0\0" + short(queue) + b"\0")
            self.expect(50, 41)

    def purge(self, queue):
        """Returns how many messages there were."""
        self.method(1, 50, 30, b"\0\0" + short(queue) + b"\0")
        return struct.unpack(">I", self.expect(50, 31)[:4])[0]

    def confirm(self):
        """Has the broker confirm what is published from now on."""
        self.method(1, 85, 10, b"\0")
        self.expect(85, 11)

    def consume(self, queue):
        """Has deliveries come that need no acknowledgement."""
        self.method(1, 60, 20, b"\0\0" + short(queue) + short("") + b"\2" + table())
        self.expect(60, 21)

    def publish(self, queue, body):
        """Publishes a persistent message."""
        self.socket.sendall(message("", queue, body, delivery_mode=2))

    def take(self, queue):
        """Gets a message and does not acknowledge it."""
        self.method(1, 60, 70, b"\0\0" + short(queue) + b"\0")
        self.expect(60, 71)
