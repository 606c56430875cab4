// Moleculer: services that find one another over AMQP, in Node.js.
'use strict';

const assert = require('node:assert');
const readline = require('node:readline');
const {ServiceBroker} = require('moleculer');

const URL = process.env.AMQP_URL || 'amqp://guest:guest@localhost:5672/%2f';

const ok = (area, what) => console.log(`ok ${area} ${what}`);

const heard = {};

/** A node with a service. Without the balancer of its own, RabbitMQ's queues share out the requests. */
function node(nodeID) {
  heard[nodeID] = [];
  const broker = new ServiceBroker({
    nodeID,
    logger: false,
    disableBalancer: true,
    transporter: {type: 'AMQP', options: {url: URL, prefetch: 1, heartbeatTimeToLive: 5000}},
  });
  broker.createService({
    name: nodeID === 'caller' ? 'caller' : 'sums',
    actions: {
      add: (context) => context.params.a + context.params.b,
      fail: () => {
        throw new Error('as asked');
      },
      where: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return nodeID;
      },
    },
    events: {
      'order.*': (context) => heard[nodeID].push(context.params.number),
    },
  });
  return broker;
}

async function until(condition, what, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function calls(caller) {
  assert.strictEqual(await caller.call('sums.add', {a: 20, b: 22}), 42);
  await assert.rejects(caller.call('sums.fail'), /as asked/);
  ok('request', 'an action answers, or its error comes back');
  const where = await Promise.all(Array.from({length: 40}, () => caller.call('sums.where')));
  assert.deepStrictEqual([...new Set(where)].sort(), ['one', 'two']);
  ok('balance', 'two nodes share the queue of an action');
}

async function events(caller) {
  for (let number = 0; number < 20; number++) {
    caller.broadcast('order.new', {number});
  }
  const all = () => ['one', 'two'].every((id) => heard[id].length === 20);
  await until(all, 'the events did not come');
  assert.deepStrictEqual([...heard.one].sort((a, b) => a - b), [...Array(20).keys()]);
  ok('broadcast', '20 events reach both nodes');
}

async function restart(brokers) {
  const [caller] = brokers;
  console.log('restart');
  await new Promise((resolve) =>
    readline.createInterface({input: process.stdin}).once('line', resolve),
  );
  const returns = () => caller.call('sums.add', {a: 1, b: 2}, {timeout: 1000}).then(
    (sum) => sum === 3,
    () => false,
  );
  await until(returns, 'no call returns after the restart', 40);
  ok('restart', 'all nodes are connected again, and a call returns');
}

/** With its last subscriptions under way, Moleculer closes the channel and looks at no answer. */
function letStop() {
  process.on('unhandledRejection', (error) => {
    if (!/no reply will be forthcoming/.test(error.message)) {
      throw error;
    }
  });
}

async function main() {
  console.log(`version ${ServiceBroker.MOLECULER_VERSION}`);
  const brokers = ['caller', 'one', 'two'].map(node);
  await Promise.all(brokers.map((broker) => broker.start()));
  await brokers[0].waitForServices('sums', 10_000);
  const both = () => brokers[0].registry.getNodeList({}).filter((each) => each.available).length === 3;
  await until(both, 'the nodes did not find one another');
  await calls(brokers[0]);
  await events(brokers[0]);
  await restart(brokers);
  letStop();
  await Promise.all(brokers.map((broker) => broker.stop()));
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
