#!/usr/bin/env bash
# A consumer that RabbitMQ has cancelled for being slow gets messages again when it acknowledges: for Java that ends the connection.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), amqp-client 5.37.0, amqplib 2.3.1, pika 1.4.4
# Expected:  4.3 cancels the consumer of a quorum queue that holds a message for longer than its consumer timeout, and the channel
#            stays. After basic.cancel nothing more comes for that consumer tag; the ack that comes late is ignored or refused.
# Happens:   the late ack is taken without an error, and gives the cancelled consumer its credit back: the next message of the queue
#            is delivered to a tag that the client has forgotten, often the same message, which the ack did not settle.
#            - amqp-client closes the whole connection, with the channels and the work of all its other consumers.
#            - amqplib closes the channel.
#            - pika drops it, with an error in its log: no consumer has it until a second timeout returns it to the queue.
# Who meets it: who has work that now and then takes longer than the timeout, 30 minutes if nothing is set, and acknowledges
#            when it is done, as all do. One slow message, and other consumers lose their work in hand, which is done twice.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
node_packages amqplib@2.3.1
java_packages com.rabbitmq:amqp-client:5.37.0 org.slf4j:slf4j-nop:1.7.36
rabbitmq 4.3.6-1

cat >"$work/fill.py" <<'PY'
import sys

import pika

connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1])))
channel = connection.channel()
channel.confirm_delivery()
for name in sys.argv[2:]:
    channel.queue_declare(name, durable=True, arguments={"x-queue-type": "quorum", "x-consumer-timeout": 2000})
    for number in range(3):
        channel.basic_publish("", name, b"%d" % number)
connection.close()
PY

cat >"$work/late.py" <<'PY'
import logging
import sys
import time

import pika

dropped = []


class Errors(logging.Handler):
    def emit(self, record):
        dropped.extend(record.args if "Unexpected delivery" in record.msg else ())


logging.getLogger("pika").addHandler(Errors())
parameters = pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))
connection, other = pika.BlockingConnection(parameters), pika.BlockingConnection(parameters)
channel, counts = connection.channel(), other.channel()
channel.basic_qos(prefetch_count=1)
handed, cancelled = [], []
channel.add_on_cancel_callback(cancelled.append)
channel.basic_consume("pika", lambda _, method, properties, body: handed.append(method.delivery_tag), consumer_tag="slow")


def ready():
    return counts.queue_declare("pika", passive=True).method.message_count


def wait(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        connection.process_data_events(0.1)
    return condition()


wait(lambda: cancelled)
after_timeout = ready()
channel.basic_ack(handed[0])
late = wait(lambda: dropped)
after_ack = ready()
print(f"pika: cancelled {bool(cancelled)}, ready then {after_timeout}, after the late ack {after_ack}; "
      f"messages handed to the program {len(handed)}, delivered to the cancelled tag {len(dropped)}")
right = cancelled and late and (len(handed), len(dropped), after_timeout, after_ack) == (1, 1, 3, 2)
sys.exit(0 if right and dropped[0].method.consumer_tag == "slow" and channel.is_open else 1)
PY

cat >"$work/node/late.js" <<'JS'
const amqplib = require('amqplib');
const {setTimeout: sleep} = require('node:timers/promises');

async function main() {
  const connection = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${process.argv[2]}`);
  const channel = await connection.createChannel();
  const events = [];
  channel.on('error', error => events.push(`channel error: ${error.message.replace(/amq\.ctag\S*/, 'TAG')}`));
  await channel.prefetch(1);
  const first = new Promise(resolve => {
    channel.consume('amqplib', message => message === null ? events.push('cancelled') : resolve(message));
  });
  const message = await first;
  for (let i = 0; i < 200 && events.length === 0; i++) await sleep(100);
  channel.ack(message);
  for (let i = 0; i < 100 && events.length === 1; i++) await sleep(100);
  console.log('amqplib:', events);
  process.exit(events.join() === 'cancelled,channel error: Unknown consumer: TAG' ? 0 : 1);
}

main().catch(error => { console.error(error); process.exit(1); });
JS

cat >"$work/Late.java" <<'JAVA'
import com.rabbitmq.client.ConnectionFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public class Late {
  public static void main(String[] args) throws Exception {
    var factory = new ConnectionFactory();
    factory.setPort(Integer.parseInt(args[0]));
    factory.setHost("127.0.0.1");
    factory.setAutomaticRecoveryEnabled(false);
    var connection = factory.newConnection();
    var slow = connection.createChannel();
    var first = new CompletableFuture<Long>();
    var cancelled = new CountDownLatch(1);
    slow.basicQos(1);
    slow.basicConsume("amqp-client", false, (tag, message) -> first.complete(message.getEnvelope().getDeliveryTag()),
        tag -> cancelled.countDown());
    // Another consumer of the same connection, with work of its own in hand.
    var other = connection.createChannel();
    var held = other.queueDeclare("other", true, false, false, null).getQueue();
    other.basicPublish("", held, null, new byte[0]);
    var work = new CountDownLatch(1);
    other.basicConsume(held, false, (tag, message) -> work.countDown(), tag -> { });
    boolean inOrder = work.await(20, TimeUnit.SECONDS) && cancelled.await(20, TimeUnit.SECONDS);
    var closed = new CountDownLatch(1);
    connection.addShutdownListener(cause -> {
      System.out.println("amqp-client: after the late ack the connection ends: " + cause.getCause());
      closed.countDown();
    });
    inOrder &= connection.isOpen();
    slow.basicAck(first.get(20, TimeUnit.SECONDS), false);
    boolean ended = closed.await(20, TimeUnit.SECONDS);
    System.out.println("amqp-client: in order before " + inOrder + ", the other channel is open after " + other.isOpen());
    try (var check = factory.newConnection(); var channel = check.createChannel()) {
      var message = channel.basicGet(held, true);
      for (int i = 0; i < 100 && message == null; i++) {
        Thread.sleep(100);
        message = channel.basicGet(held, true);
      }
      boolean again = message != null && message.getEnvelope().isRedeliver();
      System.out.println("amqp-client: what the other consumer had in hand is delivered again: " + again);
      System.exit(inOrder && ended && !other.isOpen() && again ? 0 : 1);
    }
  }
}
JAVA

all() {
  "$python" "$work/fill.py" "$amqp_port" pika amqplib amqp-client &&
    "$python" "$work/late.py" "$amqp_port" &&
    node "$work/node/late.js" "$amqp_port" &&
    java -cp "$work/lib/*" "$work/Late.java" "$amqp_port"
}
verdict all
