#!/usr/bin/env bash
# Ruby's Bunny reads numbers in headers as others than were sent: -5 as 4294967291, 0.75 as 2.3e-41.
#
# With:      Bunny 3.4.0 with amq-protocol 2.9.0 (Debian 3.4.0-1, 2.9.0-1), pika 1.4.4, aio-pika 10.2.1 (pamqp 4.0.1),
#            RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a number in a header arrives as it was sent.
# Happens:   integers of 32 and of 8 bits are read without their sign, floats of 32 bits with their bytes in the order of the machine,
#            which on nearly all of them is the wrong one. Integers of 64 and 16 bits and floats of 64 bits are read right, so that it
#            depends on the sender: pika sends each integer that fits with 32 bits, aio-pika with the smallest size, and each
#            float with 32 bits; Bunny itself sends 64 bits, and never sees this with its own messages.
#            What Bunny sends of a BigDecimal is its whole part: 19.99 arrives as 19, 0.5 as 0.
# Who meets it: who has publishers in Python and consumers in Ruby, with a balance, an offset or a temperature in a header; and
#            who publishes a decimal column of Rails.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4 aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1
debian_packages ruby-bunny=3.4.0-1 ruby-amq-protocol=2.9.0-1
rabbitmq 4.3.6-1

cat >"$work/debian/read.rb" <<'RB'
require 'bigdecimal'
require 'bunny'
require 'json'

connection = Bunny.new(host: '127.0.0.1', port: ARGV[0].to_i)
connection.start
channel = connection.create_channel
queue = channel.queue('numbers', durable: true)
results = {}
loop do
  _, properties, body = queue.pop
  break unless body
  results[body] = properties.headers['number']
end
puts JSON.generate(results)
exchange = channel.default_exchange
['19.99', '0.5', '-3'].each { |text| exchange.publish(text, routing_key: 'decimals', headers: {'number' => BigDecimal(text)}) }
[-5, 0.75].each { |number| exchange.publish(number.to_s, routing_key: 'numbers', headers: {'number' => number}) }
sleep 0.5
results = {}
loop do
  _, properties, body = queue.pop
  break unless body
  results[body] = properties.headers['number']
end
puts JSON.generate(results)
connection.close
RB

cat >"$work/main.py" <<'PY'
import asyncio
import json
import subprocess
import sys

import aio_pika
import pika

port, *reader = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
channel = connection.channel()
channel.confirm_delivery()
for queue in ("numbers", "decimals"):
    channel.queue_declare(queue, durable=True)
for number in (5, -5, -3000000000):
    channel.basic_publish("", "numbers", f"pika {number}", pika.BasicProperties(headers={"number": number}))


async def publish():
    async with await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{port}/") as other:
        exchange = (await other.channel()).default_exchange
        for number in (5, -5, -500, -50000, 0.75):
            await exchange.publish(aio_pika.Message(f"aio-pika {number}".encode(), headers={"number": number}), "numbers")


asyncio.run(publish())
run = subprocess.run([*reader, port], capture_output=True, text=True, timeout=60)
if run.returncode:
    sys.exit(run.stderr)
read, own = map(json.loads, run.stdout.splitlines())
print("Bunny reads:", read)
print("of its own:", own)
decimals = {}
for _ in range(3):
    _, properties, body = channel.basic_get("decimals", auto_ack=True)
    decimals[body.decode()] = str(properties.headers["number"])
print("pika reads Bunny's decimals:", decimals)
expected = {
    "pika 5": 5, "pika -5": 2**32 - 5, "pika -3000000000": -3000000000,
    "aio-pika 5": 5, "aio-pika -5": 256 - 5, "aio-pika -500": -500, "aio-pika -50000": 2**32 - 50000,
    "aio-pika 0.75": 2.3047155842750266e-41,
}
sys.exit(0 if read == expected and own == {"-5": -5, "0.75": 0.75} and decimals["19.99"] == "19" and decimals["0.5"] == "0" else 1)
PY

verdict "$python" "$work/main.py" "$amqp_port" env LC_ALL=C chroot "$work/debian" ruby /read.rb
