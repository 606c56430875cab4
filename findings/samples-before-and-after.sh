#!/usr/bin/env bash
# Samples of a queue's length are from before it existed and from a time to come, and its average counts the former.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  lengths_age and lengths_incr give the lengths of a queue at moments of the past, from its declaration until now, and
#            their average.
# Happens:   there is a sample for each step of the whole time that was asked for. Those before the queue was declared are 0, and
#            count in avg: a queue that has had 10 messages all its life has a smaller average. The newest sample bears the end
#            of the step that is not over yet, so its time lies up to one step after the answer.
# Who meets it: who draws charts of young queues, or compares the times of samples with a clock, as a cache or an exporter does.
. "$(dirname "$0")/lib.bash"

rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/samples.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

http_port = sys.argv[1]
STEP, AGE, MESSAGES = 20, 120, 10


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or b"null")


declared = time.time()
api("PUT", "/queues/%2F/young", {"durable": True})
message = {"properties": {}, "routing_key": "young", "payload": "x", "payload_encoding": "string"}
for _ in range(MESSAGES):
    api("POST", "/exchanges/%2F/amq.default/publish", message)
details, until = {}, time.time() + 60
while time.time() < until and not details.get("samples", [{}])[0].get("sample"):
    time.sleep(1)
    asked = time.time()
    details = api("GET", f"/queues/%2F/young?lengths_age={AGE}&lengths_incr={STEP}").get("messages_details", {})
samples = [(each["timestamp"] / 1000, each["sample"]) for each in details["samples"]]
for at, sample in samples:
    print(f"{at - declared:+7.0f} s from the declaration, {at - asked:+7.0f} s from the question: {sample}")
print("avg:", details["avg"])
newest, oldest = samples[0], samples[-1]
seen = (
    len(samples) == AGE // STEP + 1,
    asked < newest[0] <= asked + STEP and newest[1] == MESSAGES,
    oldest[0] < declared - STEP and oldest[1] == 0,
    details["avg"] < MESSAGES,
)
sys.exit(0 if all(seen) else 1)
PY
verdict python3 "$work/samples.py" "$http_port"
