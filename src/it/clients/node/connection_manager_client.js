// amqp-connection-manager: amqplib that connects again and keeps what it could not send, in Node.js.
'use strict';

const assert = require('node:assert');
const readline = require('node:readline');
const manager = require('amqp-connection-manager');

const URL = process.env.AMQP_URL || 'amqp://guest:guest@localhost:5672/%2f';

const ok = (area, what) => console.log(`ok ${area} ${what}`);

/** Messages as they come, one `next()` after the other. */
class Inbox {
  constructor() {
    this.messages = [];
    this.waiting = [];
    this.take = (message) => {
      const waiting = this.waiting.shift();
      if (waiting) {
        waiting(message);
      } else {
        this.messages.push(message);
      }
    };
  }

  next() {
    return this.messages.length
      ? Promise.resolve(this.messages.shift())
      : new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** Runs on every new connection, so that what it declares is there after a restart too. */
async function declareAll(channel) {
  await channel.assertExchange('orders', 'direct', {durable: true});
  await channel.assertQueue('orders', {durable: true});
  await channel.bindQueue('orders', 'orders', 'new');
  await channel.assertQueue('dead');
  await channel.assertQueue('mortal', {deadLetterExchange: '', deadLetterRoutingKey: 'dead'});
  await channel.assertQueue('gone-with-the-broker', {durable: false});
}

async function declare(connection, channel) {
  await channel.waitForConnect();
  await channel.checkQueue('orders');
  const other = connection.createChannel({
    setup: (plain) => plain.assertQueue('orders', {durable: false}),
  });
  const [error] = await new Promise((resolve) =>
    other.once('error', (...words) => resolve(words)),
  );
  assert.match(error.message, /406/);
  await other.close();
  ok('declare', 'a redeclaration that differs is refused');
}

async function confirms(channel) {
  // Each promise is kept when the broker has confirmed.
  const numbers = [...Array(100).keys()];
  await Promise.all(numbers.map((number) => channel.publish('orders', 'new', number)));
  ok('confirms', '100 persistent messages are confirmed');
}

async function prefetch(connection) {
  const channel = connection.createChannel({json: true});
  const bodies = [];
  let held = 0;
  let most = 0;
  let done = 0;
  await new Promise((resolve) =>
    channel.consume(
      'orders',
      (message) => {
        most = Math.max(most, ++held);
        bodies.push(JSON.parse(message.content));
        setTimeout(() => {
          held--;
          channel.ack(message);
          if (++done === 100) {
            resolve();
          }
        }, 2);
      },
      {prefetch: 10},
    ),
  );
  assert.ok(most <= 10, `${most} at a time`);
  assert.deepStrictEqual(bodies, [...Array(100).keys()]);
  ok('prefetch', `at most ${most} at a time, and all in order`);
  await channel.close();
}

async function timeToLive(channel) {
  const dead = new Inbox();
  await channel.consume('dead', dead.take, {noAck: true});
  const start = performance.now();
  await channel.sendToQueue('mortal', 'brief', {expiration: '200'});
  const message = await dead.next();
  const lived = performance.now() - start;
  assert.strictEqual(message.content.toString(), '"brief"');
  assert.ok(lived >= 199, `it lived for ${lived} ms`);
  ok('ttl', `it lived for ${lived.toFixed()} ms of 200`);
  const death = message.properties.headers['x-death'][0];
  assert.deepStrictEqual(
    [death.queue, death.reason, death.count, death['original-expiration']],
    ['mortal', 'expired', 1, '200'],
  );
  ok('dead-letter', 'x-death tells where and why');
}

async function restart(connection, channel) {
  const orders = new Inbox();
  await channel.consume('orders', orders.take, {noAck: true});
  console.log('restart');
  const restarted = new Promise((resolve) =>
    readline.createInterface({input: process.stdin}).once('line', resolve),
  );
  await new Promise((resolve) => connection.once('disconnect', resolve));
  // Kept in memory until there is a connection again.
  const sent = channel.publish('orders', 'new', 'sent while the broker was away');
  await restarted;
  await sent;
  const message = await orders.next();
  assert.strictEqual(JSON.parse(message.content), 'sent while the broker was away');
  ok('restart', 'what was sent meanwhile arrives at the consumer, which is back');
  await channel.checkQueue('gone-with-the-broker');
  ok('setup', 'the transient queue was declared again');
}

async function main() {
  console.log(`version ${require('./node_modules/amqp-connection-manager/package.json').version}`);
  const connection = manager.connect([URL], {reconnectTimeInSeconds: 0.2});
  const channel = connection.createChannel({
    json: true,
    setup: declareAll,
    publishTimeout: 30000,
  });
  await declare(connection, channel);
  await confirms(channel);
  await prefetch(connection);
  await timeToLive(channel);
  await restart(connection, channel);
  await connection.close();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
