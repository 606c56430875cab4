#!/usr/bin/env bash
# With OpenTelemetry's instrumentation of pika, all that a program does after a consume loop belongs to the last message's trace.
#
# With:      opentelemetry-instrumentation-pika 0.66b1, opentelemetry-sdk 1.45.1, pika 1.4.4, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  what is done for a message is in its trace; what comes later, after the loop over channel.consume(), begins one of its
#            own. Publishing one message is one span, and leaves the properties that the caller passed as they are.
# Happens:   - the loop makes each message's span current and never takes it away again: what is done while it waits for the next one, and
#            after loop and cancel, is a child of the last message's span, for as long as the thread lives. A message that is published
#            then carries that trace on, to all its consumers.
#            - each publish of a BlockingConnection makes two spans, one in the other.
#            - the caller's own dict of headers holds the traceparent of the last message that was sent with it.
#            A callback with basic_consume does not have the first of these.
# Who meets it: who consumes with the generator, in batches above all: the flush after the loop, or the next poll, hangs on one message.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4 opentelemetry-sdk==1.45.1 opentelemetry-instrumentation-pika==0.66b1
rabbitmq 4.3.6-1

cat >"$work/traces.py" <<'PY'
import sys

import pika
from opentelemetry import trace
from opentelemetry.instrumentation.pika import PikaInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

ended = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ended))
trace.set_tracer_provider(provider)
PikaInstrumentor().instrument()
tracer = trace.get_tracer("shop")


def work(name):
    """Does some work in a span, and returns the span."""
    with tracer.start_as_current_span(name) as span:
        return span


def trace_of(span):
    return span.get_span_context().trace_id


def by_generator(channel):
    for method, _, body in channel.consume("orders", inactivity_timeout=2):
        if method is None:
            break
        channel.basic_ack(method.delivery_tag)
        yield body
    channel.cancel()


def by_callback(channel):
    bodies = []

    def handle(channel, method, _, body):
        channel.basic_ack(method.delivery_tag)
        bodies.append(body)
        if len(bodies) == 2:
            channel.stop_consuming()

    channel.basic_consume("orders", handle)
    channel.start_consuming()
    yield from bodies


connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1])))
channel = connection.channel()
channel.queue_declare("orders", durable=True)
same = True
for consume in by_callback, by_generator:
    headers = {"shop": "north"}
    sent = []
    for number in range(2):
        with tracer.start_as_current_span(f"order {number}") as span:
            sent.append(trace_of(span))
            channel.basic_publish("", "orders", str(number).encode(), pika.BasicProperties(headers=headers))
    names = [span.name for span in ended.get_finished_spans()]
    bodies = list(consume(channel))
    after = work("nightly report")
    traces = {sent[-1]: "the last message's trace"}
    found = traces.get(trace_of(after), "a trace of its own" if after.parent is None else "another trace")
    producers = sum(span.kind is trace.SpanKind.PRODUCER for span in ended.get_finished_spans())
    print(f"{consume.__name__}: {len(bodies)} messages; the work after it is in {found}")
    print(f"  spans of publishing for {len(sent)} messages: {producers}; headers of the caller: {', '.join(headers)}")
    expected = "the last message's trace" if consume is by_generator else "a trace of its own"
    same &= len(bodies) == 2 and found == expected and producers == 4 and list(headers) == ["shop", "traceparent"]
    ended.clear()

channel.basic_publish("", "orders", b"next day's")
_, properties, _ = channel.basic_get("orders", auto_ack=True)
carried = properties.headers["traceparent"].split("-")[1] == f"{sent[-1]:032x}"
print("a message published later carries the last message's trace on:", carried)
connection.close()
sys.exit(0 if same and carried else 1)
PY
verdict "$python" "$work/traces.py" "$amqp_port"
