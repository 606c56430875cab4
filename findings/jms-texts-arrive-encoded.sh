#!/usr/bin/env bash
# A JMS text message arrives at AMQP 0-9-1 consumers with bytes before the text, which depend on its length.
#
# With:      Qpid JMS 2.7.0, RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  RabbitMQ translates between AMQP 1.0 and 0-9-1: a TextMessage "hello" is read as the body hello, as a BytesMessage is, and as
#            a text of the other side is read as a TextMessage.
# Happens:   a TextMessage is an AMQP value, not data. RabbitMQ passes such a body on as it is encoded: five bytes and the text, from 256
#            bytes on eight bytes, with the type amqp-1.0 and without a content type. A JSON parser fails on it. A MapMessage,
#            which could be a table, is encoded likewise. What works is a BytesMessage. Back, a body with the content type text/plain
#            or application/json is a TextMessage, so that of two services one reads what it gets, and the other does not.
# Who meets it: who lets a Java application with Qpid JMS publish to a queue that others read with pika, amqplib or Spring AMQP.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
java_packages org.apache.qpid:qpid-jms-client:2.7.0 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Send.java" <<'JAVA'
import jakarta.jms.BytesMessage;
import jakarta.jms.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.apache.qpid.jms.JmsConnectionFactory;

public class Send {
  public static void main(String[] args) throws Exception {
    var factory = new JmsConnectionFactory("guest", "guest", "amqp://127.0.0.1:" + args[0]);
    try (var context = factory.createContext()) {
      var bytes = context.createBytesMessage();
      bytes.writeBytes("{\"id\": 1}".getBytes(StandardCharsets.UTF_8));
      var map = context.createMapMessage();
      map.setInt("id", 1);
      var orders = context.createQueue("/queues/orders");
      for (Message message : new Message[] {
          context.createTextMessage("{\"id\": 1}"), context.createTextMessage("x".repeat(300)), bytes, map}) {
        context.createProducer().send(orders, message);
      }
      var kinds = new ArrayList<String>();
      var back = context.createConsumer(context.createQueue("/queues/back"));
      for (int i = 0; i < 3; i++) {
        var message = back.receive(10_000);
        kinds.add(message instanceof BytesMessage ? "bytes" : message.getBody(String.class));
      }
      System.out.println(String.join(",", kinds));
    }
  }
}
JAVA

cat >"$work/main.py" <<'PY'
import json
import subprocess
import sys

import pika

port, *send = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
channel = connection.channel()
for queue in ("orders", "back"):
    channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
for content_type in ("text/plain", "application/json", None):
    channel.basic_publish("", "back", b'{"id": 2}', pika.BasicProperties(content_type=content_type))
run = subprocess.run([*send, port], capture_output=True, text=True)
if run.returncode:
    sys.exit(run.stderr)
got = []
for name in ("text", "long text", "bytes", "map"):
    _, properties, body = channel.basic_get("orders", auto_ack=True)
    got.append((body, properties.type))
    try:
        parsed = json.loads(body)
    except ValueError as error:
        parsed = type(error).__name__
    print(f"{name}: {body[:30]}, {len(body)} bytes, type {properties.type}, content type {properties.content_type}, as JSON: {parsed}")
print("back, of text/plain, application/json and none:", run.stdout.strip())
right = got[:3] == [(b'\0Sw\xa1\t{"id": 1}', "amqp-1.0"), (b"\0Sw\xb1\0\0\1\x2c" + b"x" * 300, "amqp-1.0"), (b'{"id": 1}', None)]
right &= got[3][0].startswith(b"\0Sw\xc1") and got[3][1] == "amqp-1.0"
sys.exit(0 if right and run.stdout.strip() == '{"id": 2},{"id": 2},bytes' else 1)
PY

verdict "$python" "$work/main.py" "$amqp_port" java -cp "$work/lib/*" "$work/Send.java"
