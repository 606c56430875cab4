# AnyEvent::RabbitMQ: callbacks, in Perl.
use strict;
use warnings;

use AnyEvent;
use AnyEvent::RabbitMQ;
use Time::HiRes qw(time);

my ($user, $password, $host, $port) =
    ($ENV{AMQP_URL} || 'amqp://guest:guest@localhost:5672/%2f') =~ m{^amqp://(.*?):(.*?)\@(.*?):(\d+)/};
$| = 1;
my $closed = AnyEvent->condvar;

sub ok {
    my ($area, $what) = @_;
    print "ok $area $what\n";
}

# Waits for what a callback sends; fails after a minute.
sub await {
    my ($what, $begin) = @_;
    my $done = AnyEvent->condvar;
    my $timer = AnyEvent->timer(after => 60, cb => sub { $done->croak("$what: not within 60 s") });
    $begin->($done);
    return $done->recv;
}

# What most methods want: on_success and on_failure.
sub both {
    my ($done) = @_;
    return (on_success => sub { $done->send(@_) }, on_failure => sub { $done->croak(reason($_[0])) });
}

sub reason {
    my ($frame) = @_;
    return ref $frame ? $frame->method_frame->reply_code . ' ' . $frame->method_frame->reply_text : $frame;
}

sub connection {
    my $connection = AnyEvent::RabbitMQ->new->load_xml_spec;
    return await(connect => sub {
        my ($done) = @_;
        $connection->connect(
            host => $host, port => $port, user => $user, pass => $password, vhost => '/',
            on_close => sub { $closed->send(reason($_[0])) }, both($done),
        );
    });
}

sub channel {
    my ($connection, %more) = @_;
    return await(channel => sub { my ($done) = @_; $connection->open_channel(both($done), %more) });
}

sub call {
    my ($channel, $method, %arguments) = @_;
    return await($method => sub { my ($done) = @_; $channel->$method(%arguments, both($done)) });
}

sub declare {
    my ($connection, $channel) = @_;
    call($channel, 'declare_exchange', exchange => 'orders', type => 'direct', durable => 1);
    call($channel, 'declare_queue', queue => 'orders', durable => 1);
    call($channel, 'bind_queue', queue => 'orders', exchange => 'orders', routing_key => 'new');
    my $why = '';
    my $other = channel($connection, on_close => sub { $why = reason($_[0]) });
    eval { call($other, 'declare_queue', queue => 'orders') };
    die "not refused: $why" unless $why =~ /^406 /;
    ok('declare', 'a redeclaration that differs is refused');
}

sub publish {
    my ($channel, $exchange, $key, $body, %header) = @_;
    return await("publish of $body" => sub {
        my ($done) = @_;
        my $returned = 0;
        $channel->publish(
            exchange => $exchange,
            routing_key => $key,
            body => $body,
            header => {delivery_mode => 2, %header},
            mandatory => 1,
            on_return => sub { $returned = 1 },
            on_ack => sub { $done->send($returned ? 'returned' : 'confirmed') },
            on_nack => sub { $done->croak("$body was refused") },
        );
    });
}

sub confirms {
    my ($channel) = @_;
    call($channel, 'confirm');
    for my $number (0 .. 99) {
        die "$number came back" unless publish($channel, 'orders', 'new', $number) eq 'confirmed';
    }
    ok('confirms', '100 persistent messages are confirmed');
    die 'nothing came back' unless publish($channel, 'orders', 'nowhere', 'lost') eq 'returned';
    ok('returns', 'a message without a route comes back');
}

sub prefetch {
    my ($connection) = @_;
    my $channel = channel($connection);
    call($channel, 'qos', prefetch_count => 10);
    my (@bodies, @held);
    my $all = AnyEvent->condvar;
    my $acknowledging = 0;
    my $acknowledge = sub {
        $channel->ack(delivery_tag => $_) for splice @held;
    };
    call($channel, 'consume', queue => 'orders', no_ack => 0, on_consume => sub {
        my ($delivery) = @_;
        push @bodies, $delivery->{body}->payload;
        push @held, $delivery->{deliver}->method_frame->delivery_tag;
        $acknowledge->() if $acknowledging;
        $all->send if @bodies == 100;
    });
    # Nothing is acknowledged at first, so no more than the prefetch count comes.
    await(ten => sub {
        my ($done) = @_;
        my $watch; $watch = AnyEvent->timer(after => 0, interval => 0.02, cb => sub {
            return if @bodies < 10;
            undef $watch;
            $done->send;
        });
    });
    await(pause => sub { my ($done) = @_; my $timer; $timer = AnyEvent->timer(after => 0.2, cb => sub { undef $timer; $done->send }) });
    die scalar(@bodies) . ' came, not the prefetch count' unless @bodies == 10;
    $acknowledging = 1;
    $acknowledge->();
    my $timer = AnyEvent->timer(after => 60, cb => sub { $all->croak('not all came') });
    $all->recv;
    die 'out of order' unless join(' ', @bodies) eq join(' ', 0 .. 99);
    ok('prefetch', '10 at a time, and all in order');
    call($channel, 'close');
}

# The library cannot read the header x-death, whose count is a 64-bit integer; nor can it with RabbitMQ.
sub time_to_live {
    my ($connection, $confirming) = @_;
    my $channel = channel($connection);
    call($channel, 'declare_queue', queue => 'mortal', durable => 1);
    my $start = time;
    publish($confirming, '', 'mortal', 'brief', expiration => '200');
    while (call($channel, 'declare_queue', queue => 'mortal', passive => 1)->method_frame->message_count) {
        die 'it does not expire' if time > $start + 60;
    }
    my $lived = (time - $start) * 1000;
    die "it lived for $lived ms" unless $lived >= 199;
    ok('ttl', sprintf 'it lived for %.0f ms of 200', $lived);
}

sub restart {
    my ($channel) = @_;
    publish($channel, 'orders', 'new', 'kept');
    print "restart\n";
    <STDIN>;
    # Timers begin at the loop's own time, which has stood still since then.
    AnyEvent->now_update;
    # It does not reconnect by itself: notice the end, and connect again.
    my $timer = AnyEvent->timer(after => 60, cb => sub { $closed->croak('the end was not noticed') });
    my $why = $closed->recv;
    die "the broker said $why" unless $why =~ /^320 /;
    my $again = channel(connection());
    my $got = call($again, 'get', queue => 'orders', no_ack => 1);
    die 'the message is not there' unless $got->{body}->payload eq 'kept';
    ok('restart', "the persistent message is there after the broker's restart");
}

print "version $AnyEvent::RabbitMQ::VERSION\n";
my $connection = connection();
my $channel = channel($connection);
declare($connection, $channel);
confirms($channel);
prefetch($connection);
time_to_live($connection, $channel);
restart($channel);
exit 0;
