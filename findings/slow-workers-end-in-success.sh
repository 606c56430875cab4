#!/usr/bin/env bash
# A worker that was slow once ends as if there were nothing left to do: pika's loops return, Go's range is over, the exit code is 0.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4, amqp091-go 1.16.0, aio-pika 10.2.1
# Expected:  4.3 cancels the consumer of a quorum queue that holds a message for longer than its consumer timeout. The client says so by an
#            error, as it did when this closed the channel, before 4.3: start_consuming and consume of pika raise, the error
#            of NotifyClose tells why Go's deliveries have ended, an iterator of aio-pika raises.
# Happens:   start_consuming returns and the generator consume ends, without an error; so do the deliveries of Go, while NotifyClose says
#            nothing, as the channel is open. The iterator of aio-pika's connect() neither ends nor raises, and stays without a
#            consumer. The message is back in the queue although its ack was sent without an error, and so is all that follows it.
# Who meets it: who lets a supervisor start workers again when they fail (Restart=on-failure, OnFailure): they have not
#            failed. One by one workers are gone, after one slow message each, and the queue grows. amqplib hands out null.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4 aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1
mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"fmt"
	"os"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	connection := must(amqp.Dial("amqp://guest:guest@127.0.0.1:" + os.Args[1] + "/"))
	channel := must(connection.Channel())
	if err := channel.Qos(1, 0, false); err != nil {
		panic(err)
	}
	closed := channel.NotifyClose(make(chan *amqp.Error, 1))
	for message := range must(channel.Consume("go", "", false, false, false, false, nil)) {
		time.Sleep(4 * time.Second)
		if err := message.Ack(false); err != nil {
			panic(err)
		}
	}
	select {
	case err := <-closed:
		panic(err)
	case <-time.After(time.Second):
		fmt.Println("go: the deliveries are over, and nothing is closed")
	}
}
GO
go_program github.com/rabbitmq/amqp091-go@v1.16.0
rabbitmq 4.3.6-1

cat >"$work/workers.py" <<'PY'
import asyncio
import logging
import subprocess
import sys
import time

import aio_pika
import pika

logging.disable(logging.CRITICAL)
port, program = int(sys.argv[1]), sys.argv[2]
PARAMETERS = pika.ConnectionParameters("127.0.0.1", port)
SLOW, MESSAGES = 4, 3


def slow(channel, method, properties, body):
    time.sleep(SLOW)
    channel.basic_ack(method.delivery_tag)


def start_consuming(name):
    with pika.BlockingConnection(PARAMETERS) as connection:
        channel = connection.channel()
        channel.basic_qos(prefetch_count=1)
        channel.basic_consume(name, slow)
        channel.start_consuming()
        return "returned"


def consume(name):
    with pika.BlockingConnection(PARAMETERS) as connection:
        channel = connection.channel()
        channel.basic_qos(prefetch_count=1)
        for method, properties, body in channel.consume(name):
            slow(channel, method, properties, body)
        return "returned"


def go(name):
    return "returned" if subprocess.run([program, str(port)], timeout=60).returncode == 0 else "failed"


def iterator(name):
    async def work():
        connection = await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{port}/")
        async with connection:
            channel = await connection.channel()
            await channel.set_qos(prefetch_count=1)
            queue = await channel.get_queue(name)
            async with queue.iterator() as messages:
                async for message in messages:
                    await asyncio.sleep(SLOW)
                    await message.ack()

    async def bounded():
        try:
            await asyncio.wait_for(work(), 15)
            return "returned"
        except asyncio.TimeoutError:
            return "waits"

    return asyncio.run(bounded())


def outcome(worker):
    """Returns how the worker ends with a queue of some messages, of which the first is too slow, and how many are in the queue then."""
    name = worker.__name__
    with pika.BlockingConnection(PARAMETERS) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.queue_declare(name, durable=True, arguments={"x-queue-type": "quorum", "x-consumer-timeout": 1500})
        for number in range(MESSAGES):
            channel.basic_publish("", name, str(number).encode())
    try:
        ended = worker(name)
    except Exception as error:
        ended = f"raised {type(error).__name__}"
    with pika.BlockingConnection(PARAMETERS) as connection:
        channel, left = connection.channel(), 0
        for _ in range(100):
            left = channel.queue_declare(name, passive=True).method.message_count
            if left == MESSAGES:
                break
            time.sleep(0.1)
    print(f"{name}: {ended}, messages in the queue: {left} of {MESSAGES}")
    return ended, left


right = [outcome(worker) for worker in (start_consuming, consume, go)] == [("returned", MESSAGES)] * 3
right = outcome(iterator) == ("waits", MESSAGES) and right
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/workers.py" "$amqp_port" "$work/program"
