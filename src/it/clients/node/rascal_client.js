// rascal: a virtual host, its queues and who uses them from one configuration, in Node.js.
'use strict';

const assert = require('node:assert');
const readline = require('node:readline');
const {BrokerAsPromised: Broker} = require('rascal');

const amqp = new URL(process.env.AMQP_URL || 'amqp://guest:guest@localhost:5672/%2f');
const http = new URL(process.env.HTTP_URL || 'http://guest:guest@localhost:15672');

const ok = (area, what) => console.log(`ok ${area} ${what}`);

const deadLetters = {'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead'};

const config = {
  defaults: {vhosts: {connection: {retry: {min: 100, max: 500, strategy: 'linear'}}}},
  vhosts: {
    shop: {
      assert: true, // made through the management API if it is not there
      connection: {
        hostname: amqp.hostname,
        port: amqp.port,
        user: amqp.username,
        password: amqp.password,
        management: {hostname: http.hostname, port: http.port},
      },
      exchanges: {orders: {type: 'direct'}},
      queues: {
        orders: {},
        fragile: {options: {arguments: deadLetters}},
        mortal: {options: {arguments: deadLetters}},
        dead: {},
      },
      bindings: ['orders[new] -> orders'],
      publications: {
        order: {exchange: 'orders', routingKey: 'new'},
        nowhere: {exchange: 'orders', routingKey: 'nowhere'},
        fragile: {queue: 'fragile'},
        mortal: {queue: 'mortal', options: {expiration: 200}},
      },
      subscriptions: {
        orders: {queue: 'orders', prefetch: 10},
        fragile: {queue: 'fragile'},
        dead: {queue: 'dead'},
      },
    },
  },
};

/** Resolves with the event's arguments. */
const event = (emitter, name) =>
  new Promise((resolve) => emitter.once(name, (...words) => resolve(words)));

async function subscribe(broker, name) {
  const subscription = await broker.subscribe(name);
  subscription.on('error', () => {}); // the connection is lost; it subscribes again by itself
  return subscription;
}

async function declare() {
  const response = await fetch(new URL('/api/queues/shop', http.origin), {
    headers: {authorization: 'Basic ' + btoa(`${http.username}:${http.password}`)},
  });
  const names = (await response.json()).map((queue) => queue.name).sort();
  assert.deepStrictEqual(names, ['dead', 'fragile', 'mortal', 'orders']);
  ok('vhost', 'the virtual host was made through the management API');
  ok('declare', 'all queues are in it');
}

async function confirms(broker) {
  for (let number = 0; number < 100; number++) {
    await event(await broker.publish('order', {number}), 'success');
  }
  ok('confirms', '100 persistent messages are confirmed');
  await event(await broker.publish('nowhere', 'lost'), 'return');
  ok('returns', 'a message without a route comes back');
}

async function prefetch(broker) {
  const subscription = await subscribe(broker, 'orders');
  const bodies = [];
  let held = 0;
  let most = 0;
  let done = 0;
  await new Promise((resolve) => {
    subscription.on('message', (message, {number}, ackOrNack) => {
      most = Math.max(most, ++held);
      bodies.push(number);
      setTimeout(() => {
        held--;
        ackOrNack();
        if (++done === 100) {
          resolve();
        }
      }, 2);
    });
  });
  assert.ok(most <= 10, `${most} at a time`);
  assert.deepStrictEqual(bodies, [...Array(100).keys()]);
  ok('prefetch', `at most ${most} at a time, and all in order`);
  await subscription.cancel();
}

async function timeToLive(broker) {
  const subscription = await subscribe(broker, 'dead');
  const start = performance.now();
  const died = event(subscription, 'message');
  await event(await broker.publish('mortal', 'brief'), 'success');
  const [message, content, ackOrNack] = await died;
  const lived = performance.now() - start;
  ackOrNack();
  assert.strictEqual(content, 'brief');
  assert.ok(lived >= 199, `it lived for ${lived} ms`);
  ok('ttl', `it lived for ${lived.toFixed()} ms of 200`);
  const death = message.properties.headers['x-death'][0];
  assert.deepStrictEqual(
    [death.queue, death.reason, death.count, death['original-expiration']],
    ['mortal', 'expired', 1, '200'],
  );
  ok('dead-letter', 'x-death tells where and why');
  return subscription;
}

/** Its recovery strategies: again twice, from the end of the queue, and then to the dead letters. */
async function recovery(broker, dead) {
  const strategy = [{strategy: 'republish', attempts: 2, defer: 50}, {strategy: 'nack'}];
  const subscription = await subscribe(broker, 'fragile');
  let tries = 0;
  subscription.on('message', (message, content, ackOrNack) => {
    tries++;
    ackOrNack(new Error('not today'), strategy);
  });
  const died = event(dead, 'message');
  await broker.publish('fragile', 'glass');
  const [message, content, ackOrNack] = await died;
  ackOrNack();
  assert.deepStrictEqual([content, tries], ['glass', 3]);
  assert.strictEqual(message.properties.headers['x-death'][0].reason, 'rejected');
  ok('recovery', 'a message is tried three times, and is a dead letter then');
  await subscription.cancel();
}

async function restart(broker) {
  const subscription = await subscribe(broker, 'orders');
  // Subscribing goes on in the background; a message shows that it is done.
  const before = event(subscription, 'message');
  await event(await broker.publish('order', 'before'), 'success');
  (await before)[2]();
  const others = [];
  const received = new Promise((resolve) => {
    subscription.on('message', (message, content, ackOrNack) => {
      ackOrNack();
      if (content === 'after') resolve();
      else others.push([content, message.fields.redelivered]);
    });
  });
  const back = event(broker, 'vhost_initialised');
  console.log('restart');
  await event(readline.createInterface({input: process.stdin}), 'line');
  await back;
  await event(await broker.publish('order', 'after'), 'success');
  await received;
  // The library says nothing when an acknowledgement is on its way: the end of the broker may have
  // come before it, and then the message comes again.
  for (const other of others) assert.deepStrictEqual(other, ['before', true]);
  assert.ok(others.length <= 1, `${others.length} others`);
  ok('restart', 'the connection is back, and its subscription goes on');
}

async function main() {
  console.log(`version ${require('./node_modules/rascal/package.json').version}`);
  const broker = await Broker.create(config);
  broker.on('error', () => {}); // the loss of the connection; it comes back by itself
  await declare();
  await confirms(broker);
  await prefetch(broker);
  const dead = await timeToLive(broker);
  await recovery(broker, dead);
  await restart(broker);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
