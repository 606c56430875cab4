#!/usr/bin/env bash
# aio-pika sends a float in a header with 32 bits: a time in seconds is off by up to a minute, and 1e39 raises.
#
# With:      aio-pika 10.2.1, aiormq 7.2.4, pamqp 4.0.1
# Expected:  a Python float has 64 bits, and so has the type d of AMQP's field tables: headers={"sent": time.time()} arrives as it
#            was, to the microsecond, and 0.1 as 0.1.
# Happens:   pamqp, which encodes for aiormq and aio-pika, writes each float as the type f, of 32 bits. Of a time in seconds of our
#            days that leaves multiples of 128: it arrives up to 64 seconds too early or too late, without an error on either side.
#            0.1 arrives as 0.10000000149011612, and what is too large for 32 bits raises OverflowError in publish. Arguments of
#            queues and exchanges are written in the same way.
# Who meets it: who puts time.time() into a header to measure how long messages wait, or to drop old ones: ages of minus a minute to
#            plus a minute; who compares a header with a number, as a headers exchange does with bindings of another client.
. "$(dirname "$0")/lib.bash"

python_packages aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1

cat >"$work/floats.py" <<'PY'
import struct
import sys

import aio_pika
from pamqp import commands


def sent(value):
    """The type octet that a header has on the wire, and what another client reads of it."""
    wire = aio_pika.Message(b"", headers={"v": value}).properties.marshal()
    place = wire.index(b"\x01v") + 2
    read = commands.Basic.Properties()
    read.unmarshal(*flags_and_rest(wire))
    return chr(wire[place]), read.headers["v"]


def flags_and_rest(wire):
    return struct.unpack(">H", wire[:2])[0], wire[2:]


same = True
for value, expected in ((1767225663.9, 1767225600.0), (1767225665.0, 1767225728.0), (0.1, 0.10000000149011612), (0.5, 0.5)):
    octet, read = sent(value)
    print(f"{value!r} is sent with the type {octet}, and read as {read!r}: {read - value:+.3f}")
    same = same and (octet, read) == ("f", expected)
try:
    print("1e39", *sent(1e39))
    same = False
except OverflowError as error:
    print(f"1e39 raises {type(error).__name__}: {error}")
sys.exit(0 if same else 1)
PY

verdict "$python" "$work/floats.py"
