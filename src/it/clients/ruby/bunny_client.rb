# bunny: blocking calls and consumers on threads, in Ruby.

require 'bunny'

URL = ENV.fetch('AMQP_URL', 'amqp://guest:guest@localhost:5672/%2f')

$stdout.sync = true

def ok(area, what)
  puts "ok #{area} #{what}"
end

def assert(condition, what)
  raise what unless condition
end

# The next thing in a queue of Ruby's, which a consumer's thread fills.
def take(queue, seconds = 60)
  deadline = Time.now + seconds
  loop do
    return queue.pop(true)
  rescue ThreadError
    raise "nothing came in #{seconds} s" if Time.now > deadline

    sleep 0.005
  end
end

def declare(connection, channel)
  exchange = channel.direct('orders', durable: true)
  queue = channel.queue('orders', durable: true)
  queue.bind(exchange, routing_key: 'new')
  begin
    connection.create_channel.queue('orders', durable: false)
    raise 'the redeclaration was taken'
  rescue Bunny::PreconditionFailed
    ok 'declare', 'a redeclaration that differs is refused'
  end
  [exchange, queue]
end

def confirms(channel, exchange)
  channel.confirm_select
  100.times { |number| exchange.publish(number.to_s, routing_key: 'new', persistent: true) }
  assert channel.wait_for_confirms, 'a message was refused'
  ok 'confirms', '100 persistent messages are confirmed'
  returned = Queue.new
  exchange.on_return { |info, _properties, _body| returned << info }
  exchange.publish('lost', routing_key: 'nowhere', mandatory: true)
  assert take(returned).reply_text == 'NO_ROUTE', 'returned for another reason'
  ok 'returns', 'a message without a route comes back'
end

def prefetch(connection)
  channel = connection.create_channel
  channel.prefetch(10)
  deliveries = Queue.new
  consumer = channel.queue('orders', durable: true).subscribe(manual_ack: true) do |info, _, body|
    deliveries << [info.delivery_tag, body]
  end
  held = Array.new(10) { take(deliveries) }
  sleep 0.2
  assert deliveries.empty?, 'more than the prefetch count'
  channel.ack(held.last.first, true)
  while held.size < 100
    held << take(deliveries)
    channel.ack(held.last.first)
  end
  assert held.map { |_, body| body.to_i } == (0...100).to_a, 'out of order'
  ok 'prefetch', '10 at a time, and all in order'
  consumer.cancel
  channel.close
end

def time_to_live(connection)
  channel = connection.create_channel
  dead = channel.queue('dead', durable: true)
  arguments = { 'x-dead-letter-exchange' => '', 'x-dead-letter-routing-key' => 'dead' }
  mortal = channel.queue('mortal', durable: true, arguments: arguments)
  letters = Queue.new
  dead.subscribe { |_, properties, body| letters << [properties, body] }
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  mortal.publish('brief', expiration: 200)
  properties, body = take(letters)
  lived = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  assert body == 'brief', "another message died: #{body}"
  assert lived >= 0.199, "it lived for #{lived} s"
  ok 'ttl', "it lived for #{(lived * 1000).round} ms of 200"
  death = properties.headers['x-death'].first
  assert death.values_at('queue', 'reason', 'count', 'original-expiration') ==
         ['mortal', 'expired', 1, '200'], death.inspect
  assert properties.expiration.nil?, 'it would die again'
  ok 'dead-letter', 'x-death tells where and why'
  channel.close
end

# Direct reply-to: the answer comes without a queue of its own.
def reply_to(connection)
  asking = connection.create_channel
  answers = Queue.new
  asking.basic_consume('amq.rabbitmq.reply-to', '', true) do |_, properties, body|
    answers << [properties.correlation_id, body]
  end
  serving = connection.create_channel
  serving.queue('orders', durable: true).subscribe do |_, properties, _|
    serving.default_exchange.publish(
      'pong', routing_key: properties.reply_to, correlation_id: properties.correlation_id
    )
  end
  asking.default_exchange.publish(
    'ping', routing_key: 'orders', reply_to: 'amq.rabbitmq.reply-to', correlation_id: '1'
  )
  assert take(answers) == %w[1 pong], 'another answer'
  ok 'reply-to', 'a question is answered through amq.rabbitmq.reply-to'
  serving.close
  asking.close
end

def restart(connection)
  received = Queue.new
  channel = connection.create_channel
  queue = channel.queue('orders', durable: true)
  queue.subscribe { |_, _, body| received << body }
  puts 'restart'
  $stdin.gets
  # The library connects again by itself, and opens the channels and consumers that there were.
  Bunny.run(URL) do |other|
    other.create_channel.default_exchange.publish('after', routing_key: 'orders')
  end
  assert take(received, 20) == 'after', 'another message'
  assert connection.open?, 'the connection is not open'
  ok 'restart', 'the connection is back, and its consumer goes on'
end

puts "version #{Bunny::VERSION}"
connection = Bunny.new(URL, network_recovery_interval: 0.2, log_level: Logger::ERROR)
connection.start
channel = connection.create_channel
exchange, = declare(connection, channel)
confirms(channel, exchange)
prefetch(connection)
time_to_live(connection)
reply_to(connection)
restart(connection)
connection.close
