//! amqprs: asynchronous, with callbacks for what the broker sends by itself, in Rust with Tokio.

use amqprs::callbacks::ChannelCallback;
use amqprs::channel::*;
use amqprs::connection::{Connection, OpenConnectionArguments};
use amqprs::{
    Ack, BasicProperties, Cancel, CloseChannel, FieldName, FieldTable, FieldValue, Nack, Return,
};
use async_trait::async_trait;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};
use tokio::time::{sleep, timeout};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const PATIENCE: Duration = Duration::from_secs(60);

fn ok(area: &str, what: &str) {
    println!("ok {area} {what}");
}

/// The parts of AMQP_URL: the library's feature `urispec` would read it.
fn arguments() -> OpenConnectionArguments {
    let url = std::env::var("AMQP_URL").unwrap_or("amqp://guest:guest@localhost:5672/%2f".into());
    let (login, address) = url.trim_start_matches("amqp://").split_once('@').expect("a user");
    let (user, password) = login.split_once(':').expect("a password");
    let (host, port) = address.split('/').next().unwrap().split_once(':').expect("a port");
    OpenConnectionArguments::new(host, port.parse().expect("a port"), user, password)
        .connection_name("example")
        .finish()
}

/// What the broker sends by itself on a channel.
#[derive(Debug)]
enum Event {
    Closed(u16),
    Cancelled(String),
    Acked(u64, bool),
    Nacked,
    Returned(u16, Vec<u8>),
}

struct Events(UnboundedSender<Event>);

impl Events {
    fn tell(&self, event: Event) {
        let _ = self.0.send(event); // nobody may want to know any more
    }
}

#[async_trait]
impl ChannelCallback for Events {
    async fn close(&mut self, _: &Channel, close: CloseChannel) -> amqprs_result::Unit {
        self.tell(Event::Closed(close.reply_code()));
        Ok(())
    }

    async fn cancel(&mut self, _: &Channel, cancel: Cancel) -> amqprs_result::Unit {
        self.tell(Event::Cancelled(cancel.consumer_tag().clone()));
        Ok(())
    }

    async fn flow(&mut self, _: &Channel, active: bool) -> amqprs_result::Flag {
        Ok(active)
    }

    async fn publish_ack(&mut self, _: &Channel, ack: Ack) {
        self.tell(Event::Acked(ack.delivery_tag(), ack.mutiple()));
    }

    async fn publish_nack(&mut self, _: &Channel, _: Nack) {
        self.tell(Event::Nacked);
    }

    async fn publish_return(
        &mut self,
        _: &Channel,
        returned: Return,
        _: BasicProperties,
        body: Vec<u8>,
    ) {
        self.tell(Event::Returned(returned.reply_code(), body));
    }
}

/// Names for the library's own result type, which it does not export.
mod amqprs_result {
    pub type Unit = Result<(), amqprs::error::Error>;
    pub type Flag = Result<bool, amqprs::error::Error>;
}

async fn open(connection: &Connection) -> Result<(Channel, UnboundedReceiver<Event>)> {
    let channel = connection.open_channel(None).await?;
    let (tell, events) = unbounded_channel();
    channel.register_callback(Events(tell)).await?;
    Ok((channel, events))
}

async fn event(events: &mut UnboundedReceiver<Event>) -> Result<Event> {
    Ok(timeout(PATIENCE, events.recv()).await?.ok_or("the channel has ended")?)
}

async fn publish(channel: &Channel, exchange: &str, key: &str, body: &[u8]) -> Result<()> {
    let persistent = BasicProperties::default().with_persistence(true).finish();
    let arguments = BasicPublishArguments::new(exchange, key).mandatory(true).finish();
    Ok(channel.basic_publish(persistent, body.to_vec(), arguments).await?)
}

/// Waits for the confirmation of all up to a tag.
async fn confirmed(events: &mut UnboundedReceiver<Event>, from: u64, last: u64) -> Result<()> {
    let mut next = from;
    while next <= last {
        match event(events).await? {
            // One at a time they may come in another order than they were published.
            Event::Acked(tag, true) => next = next.max(tag + 1),
            Event::Acked(_, false) => next += 1,
            other => return Err(format!("{other:?} instead of a confirmation").into()),
        }
    }
    Ok(())
}

