"""How late messages arrive that are due at times of their own.

Lateness is what clients see: from the time before the publish plus the delay to the time at which the delivery has been
read, and has the time of both ways in it. The consumer is a process of its own, so that it does not wait for the publisher.
"""

import struct

from amqp import Client

HEAD = struct.Struct(">QQ")


def body(number, due_ns, size):
    """A body of 16 bytes or more that tells which message this is, and when it is due: ns of the wall clock."""
    return HEAD.pack(number, due_ns) + bytes(size - HEAD.size)


def consume(port, queue, count, patience, results):
    """Takes so many messages; tells how late each was, in ns, how many never came, and how many more than once. It gives up
    after so many seconds without any."""
    client = Client(port)
    client.consume(queue)
    lateness = []
    seen = bytearray(count)
    for now, kind, payload in client.frames(patience):
        if kind == 3:
            number, due = HEAD.unpack_from(payload)
            seen[number] += 1
            lateness.append(now - due)
            if len(lateness) == count:
                break
    results.put((lateness, sum(1 for each in seen if each == 0), sum(1 for each in seen if each > 1)))


def quantile_ms(lateness, never, part):
    """The lateness that this part of the messages kept, in ms; infinite if more than the rest never came."""
    ordered = sorted(lateness) + [float("inf")] * never
    return ordered[int(part * (len(ordered) - 1))] / 1e6
