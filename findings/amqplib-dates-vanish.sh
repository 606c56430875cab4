#!/usr/bin/env bash
# amqplib sends a Date or an Error in a header as an empty table, and says nothing.
#
# With:      amqplib 2.3.1
# Expected:  headers: {sentAt: new Date()} arrives as a timestamp, which AMQP's tables have a type for, or as text; or the client refuses
#            it, as it refuses a function or a BigInt.
# Happens:   amqplib writes it as a table of its own properties, of which a Date has none: {} arrives, and the time is lost. So it does with
#            an Error, a Map and a Set; a String object arrives as a table of letters. Nothing fails on either side.
# Who meets it: who notes times in headers, or the error with which a message is put aside for later, and misses them when they
#            are needed. Clients of Java, Python and Go write their times as timestamps.
. "$(dirname "$0")/lib.bash"

node_packages amqplib@2.3.1

cat >"$work/node/dates.js" <<'JS'
const net = require('net');
const amqplib = require('amqplib');

// A broker's first frame: connection.start, with PLAIN and en_US.
function start() {
  const texts = ['PLAIN', 'en_US'].flatMap(text => [0, 0, 0, text.length, ...Buffer.from(text)]);
  const payload = [0, 10, 0, 10, 0, 9, 0, 0, 0, 0, ...texts];
  return Buffer.from([1, 0, 0, 0, 0, 0, payload.length, ...payload, 0xce]);
}

/** What a value is on the wire: the client's own properties are a table, too. */
function sent(connect) {
  return new Promise(resolve => {
    const server = net.createServer(socket => {
      let seen = Buffer.alloc(0);
      socket.on('error', () => {});
      socket.on('data', data => {
        seen = Buffer.concat([seen, data]);
        if (seen.length === 8) {
          socket.write(start());
          return;
        }
        const at = seen.indexOf('\x05value');
        if (at >= 0 && seen.at(-1) === 0xce) {
          socket.destroy();
          server.close();
          resolve(describe(seen.subarray(at + 6)));
        }
      });
    });
    server.listen(0, '127.0.0.1', () => connect(server.address().port));
  });
}

function describe(wire) {
  const type = String.fromCharCode(wire[0]);
  if (type === 'F') return wire.readUInt32BE(1) === 0 ? 'an empty table' : 'a table';
  return `the type ${type}`;
}

const withAmqplib = value => sent(port =>
  amqplib.connect(`amqp://127.0.0.1:${port}`, { clientProperties: { value } }).catch(() => {}));

(async () => {
  let same = true;
  const expect = async (name, found, expected) => {
    const seen = await found;
    console.log(`${name}: ${seen}`);
    same = same && seen === expected;
  };
  await expect('amqplib, Date', withAmqplib(new Date()), 'an empty table');
  await expect('amqplib, Error', withAmqplib(new Error('no stock')), 'an empty table');
  await expect('amqplib, Map', withAmqplib(new Map([['a', 1]])), 'an empty table');
  await expect('amqplib, String object', withAmqplib(new String('ab')), 'a table');
  await expect('amqplib, text', withAmqplib('ab'), 'the type S');
  process.exit(same ? 0 : 1);
})();
JS

verdict node "$work/node/dates.js"
