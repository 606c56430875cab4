#!/usr/bin/env bash
# To publish to a quorum queue, or to declare it again, does not renew its x-expires: delayed messages of Symfony vanish with it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4, Symfony's AMQP messenger 7.4.22 (with php-amqp 2.2.0)
# Expected:  x-expires deletes a queue that has not been used for that time: no consumer, no basic.get, and not declared again.
#            Many delay with this: a queue whose x-message-ttl is the delay and whose x-expires is a little more, that is declared
#            for each message. Its lease is renewed with each message, so that it is deleted only after the last has left.
# Happens:   that is so with classic queues. A quorum queue that is declared again is answered as usual, but keeps its old lease:
#            it is deleted in the midst of its use, with the messages in it, which are not dead-lettered. The next declare makes it
#            anew, so that no error is seen: of messages sent every second with a delay of 3 seconds some are lost every 13 seconds.
# Who meets it: who sets a virtual host's default queue type to quorum, and has applications that do not name a type: Symfony, whose
#            retries of failed messages go that way too. (Its option daily_delay_queues, off unless set, avoids it.)
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
debian_packages php8.4-cli php-symfony-amqp-messenger=7.4.22+dfsg-1 php8.4-amqp=2.2.0-1
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/declare.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

amqp_port, http_port = sys.argv[1:]


def put(path, body):
    urllib.request.urlopen(urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}", method="PUT", data=json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"}))


put("/vhosts/quorum", {"default_queue_type": "quorum"})
put("/permissions/quorum/guest", {"configure": ".*", "write": ".*", "read": ".*"})
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(amqp_port)))
channel = connection.channel()
channel.confirm_delivery()
counts = {"classic": [], "quorum": []}
for _ in range(9):
    for type, seen in counts.items():
        arguments = {"x-queue-type": type, "x-expires": 4000}
        seen.append(channel.queue_declare(f"lease {type}", durable=True, arguments=arguments).method.message_count)
        channel.basic_publish("", f"lease {type}", b"")
    time.sleep(1)
for type, seen in counts.items():
    print(f"{type}: declared and published to each second, with a lease of four: messages at each declare {seen}")
sys.exit(0 if counts["classic"] == list(range(9)) and 0 in counts["quorum"][3:] else 1)
PY

cat >"$work/debian/delay.php" <<'PHP'
<?php
require '/usr/share/php/Symfony/Component/Messenger/autoload.php';
require '/usr/share/php/Symfony/Component/Messenger/Bridge/Amqp/autoload.php';

use Symfony\Component\Messenger\Bridge\Amqp\Transport\Connection;

[, $port, $vhost] = $argv;
const DELAY = 3000, MESSAGES = 16;
$connection = Connection::fromDsn("amqp://guest:guest@127.0.0.1:$port/$vhost/messages");
$got = [];
for ($second = 0; $second < MESSAGES + 6; $second++) {
    if ($second < MESSAGES) {
        $connection->publish((string) $second, [], DELAY);
    }
    usleep(1000000);
    while ($message = $connection->get('messages')) {
        $got[] = (int) $message->getBody();
        $connection->ack($message, 'messages');
    }
}
$lost = array_diff(range(0, MESSAGES - 1), $got);
echo urldecode($vhost), ': of ', MESSAGES, ' delayed messages lost: ', $lost ? implode(', ', $lost) : 'none', "\n";
exit(($vhost === 'quorum') === (bool) $lost ? 0 : 1);
PHP

delays() {
  in_debian php8.4 -d extension=amqp.so delay.php "$amqp_port" "$1"
}

all() {
  local one
  "$python" "$work/declare.py" "$amqp_port" "$http_port" || return 1
  delays %2F & one=$!
  delays quorum && wait "$one"
}
verdict all
