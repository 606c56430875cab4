#!/usr/bin/env bash
# A Perl consumer ends with an error at the first message that a quorum queue delivers again, and at the first dead letter.
#
# With:      AnyEvent::RabbitMQ 1.22 and Net::AMQP 0.06 (Debian 1.22~dfsg-1, 0.06~dfsg-5), RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  headers that a program does not look at are of no concern to it.
# Happens:   Net::AMQP reads integers of 32 bits, but neither those of 64 bits nor floats, and dies of them. RabbitMQ itself sets
#            integers of 64 bits: x-acquired-count on a message of a quorum queue that is delivered again, count in the x-death of
#            a dead letter. The error is raised in AnyEvent::RabbitMQ's reading of the socket, outside of each callback that the program
#            gave it, and ends the program. At its next start it ends with the same message.
# Who meets it: who moves such a consumer from classic to quorum queues. It works until a message is delivered again for the first
#            time, as after any restart with work in hand; then no start succeeds until the delivery limit has dropped that
#            message. Who reads a queue of dead letters never gets one. Mojo::RabbitMQ::Client reads with the same module.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
debian_packages libanyevent-rabbitmq-perl=1.22~dfsg-1 libnet-amqp-perl=0.06~dfsg-5
rabbitmq 4.3.6-1

cat >"$work/debian/consume.pl" <<'PL'
use strict;
use warnings;
use AnyEvent;
use AnyEvent::RabbitMQ;

# Takes messages of a queue until there are none for two seconds, prints them and acknowledges them.
my ($port, $queue) = @ARGV;
$| = 1;
my ($done, $idle) = (AnyEvent->condvar);
my $fail = sub { die "failed: @_" };
my $wait = sub { $idle = AnyEvent->timer(after => 2, cb => sub { $done->send }) };
my $connection = AnyEvent::RabbitMQ->new->load_xml_spec->connect(
    host => '127.0.0.1', port => $port, user => 'guest', pass => 'guest', vhost => '/',
    on_failure => $fail, on_read_failure => sub { print 'on_read_failure ' }, on_close => sub { print 'on_close ' },
    on_success => sub {
        shift->open_channel(
            on_failure => $fail, on_close => sub { print 'channel on_close ' },
            on_success => sub {
                my $channel = shift;
                $channel->consume(
                    queue => $queue, no_ack => 0, on_failure => $fail, on_success => $wait,
                    on_consume => sub {
                        my $message = shift;
                        print $message->{body}->payload, ' ';
                        $channel->ack(delivery_tag => $message->{deliver}->method_frame->delivery_tag);
                        $wait->();
                    });
            });
    });
$done->recv;
print 'end';
PL

cat >"$work/main.py" <<'PY'
import subprocess
import sys

import pika

port, *consumer = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(port)))
channel = connection.channel()
channel.confirm_delivery()


def consume(queue):
    run = subprocess.run([*consumer, "consume.pl", port, queue], capture_output=True, text=True, timeout=60)
    print(f"{queue}: exit code {run.returncode}, {run.stdout.strip()!r} {run.stderr.split(' at /')[0].strip()!r}")
    return run.returncode, run.stdout.strip(), run.stderr


def refuse(queue, requeue):
    """Takes one message, and refuses it."""
    channel.basic_reject(channel.basic_get(queue)[0].delivery_tag, requeue=requeue)


for queue, type in (("classic", "classic"), ("quorum", "quorum"), ("dead letters", "classic")):
    channel.queue_declare(queue, durable=True, arguments={"x-queue-type": type})
channel.queue_declare("source", durable=True, arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead letters"})

right = True
for queue in ("classic", "quorum"):
    for body in ("one", "two"):
        channel.basic_publish("", queue, body)
    right &= consume(queue) == (0, "one two end", "")
    for body in ("three", "four"):
        channel.basic_publish("", queue, body)
    refuse(queue, requeue=True)
right &= consume("classic") == (0, "three four end", "")
for body in ("five", "six"):
    channel.basic_publish("", "source", body)
    refuse("source", requeue=False)
for queue, field in (("quorum", "x-acquired-count"), ("quorum", "x-acquired-count"), ("dead letters", "count")):
    code, out, err = consume(queue)
    right &= code == 255 and out == "" and f"No way to unpack field '{field}' type 'l'" in err
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/main.py" "$amqp_port" env LC_ALL=C chroot "$work/debian" perl
