<?php
// Symfony Messenger: messages that are objects, workers and retries, over PHP's extension amqp.
declare(strict_types=1);

require 'Symfony/Component/EventDispatcher/autoload.php';
require 'Symfony/Component/Messenger/autoload.php';
require 'Symfony/Component/Messenger/Bridge/Amqp/autoload.php';

use Psr\Container\ContainerInterface;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Bridge\Amqp\Transport\AmqpReceivedStamp;
use Symfony\Component\Messenger\Bridge\Amqp\Transport\AmqpStamp;
use Symfony\Component\Messenger\Bridge\Amqp\Transport\AmqpTransport;
use Symfony\Component\Messenger\Bridge\Amqp\Transport\Connection;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\EventListener\SendFailedMessageForRetryListener;
use Symfony\Component\Messenger\EventListener\StopWorkerOnMessageLimitListener;
use Symfony\Component\Messenger\Exception\TransportException;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Retry\MultiplierRetryStrategy;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Worker;

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

/** A message. */
final class Order
{
    public function __construct(public int $number, public bool $broken = false)
    {
    }
}

/** What a framework's configuration would hold: the services by name. */
final class Services implements ContainerInterface
{
    public function __construct(private array $services)
    {
    }

    public function get(string $id): mixed
    {
        return $this->services[$id];
    }

    public function has(string $id): bool
    {
        return isset($this->services[$id]);
    }
}

function transport(array $queues, array $more = []): AmqpTransport
{
    $url = getenv('AMQP_URL') ?: 'amqp://guest:guest@localhost:5672/%2f';
    return new AmqpTransport(Connection::fromDsn($url, $more + [
        'exchange' => ['name' => 'orders', 'type' => 'direct', 'default_publish_routing_key' => 'new'],
        'queues' => $queues,
        'delay' => ['exchange_name' => 'delays', 'queue_name_pattern' => 'delay_%exchange_name%_%routing_key%_%delay%'],
        'confirm_timeout' => '60',
        'read_timeout' => '60',
    ]));
}

/** Numbers as text become numbers where the library knows the argument. */
function orders(string $limit = '10000'): AmqpTransport
{
    return transport(['orders' => [
        'binding_keys' => ['new', 'urgent'],
        'arguments' => [
            'x-max-length' => $limit,
            'x-dead-letter-exchange' => '',
            'x-dead-letter-routing-key' => 'dead',
        ],
    ]]);
}

/** Lets a worker handle so many messages, with retries. */
function work(AmqpTransport $transport, int $messages, callable $handler): void
{
    $events = new EventDispatcher();
    $events->addSubscriber(new StopWorkerOnMessageLimitListener($messages));
    $events->addSubscriber(new SendFailedMessageForRetryListener(
        new Services(['orders' => $transport]),
        new Services(['orders' => new MultiplierRetryStrategy(2, 100, 2)])
    ));
    $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([Order::class => [$handler]]))]);
    (new Worker(['orders' => $transport], $bus, $events))->run(['sleep' => 10_000]);
}

function next_of(AmqpTransport $transport, float $seconds = 60): Envelope
{
    $deadline = microtime(true) + $seconds;
    while (microtime(true) < $deadline) {
        try {
            foreach ($transport->get() as $envelope) {
                return $envelope;
            }
        } catch (TransportException) {
            // The connection is lost, which the next attempt finds out.
        }
        usleep(10_000);
    }
    throw new RuntimeException("no message in $seconds s");
}

function deaths(Envelope $envelope): array
{
    return array_map(
        fn (array $death): array => [$death['queue'], $death['reason'], $death['count']],
        $envelope->last(AmqpReceivedStamp::class)->getAmqpEnvelope()->getHeader('x-death')
    );
}

function declareAll(AmqpTransport $transport): void
{
    $transport->setup();
    $transport->setup();
    try {
        orders('20000')->setup();
        check(false, 'the redeclaration was taken');
    } catch (AMQPQueueException $refused) {
        check($refused->getCode() === 406, $refused->getMessage());
        ok('declare', 'a redeclaration that differs is refused');
    }
}

function confirms(AmqpTransport $transport): void
{
    for ($number = 0; $number < 100; $number++) {
        $transport->send(new Envelope(new Order($number)));
    }
    check($transport->getMessageCount() === 100, $transport->getMessageCount() . ' are there');
    ok('confirms', '100 persistent messages are confirmed');
}

function worker(AmqpTransport $transport): void
{
    $numbers = [];
    work($transport, 100, function (Order $order) use (&$numbers): void {
        $numbers[] = $order->number;
    });
    check($numbers === range(0, 99), 'out of order');
    check($transport->getMessageCount() === 0, 'some are left');
    ok('worker', '100 messages are handled one by one, in order, and acknowledged');
}

/** A message waits in a queue that is made for its delay and expires itself. */
function delay(AmqpTransport $transport): void
{
    $start = hrtime(true);
    $transport->send(new Envelope(new Order(1), [new DelayStamp(200), new AmqpStamp('urgent')]));
    $envelope = next_of($transport);
    $waited = (hrtime(true) - $start) / 1e6;
    check($waited >= 199, "it waited for $waited ms");
    ok('ttl', sprintf('it waited for %.0f ms of 200', $waited));
    $received = $envelope->last(AmqpReceivedStamp::class)->getAmqpEnvelope();
    check($received->getRoutingKey() === 'urgent', $received->getRoutingKey());
    check(deaths($envelope) === [['delay_orders_urgent_200_delay', 'expired', 1]], json_encode(deaths($envelope)));
    ok('delay', 'it went through the queue of its delay');
    $transport->ack($envelope);
}

function retries(AmqpTransport $transport): void
{
    $dead = transport(['dead' => ['binding_keys' => []]]);
    $dead->setup();
    $transport->send(new Envelope(new Order(7, broken: true)));
    $tries = [];
    work($transport, 3, function (Order $order) use (&$tries): void {
        $tries[] = hrtime(true);
        throw new RuntimeException('as asked');
    });
    check($tries[1] - $tries[0] >= 99e6 && $tries[2] - $tries[1] >= 199e6, 'too early');
    ok('retry', 'three tries, after 100 and 200 ms');
    $letter = next_of($dead);
    check($letter->getMessage() == new Order(7, broken: true), 'another message');
    check(deaths($letter)[0] === ['orders', 'rejected', 1], json_encode(deaths($letter)));
    ok('dead-letter', 'x-death tells where and why');
    $dead->ack($letter);
}

function restart(AmqpTransport $transport): void
{
    $transport->send(new Envelope(new Order(8)));
    echo "restart\n";
    fgets(STDIN);
    $envelope = next_of($transport, 20);
    check($envelope->getMessage() == new Order(8), 'another message');
    $transport->ack($envelope);
    $transport->send(new Envelope(new Order(9)));
    $transport->ack(next_of($transport));
    ok('restart', "the persistent message is there after the broker's restart, on a new connection");
}

$package = shell_exec("dpkg-query -W -f '\${Version}' php-symfony-amqp-messenger");
echo 'version ' . explode('+', $package)[0] . "\n";
$transport = orders();
declareAll($transport);
confirms($transport);
worker($transport);
delay($transport);
retries($transport);
restart($transport);
