#!/usr/bin/env bash
# pika reads a header of 0.75 as 0, and cannot send one.
#
# With:      pika 1.4.4, amqp 5.4.2 (kombu's and Celery's client) as the sender; no broker is needed to show it
# Expected:  floats and doubles in message headers arrive as Python floats, and can be sent again.
# Happens:   pika cuts the fraction off, without a word: 0.75 becomes 0, 19.99 becomes 19, -0.5 becomes 0, in tables inside tables
#            and arrays too. Decimals arrive whole. To send a float raises UnsupportedAMQPFieldException before anything is sent.
# Who meets it: a Python consumer of messages from JavaScript, Java, Ruby or kombu, whose headers have a rate, a price or a
#            score: rules like "sample if ratio > 0" go the wrong way and nothing fails; and who copies the headers to send
#            them on sends integers, which a headers exchange does not match with the fractions.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4 amqp==5.4.2 vine==5.1.0

cat >"$work/fractions.py" <<'PY'
from decimal import Decimal
import sys

import pika.data
import pika.exceptions
from amqp.serialization import dumps, loads

sent = {"ratio": 0.75, "price": 19.99, "below": -0.5, "inside": {"list": [2.5]}, "decimal": Decimal("19.99")}
encoded = dumps("F", [sent])
assert loads("F", encoded, 0)[0][0] == sent

read = pika.data.decode_table(encoded, 0)[0]
print("sent:", sent)
print("pika reads:", read)

try:
    pika.data.encode_table([], {"ratio": 0.75})
    raised = None
except pika.exceptions.UnsupportedAMQPFieldException as error:
    raised = type(error).__name__
print("pika sends 0.75:", raised or "done")

same = read == {"ratio": 0, "price": 19, "below": 0, "inside": {"list": [2]}, "decimal": Decimal("19.99")}
sys.exit(0 if same and raised else 1)
PY
verdict "$python" "$work/fractions.py"
