<?php
// php-amqplib: in PHP, without an extension.
declare(strict_types=1);

require 'PhpAmqpLib/autoload.php'; // with Composer: vendor/autoload.php

use PhpAmqpLib\Channel\AMQPChannel;
use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Exception\AMQPProtocolChannelException;
use PhpAmqpLib\Exception\AMQPTimeoutException;
use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Package;
use PhpAmqpLib\Wire\AMQPTable;

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

function connect(): AMQPStreamConnection
{
    $url = parse_url(getenv('AMQP_URL') ?: 'amqp://guest:guest@localhost:5672/%2f');
    $vhost = urldecode(substr($url['path'], 1));
    return new AMQPStreamConnection($url['host'], $url['port'], $url['user'], $url['pass'], $vhost);
}

/** Waits for up to a minute until so many messages have come. */
function await(AMQPChannel $channel, array &$messages, int $count): void
{
    $deadline = microtime(true) + 60;
    while (count($messages) < $count) {
        check(microtime(true) < $deadline, count($messages) . " of $count messages came");
        $channel->wait(null, false, 60);
    }
}

/** Consumes into an array, which is returned. */
function &collect(AMQPChannel $channel, string $queue, bool $noAck): array
{
    $messages = [];
    $channel->basic_consume(
        $queue,
        no_ack: $noAck,
        callback: function (AMQPMessage $message) use (&$messages) {
            $messages[] = $message;
        }
    );
    return $messages;
}

function declareAll(AMQPStreamConnection $connection, AMQPChannel $channel): void
{
    $channel->exchange_declare('orders', 'direct', durable: true, auto_delete: false);
    $channel->queue_declare('orders', durable: true, auto_delete: false);
    $channel->queue_bind('orders', 'orders', 'new');
    try {
        $connection->channel()->queue_declare('orders', durable: false, auto_delete: false);
        check(false, 'the redeclaration was taken');
    } catch (AMQPProtocolChannelException $refused) {
        check($refused->amqp_reply_code === 406, $refused->getMessage());
        ok('declare', 'a redeclaration that differs is refused');
    }
}

function persistent(string $body): AMQPMessage
{
    return new AMQPMessage($body, ['delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT]);
}

function confirms(AMQPChannel $channel): void
{
    $channel->confirm_select();
    $confirmed = 0;
    $channel->set_ack_handler(function () use (&$confirmed) {
        $confirmed++;
    });
    for ($number = 0; $number < 100; $number++) {
        $channel->basic_publish(persistent((string) $number), 'orders', 'new');
    }
    $channel->wait_for_pending_acks(5);
    check($confirmed === 100, "$confirmed confirmed");
    ok('confirms', '100 persistent messages are confirmed');
    $returned = null;
    $channel->set_return_listener(function (int $code) use (&$returned) {
        $returned = $code;
    });
    $channel->basic_publish(new AMQPMessage('lost'), 'orders', 'nowhere', mandatory: true);
    $channel->wait_for_pending_acks_returns(5);
    check($returned === 312, 'nothing came back');
    ok('returns', 'a message without a route comes back');
}

function prefetch(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $channel->basic_qos(0, 10, false);
    $held = &collect($channel, 'orders', false);
    await($channel, $held, 10);
    try {
        $channel->wait(null, false, 0.2);
        check(false, 'more than the prefetch count');
    } catch (AMQPTimeoutException) {
        $held[9]->ack(true);
    }
    for ($number = 0; $number < 100; $number++) {
        if ($number >= 10) {
            await($channel, $held, $number + 1);
            $held[$number]->ack();
        }
        check($held[$number]->body === (string) $number, 'out of order');
    }
    ok('prefetch', '10 at a time, and all in order');
    $channel->close();
}

function timeToLive(AMQPStreamConnection $connection): void
{
    $channel = $connection->channel();
    $channel->queue_declare('dead', durable: true, auto_delete: false);
    $deadLetters = new AMQPTable([
        'x-dead-letter-exchange' => '',
        'x-dead-letter-routing-key' => 'dead',
    ]);
    $channel->queue_declare('mortal', durable: true, auto_delete: false, arguments: $deadLetters);
    $letters = &collect($channel, 'dead', true);
    $start = hrtime(true);
    $channel->basic_publish(new AMQPMessage('brief', ['expiration' => '200']), '', 'mortal');
    await($channel, $letters, 1);
    $lived = (hrtime(true) - $start) / 1e6;
    [$letter] = $letters;
    check($letter->body === 'brief', 'another message died');
    check($lived >= 199, "it lived for $lived ms");
    ok('ttl', sprintf('it lived for %.0f ms of 200', $lived));
    $death = $letter->get('application_headers')->getNativeData()['x-death'][0];
    check(
        [$death['queue'], $death['reason'], $death['count'], $death['original-expiration']]
            === ['mortal', 'expired', 1, '200'],
        json_encode($death)
    );
    check(!$letter->has('expiration'), 'it would die again');
    ok('dead-letter', 'x-death tells where and why');
    $channel->close();
}

/** Direct reply-to: the answer comes without a queue of its own. */
function replyTo(AMQPStreamConnection $connection): void
{
    $asking = $connection->channel();
    $answers = &collect($asking, 'amq.rabbitmq.reply-to', true);
    $question = ['reply_to' => 'amq.rabbitmq.reply-to', 'correlation_id' => '1'];
    $asking->basic_publish(new AMQPMessage('ping', $question), '', 'orders');
    $serving = $connection->channel();
    $questions = &collect($serving, 'orders', true);
    await($serving, $questions, 1);
    [$asked] = $questions;
    $answer = new AMQPMessage('pong', ['correlation_id' => $asked->get('correlation_id')]);
    $serving->basic_publish($answer, '', $asked->get('reply_to'));
    await($asking, $answers, 1);
    check($answers[0]->body === 'pong', 'another answer');
    check($answers[0]->get('correlation_id') === '1', 'an answer to another question');
    ok('reply-to', 'a question is answered through amq.rabbitmq.reply-to');
    $serving->close();
    $asking->close();
}

function restart(AMQPStreamConnection $connection, AMQPChannel $channel): void
{
    $channel->basic_publish(persistent('kept'), '', 'orders');
    $channel->wait_for_pending_acks(5);
    echo "restart\n";
    fgets(STDIN);
    try {
        $channel->basic_get('orders', true);
        check(false, 'the connection outlived its broker');
    } catch (PhpAmqpLib\Exception\AMQPExceptionInterface) {
        // Reconnecting is up to the program; channels are opened anew afterwards.
        $connection->reconnect();
    }
    $message = $connection->channel()->basic_get('orders', true);
    check($message?->body === 'kept', 'the message is not there');
    ok('restart', "the persistent message is there after the broker's restart");
}

echo 'version ' . Package::VERSION . "\n";
$connection = connect();
$channel = $connection->channel();
declareAll($connection, $channel);
confirms($channel);
prefetch($connection);
timeToLive($connection);
replyTo($connection);
restart($connection, $channel);
$connection->close();
