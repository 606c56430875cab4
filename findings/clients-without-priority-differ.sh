#!/usr/bin/env bash
# Messages without a priority are not equal: on quorum queues of 4.3 those of Celery, aio-pika and Spring wait for all of pika's.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), Celery 5.7.0, kombu 5.7.0, aio-pika 10.2.1, pika 1.4.4, Spring AMQP spring-rabbit 4.1.1
# Expected:  who sets no priority sends none, so all such messages of a quorum queue are of one level and leave it as they came.
# Happens:   pika sends none, and so does amqp-client with properties of one's own; such a message has RabbitMQ's default for quorum
#            queues, 4. Celery (by kombu), aio-pika, Spring's template and amqp-client's constant PERSISTENT_TEXT_PLAIN
#            write a 0 that their users never set. 4.3 has 32 strict levels: 0 comes after 4, and Celery's priorities 1 to 3 do too.
#            With 4.0 to 4.2, which knew two levels, up to 4 and above, and with classic queues without x-max-priority, this is one.
# Who meets it: who has a queue that programs of two languages or libraries publish to and upgrades to 4.3: while one of them sends
#            enough to keep consumers busy, not one message of the others is delivered.
. "$(dirname "$0")/lib.bash"

python_packages celery==5.7.0 kombu==5.7.0 amqp==5.4.2 aio-pika==10.2.1 pika==1.4.4
java_packages org.springframework.amqp:spring-rabbit:4.1.1 org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1

cat >"$work/Publish.java" <<'JAVA'
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

public class Publish {
  public static void main(String[] args) throws Exception {
    CachingConnectionFactory factory = new CachingConnectionFactory("127.0.0.1", Integer.parseInt(args[0]));
    new RabbitTemplate(factory).convertAndSend("", args[1], "Spring");
    try (var connection = factory.createConnection(); var channel = connection.createChannel(false)) {
      channel.confirmSelect();
      channel.basicPublish("", args[1], MessageProperties.PERSISTENT_TEXT_PLAIN, "amqp-client, constant".getBytes());
      var own = new BasicProperties.Builder().deliveryMode(2).build();
      channel.basicPublish("", args[1], own, "amqp-client, properties of one's own".getBytes());
      channel.waitForConfirmsOrDie(30_000);
    }
    factory.destroy();
  }
}
JAVA
cat >"$work/order.py" <<'PY'
import asyncio
import subprocess
import sys
import time

import aio_pika
import celery
import kombu
import pika

port, *java = sys.argv[1:]
url = f"amqp://guest:guest@127.0.0.1:{port}/"


async def publish_by_aio_pika(queue):
    connection = await aio_pika.connect(url)
    channel = await connection.channel()
    await channel.default_exchange.publish(aio_pika.Message(b"aio-pika"), queue)
    await connection.close()


def publish_by_celery(queue, **options):
    app = celery.Celery("shop", broker=url + "/")
    app.conf.broker_transport_options = {"confirm_publish": True}
    app.conf.task_queues = [kombu.Queue(queue, no_declare=True)]
    app.send_task("Celery", queue=queue, headers={"sender": ", ".join(["Celery", *map(str, options.values())])}, **options)


def order(channel, kind):
    """Publishes one message with each, pika last, and returns who sent them and their priorities, as they leave the queue."""
    channel.queue_declare(kind, durable=True, arguments={"x-queue-type": kind})
    publish_by_celery(kind)
    publish_by_celery(kind, priority=3)
    asyncio.run(publish_by_aio_pika(kind))
    subprocess.run([*java, port, kind], check=True)
    channel.basic_publish("", kind, b"pika")
    deadline = time.monotonic() + 30
    while channel.queue_declare(kind, passive=True).method.message_count < 7 and time.monotonic() < deadline:
        time.sleep(0.1)
    found = []
    while True:
        method, properties, body = channel.basic_get(kind, auto_ack=True)
        if method is None:
            break
        sender = (properties.headers or {}).get("sender") or body.decode()
        found.append((sender, properties.priority))
    print(f"{kind}:", *(f"{sender} ({'none' if priority is None else priority})" for sender, priority in found), sep="\n  ")
    return found


with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port))) as connection:
    channel = connection.channel()
    channel.confirm_delivery()
    published = [
        ("Celery", 0), ("Celery, 3", 3), ("aio-pika", 0), ("Spring", 0), ("amqp-client, constant", 0),
        ("amqp-client, properties of one's own", None), ("pika", None),
    ]
    same = order(channel, "classic") == published
    same &= order(channel, "quorum") == sorted(published, key=lambda each: 4 if each[1] is None else each[1], reverse=True)
    sys.exit(0 if same else 1)
PY
verdict "$python" "$work/order.py" "$amqp_port" java -cp "$work/lib/*" "$work/Publish.java"