async fn consume(
    channel: &Channel,
    queue: &str,
    no_ack: bool,
) -> Result<UnboundedReceiver<ConsumerMessage>> {
    let arguments = BasicConsumeArguments::new(queue, "").manual_ack(!no_ack).finish();
    Ok(channel.basic_consume_rx(arguments).await?.1)
}

async fn next(consumer: &mut UnboundedReceiver<ConsumerMessage>) -> Result<ConsumerMessage> {
    Ok(timeout(PATIENCE, consumer.recv()).await?.ok_or("the consumer has ended")?)
}

fn body(message: &ConsumerMessage) -> &[u8] {
    message.content.as_deref().unwrap_or_default()
}

fn tag(message: &ConsumerMessage) -> u64 {
    message.deliver.as_ref().map_or(0, |deliver| deliver.delivery_tag())
}

fn name(text: &str) -> FieldName {
    text.try_into().expect("a short text")
}

async fn declare(connection: &Connection, channel: &Channel) -> Result<()> {
    let exchange = ExchangeDeclareArguments::new("orders", "direct").durable(true).finish();
    channel.exchange_declare(exchange).await?;
    channel.queue_declare(QueueDeclareArguments::durable_client_named("orders")).await?;
    channel.queue_bind(QueueBindArguments::new("orders", "orders", "new")).await?;
    let (other, mut events) = open(connection).await?;
    let refused = other.queue_declare(QueueDeclareArguments::new("orders")).await;
    assert!(refused.is_err(), "the redeclaration was taken");
    assert!(matches!(event(&mut events).await?, Event::Closed(406)));
    ok("declare", "a redeclaration that differs is refused");
    Ok(())
}

async fn confirms(channel: &Channel, events: &mut UnboundedReceiver<Event>) -> Result<()> {
    channel.confirm_select(ConfirmSelectArguments::default()).await?;
    for number in 0..100 {
        publish(channel, "orders", "new", number.to_string().as_bytes()).await?;
    }
    confirmed(events, 1, 100).await?;
    ok("confirms", "100 persistent messages are confirmed");
    publish(channel, "orders", "nowhere", b"lost").await?;
    match event(events).await? {
        Event::Returned(312, body) => assert_eq!(body, b"lost"),
        other => return Err(format!("{other:?} instead of a return").into()),
    }
    confirmed(events, 101, 101).await?;
    ok("returns", "a message without a route comes back, before its confirmation");
    Ok(())
}

async fn prefetch(connection: &Connection) -> Result<()> {
    let (channel, _events) = open(connection).await?;
    channel.basic_qos(BasicQosArguments::new(0, 10, false)).await?;
    let mut consumer = consume(&channel, "orders", false).await?;
    let mut bodies = Vec::new();
    let mut last = 0;
    for _ in 0..10 {
        let message = next(&mut consumer).await?;
        last = tag(&message);
        bodies.push(body(&message).to_vec());
    }
    let more = timeout(Duration::from_millis(200), consumer.recv()).await;
    assert!(more.is_err(), "more than the prefetch count");
    channel.basic_ack(BasicAckArguments::new(last, true)).await?;
    while bodies.len() < 100 {
        let message = next(&mut consumer).await?;
        channel.basic_ack(BasicAckArguments::new(tag(&message), false)).await?;
        bodies.push(body(&message).to_vec());
    }
    for (number, body) in bodies.iter().enumerate() {
        assert_eq!(body, number.to_string().as_bytes());
    }
    ok("prefetch", "10 at a time, and all in order");
    channel.close().await?;
    Ok(())
}

