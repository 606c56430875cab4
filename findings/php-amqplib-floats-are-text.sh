#!/usr/bin/env bash
# A float in a header from php-amqplib arrives as text: 0.75 as "0.75", and 10.0 as "10".
#
# With:      php-amqplib 3.7.5 and php-amqp 2.2.0 (Debian 3.7.5-1, 2.2.0-1), RabbitMQ 4.3.6 (Debian 4.3.6-1), amqplib 2.3.1 (Node)
# Expected:  AMQPTable gives each value the AMQP type of its PHP type: integers, booleans, null, lists, maps and dates get theirs. A float
#            is a float, as the extension php-amqp sends it.
# Happens:   AMQPTable turns floats into strings, in lists and maps too, though it can send and read floats if it is told the type
#            of each value with set(). A headers exchange does not match them with a number, and other languages add them up
#            as text: 0.75 and 0.75 is 0.750.75 in JavaScript. A PHP consumer does not notice, for "0.75" + 1 is 1.75 there.
# Who meets it: who has prices, weights or coordinates in headers, and one side in PHP; who moves from the extension to the library.
. "$(dirname "$0")/lib.bash"

node_packages amqplib@2.3.1
debian_packages php8.4-cli php-amqplib=3.7.5-1 php8.4-amqp=2.2.0-1
rabbitmq 4.3.6-1

cat >"$work/debian/publish.php" <<'PHP'
<?php
require '/usr/share/php/PhpAmqpLib/autoload.php';

use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Wire\AMQPTable;

$port = (int) $argv[1];
$headers = ['price' => 0.75, 'weight' => 10.0, 'count' => 3, 'sizes' => [1.5, 2], 'paid' => true];

$connection = new AMQPStreamConnection('127.0.0.1', $port, 'guest', 'guest');
$channel = $connection->channel();
$channel->basic_publish(new AMQPMessage('php-amqplib', ['application_headers' => new AMQPTable($headers)]), 'prices');
$channel->close();
$connection->close();

$connection = new AMQPConnection(['host' => '127.0.0.1', 'port' => $port, 'login' => 'guest', 'password' => 'guest']);
$connection->connect();
$exchange = new AMQPExchange(new AMQPChannel($connection));
$exchange->setName('prices');
$exchange->publish('php-amqp', '', null, ['headers' => $headers]);
$connection->disconnect();
PHP

cat >"$work/node/read.js" <<'JS'
const amqplib = require('amqplib');
const {spawnSync} = require('node:child_process');
const {isDeepStrictEqual} = require('node:util');
const {setTimeout: sleep} = require('node:timers/promises');

async function main() {
  const [port, ...publish] = process.argv.slice(2);
  const connection = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${port}`);
  const channel = await connection.createChannel();
  await channel.assertExchange('prices', 'headers');
  const {queue} = await channel.assertQueue('all', {durable: true});
  await channel.bindQueue(queue, 'prices', '', {});
  await channel.assertQueue('matching', {durable: true});
  await channel.bindQueue('matching', 'prices', '', {'x-match': 'all', price: 0.75});
  const run = spawnSync(publish[0], [...publish.slice(1), port], {encoding: 'utf8'});
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
  await sleep(1000);
  const read = async name => {
    const messages = {};
    for (let message; (message = await channel.get(name, {noAck: true}));) messages[message.content] = message.properties.headers;
    return messages;
  };
  const all = await read('all');
  for (const [from, headers] of Object.entries(all)) {
    console.log(`${from}: ${JSON.stringify(headers)}; the price twice: ${JSON.stringify(headers.price + headers.price)}`);
  }
  const matching = Object.keys(await read('matching'));
  console.log('matched with the price 0.75:', matching);
  const right = isDeepStrictEqual(all, {
    'php-amqplib': {price: '0.75', weight: '10', count: 3, sizes: ['1.5', 2], paid: true},
    'php-amqp': {price: 0.75, weight: 10, count: 3, sizes: [1.5, 2], paid: true},
  });
  process.exit(right && matching.join() === 'php-amqp' ? 0 : 1);
}

main().catch(error => { console.error(error); process.exit(1); });
JS

verdict node "$work/node/read.js" "$amqp_port" env LC_ALL=C chroot "$work/debian" php8.4 -d extension=amqp.so -d extension=sockets.so \
  -d extension=mbstring.so /publish.php
