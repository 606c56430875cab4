<?php
// php-amqp: PHP's extension on librabbitmq, which Symfony Messenger uses.
declare(strict_types=1);

function ok(string $area, string $what): void
{
    echo "ok $area $what\n";
}

function check(bool $condition, string $what): void
{
    if (!$condition) {
        throw new RuntimeException($what);
    }
}

function connect(): AMQPConnection
{
    $url = parse_url(getenv('AMQP_URL') ?: 'amqp://guest:guest@localhost:5672/%2f');
    $connection = new AMQPConnection([
        'host' => $url['host'],
        'port' => $url['port'],
        'login' => $url['user'],
        'password' => $url['pass'],
        'vhost' => urldecode(substr($url['path'], 1)),
        'read_timeout' => 60,
        'connection_name' => 'example',
    ]);
    $connection->connect();
    return $connection;
}

function queue(AMQPChannel $channel, string $name, array $arguments = []): AMQPQueue
{
    $queue = new AMQPQueue($channel);
    $queue->setName($name);
    $queue->setFlags(AMQP_DURABLE);
    $queue->setArguments($arguments);
    $queue->declareQueue();
    return $queue;
}

function exchange(AMQPChannel $channel, string $name): AMQPExchange
{
    $exchange = new AMQPExchange($channel);
    $exchange->setName($name);
    if ($name !== '') {
        $exchange->setType(AMQP_EX_TYPE_DIRECT);
        $exchange->setFlags(AMQP_DURABLE);
        $exchange->declareExchange();
    }
    return $exchange;
}

function declareAll(AMQPConnection $connection, AMQPChannel $channel): array
{
    $exchange = exchange($channel, 'orders');
    $queue = queue($channel, 'orders');
    $queue->bind('orders', 'new');
    try {
        $other = new AMQPQueue(new AMQPChannel($connection));
        $other->setName('orders');
        $other->declareQueue();
        check(false, 'the redeclaration was taken');
    } catch (AMQPQueueException $refused) {
        check($refused->getCode() === 406, $refused->getMessage());
        ok('declare', 'a redeclaration that differs is refused');
    }
    return [$exchange, $queue];
}

function confirms(AMQPChannel $channel, AMQPExchange $exchange): void
{
    $confirmed = 0;
    $returned = 0;
    $channel->confirmSelect();
    $channel->setConfirmCallback(
        function (int $tag) use (&$confirmed): bool {
            $confirmed = $tag;
            return $tag < 100; // false ends the wait
        },
        fn () => throw new RuntimeException('a message was refused')
    );
    $channel->setReturnCallback(function (int $code) use (&$returned): bool {
        $returned = $code;
        return false;
    });
    for ($number = 0; $number < 100; $number++) {
        $exchange->publish((string) $number, 'new', AMQP_MANDATORY, ['delivery_mode' => 2]);
    }
    $channel->waitForConfirm(5);
    check($confirmed === 100, "$confirmed confirmed");
    ok('confirms', '100 persistent messages are confirmed');
    $exchange->publish('lost', 'nowhere', AMQP_MANDATORY);
    $channel->waitForBasicReturn(5);
    check($returned === 312, 'nothing came back');
    // The message is confirmed, too; what comes on one channel must be read before another is used.
    $channel->setConfirmCallback(fn () => false, fn () => false);
    $channel->waitForConfirm(5);
    ok('returns', 'a message without a route comes back');
}

function prefetch(AMQPConnection $connection): void
{
    $channel = new AMQPChannel($connection);
    $channel->setPrefetchCount(10);
    $queue = queue($channel, 'orders');
    $bodies = [];
    $unacknowledged = [];
    try {
        // The callback acknowledges nothing at first, so no more than the prefetch count comes.
        $connection->setReadTimeout(0.3);
        $queue->consume(function (AMQPEnvelope $message) use (&$bodies, &$unacknowledged): bool {
            $bodies[] = $message->getBody();
            $unacknowledged[] = $message->getDeliveryTag();
            return true;
        });
        check(false, 'the consumer was ended');
    } catch (AMQPQueueException) {
        check(count($bodies) === 10, count($bodies) . ' came, not the prefetch count');
    }
    $connection->setReadTimeout(60);
    $queue->ack(end($unacknowledged), AMQP_MULTIPLE);
    $queue->consume(
        function (AMQPEnvelope $message, AMQPQueue $queue) use (&$bodies): bool {
            $bodies[] = $message->getBody();
            $queue->ack($message->getDeliveryTag());
            return count($bodies) < 100;
        },
        AMQP_JUST_CONSUME
    );
    check($bodies === array_map('strval', range(0, 99)), 'out of order');
    ok('prefetch', '10 at a time, and all in order');
    $channel->close();
}

function timeToLive(AMQPConnection $connection): void
{
    $channel = new AMQPChannel($connection);
    $dead = queue($channel, 'dead');
    queue($channel, 'mortal', [
        'x-dead-letter-exchange' => '',
        'x-dead-letter-routing-key' => 'dead',
    ]);
    $start = hrtime(true);
    exchange($channel, '')->publish('brief', 'mortal', AMQP_NOPARAM, ['expiration' => '200']);
    $letter = null;
    $dead->consume(function (AMQPEnvelope $message) use (&$letter): bool {
        $letter = $message;
        return false;
    }, AMQP_AUTOACK);
    $lived = (hrtime(true) - $start) / 1e6;
    check($letter->getBody() === 'brief', 'another message died');
    check($lived >= 199, "it lived for $lived ms");
    ok('ttl', sprintf('it lived for %.0f ms of 200', $lived));
    $death = $letter->getHeader('x-death')[0];
    check([$death['queue'], $death['reason'], $death['count']] === ['mortal', 'expired', 1], json_encode($death));
    check($letter->getExpiration() === '', 'it would die again');
    ok('dead-letter', 'x-death tells where and why');
    $channel->close();
}

function transaction(AMQPConnection $connection): void
{
    $channel = new AMQPChannel($connection);
    $queue = queue($channel, 'books');
    $channel->startTransaction();
    exchange($channel, '')->publish('rolled back', 'books');
    $channel->rollbackTransaction();
    exchange($channel, '')->publish('kept', 'books');
    $channel->commitTransaction();
    check($queue->get(AMQP_AUTOACK)->getBody() === 'kept', 'another message');
    check(!$queue->get(AMQP_AUTOACK), 'the other message is there, too');
    ok('transaction', 'one is rolled back, and one committed');
    $channel->close();
}

function restart(AMQPConnection $connection, AMQPChannel $channel, AMQPExchange $exchange): void
{
    $exchange->publish('kept', 'new', AMQP_NOPARAM, ['delivery_mode' => 2]);
    $channel->waitForConfirm(5);
    echo "restart\n";
    fgets(STDIN);
    try {
        queue($channel, 'orders');
        check(false, 'the connection outlived its broker');
    } catch (AMQPException) {
        $connection = connect();
    }
    $message = queue(new AMQPChannel($connection), 'orders')->get(AMQP_AUTOACK);
    check($message && $message->getBody() === 'kept', 'the message is not there');
    ok('restart', "the persistent message is there after the broker's restart");
    $connection->disconnect();
}

echo 'version ' . phpversion('amqp') . "\n";
$connection = connect();
$channel = new AMQPChannel($connection);
[$exchange] = declareAll($connection, $channel);
confirms($channel, $exchange);
prefetch($connection);
timeToLive($connection);
transaction($connection);
restart($connection, $channel, $exchange);