async fn time_to_live(connection: &Connection) -> Result<()> {
    let (channel, _events) = open(connection).await?;
    channel.queue_declare(QueueDeclareArguments::durable_client_named("dead")).await?;
    let mut arguments = FieldTable::new();
    arguments.insert(name("x-dead-letter-exchange"), "".into());
    arguments.insert(name("x-dead-letter-routing-key"), "dead".into());
    let mortal = QueueDeclareArguments::durable_client_named("mortal").arguments(arguments).finish();
    channel.queue_declare(mortal).await?;
    let mut dead = consume(&channel, "dead", true).await?;
    let start = Instant::now();
    let brief = BasicProperties::default().with_expiration("200").finish();
    let to = BasicPublishArguments::new("", "mortal");
    channel.basic_publish(brief, b"brief".to_vec(), to).await?;
    let letter = next(&mut dead).await?;
    let lived = start.elapsed();
    assert_eq!(body(&letter), b"brief");
    assert!(lived >= Duration::from_millis(199), "it lived for {lived:?}");
    ok("ttl", &format!("it lived for {} ms of 200", lived.as_millis()));
    let properties = letter.basic_properties.as_ref().ok_or("no properties")?;
    let headers = properties.headers().ok_or("no headers")?;
    let Some(FieldValue::A(deaths)) = headers.get(&name("x-death")) else {
        panic!("no x-death in {headers}");
    };
    let deaths: Vec<FieldValue> = deaths.clone().into();
    let FieldValue::F(death) = &deaths[0] else {
        panic!("x-death is {deaths:?}");
    };
    for (key, value) in [("queue", "mortal"), ("reason", "expired"), ("original-expiration", "200")] {
        assert_eq!(death.get(&name(key)), Some(&value.into()), "{key}");
    }
    assert_eq!(death.get(&name("count")), Some(&FieldValue::l(1)));
    assert_eq!(properties.expiration(), None, "it would die again");
    ok("dead-letter", "x-death tells where and why");
    channel.close().await?;
    Ok(())
}

/// A consumer learns that its queue is gone, by a callback.
async fn cancelled(connection: &Connection) -> Result<()> {
    let (channel, mut events) = open(connection).await?;
    let (queue, ..) = channel
        .queue_declare(QueueDeclareArguments::exclusive_server_named())
        .await?
        .ok_or("no answer")?;
    let arguments = BasicConsumeArguments::new(&queue, "watcher");
    let (_, _messages) = channel.basic_consume_rx(arguments).await?;
    channel.queue_delete(QueueDeleteArguments::new(&queue)).await?;
    match event(&mut events).await? {
        Event::Cancelled(consumer) => assert_eq!(consumer, "watcher"),
        other => return Err(format!("{other:?} instead of a cancellation").into()),
    }
    ok("cancelled", "the callback is told that the consumer's queue is deleted");
    channel.close().await?;
    Ok(())
}

async fn transaction(connection: &Connection) -> Result<()> {
    let (channel, _events) = open(connection).await?;
    channel.queue_declare(QueueDeclareArguments::durable_client_named("books")).await?;
    channel.tx_select().await?;
    publish(&channel, "", "books", b"rolled back").await?;
    channel.tx_rollback().await?;
    publish(&channel, "", "books", b"kept").await?;
    channel.tx_commit().await?;
    let get = || BasicGetArguments::new("books").no_ack(true).finish();
    let (_, _, body) = channel.basic_get(get()).await?.ok_or("nothing is there")?;
    assert_eq!(body, b"kept");
    assert!(channel.basic_get(get()).await?.is_none(), "the other message is there, too");
    ok("transaction", "one is rolled back, and one committed");
    channel.close().await?;
    Ok(())
}

async fn secret(connection: &Connection) -> Result<()> {
    timeout(PATIENCE, connection.update_secret("guest", "renewed")).await??;
    let (channel, _events) = open(connection).await?;
    channel.close().await?;
    ok("secret", "the connection goes on with a new secret");
    Ok(())
}

async fn restart(
    connection: Connection,
    channel: Channel,
    mut events: UnboundedReceiver<Event>,
) -> Result<()> {
    publish(&channel, "orders", "new", b"kept").await?;
    confirmed(&mut events, 102, 102).await?;
    println!("restart");
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    // The library does not connect again by itself.
    let deadline = Instant::now() + PATIENCE;
    while connection.is_open() {
        assert!(Instant::now() < deadline, "it outlived its broker");
        sleep(Duration::from_millis(20)).await;
    }
    let again = Connection::open(&arguments()).await?;
    let (channel, _events) = open(&again).await?;
    let mut consumer = consume(&channel, "orders", true).await?;
    assert_eq!(body(&next(&mut consumer).await?), b"kept");
    ok("restart", "the persistent message is there after the broker's restart");
    channel.close().await?;
    again.close().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    println!("version {}", env!("AMQPRS_VERSION"));
    let connection = Connection::open(&arguments()).await?;
    let (channel, mut events) = open(&connection).await?;
    declare(&connection, &channel).await?;
    confirms(&channel, &mut events).await?;
    prefetch(&connection).await?;
    time_to_live(&connection).await?;
    cancelled(&connection).await?;
    transaction(&connection).await?;
    secret(&connection).await?;
    restart(connection, channel, events).await
}
