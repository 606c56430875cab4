//! lapin: asynchronous, in Rust with Tokio.

use futures_lite::StreamExt;
use lapin::message::Delivery;
use lapin::options::*;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties, Consumer, ExchangeKind,
};
use std::time::{Duration, Instant};
use tokio::time::timeout;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const PATIENCE: Duration = Duration::from_secs(60);

fn url() -> String {
    std::env::var("AMQP_URL").unwrap_or("amqp://guest:guest@localhost:5672/%2f".into())
}

fn ok(area: &str, what: &str) {
    println!("ok {area} {what}");
}

async fn connect() -> lapin::Result<Connection> {
    Connection::connect(&url(), ConnectionProperties::default()).await
}

async fn publish(channel: &Channel, exchange: &str, key: &str, body: &[u8]) -> Result<bool> {
    let persistent = BasicProperties::default().with_delivery_mode(2);
    let mandatory = BasicPublishOptions { mandatory: true, ..Default::default() };
    let confirm = channel
        .basic_publish(exchange.into(), key.into(), mandatory, body, persistent)
        .await?
        .await?;
    // A message without a route is confirmed too, and comes with the confirmation.
    Ok(confirm.is_ack() && confirm.take_message().is_none())
}

async fn consume(channel: &Channel, queue: &str, no_ack: bool) -> Result<Consumer> {
    let options = BasicConsumeOptions { no_ack, ..Default::default() };
    Ok(channel
        .basic_consume(queue.into(), "".into(), options, FieldTable::default())
        .await?)
}

async fn next(consumer: &mut Consumer) -> Result<Delivery> {
    Ok(timeout(PATIENCE, consumer.next()).await?.ok_or("the consumer was cancelled")??)
}

async fn declare(connection: &Connection, channel: &Channel) -> Result<()> {
    let durable = ExchangeDeclareOptions { durable: true, ..Default::default() };
    let none = FieldTable::default;
    channel.exchange_declare("orders".into(), ExchangeKind::Direct, durable, none()).await?;
    let durable = QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare("orders".into(), durable, none()).await?;
    let binding = QueueBindOptions::default();
    channel.queue_bind("orders".into(), "orders".into(), "new".into(), binding, none()).await?;
    let other = connection.create_channel().await?;
    let refused = other
        .queue_declare("orders".into(), QueueDeclareOptions::default(), none())
        .await
        .expect_err("a redeclaration that differs");
    assert!(refused.to_string().contains("PRECONDITION"), "{refused}");
    ok("declare", "a redeclaration that differs is refused");
    Ok(())
}

async fn confirms(channel: &Channel) -> Result<()> {
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    for number in 0..100 {
        assert!(publish(channel, "orders", "new", number.to_string().as_bytes()).await?);
    }
    ok("confirms", "100 persistent messages are confirmed");
    assert!(!publish(channel, "orders", "nowhere", b"lost").await?);
    ok("returns", "a message without a route comes back");
    Ok(())
}

async fn prefetch(connection: &Connection) -> Result<()> {
    let channel = connection.create_channel().await?;
    channel.basic_qos(10, BasicQosOptions::default()).await?;
    let mut consumer = consume(&channel, "orders", false).await?;
    let mut held = Vec::new();
    for _ in 0..10 {
        held.push(next(&mut consumer).await?);
    }
    let more = timeout(Duration::from_millis(200), consumer.next()).await;
    assert!(more.is_err(), "more than the prefetch count");
    held[9].ack(BasicAckOptions { multiple: true }).await?;
    while held.len() < 100 {
        let delivery = next(&mut consumer).await?;
        delivery.ack(BasicAckOptions::default()).await?;
        held.push(delivery);
    }
    for (number, delivery) in held.iter().enumerate() {
        assert_eq!(delivery.data, number.to_string().as_bytes());
    }
    ok("prefetch", "10 at a time, and all in order");
    channel.close(200, "done".into()).await?;
    Ok(())
}

async fn time_to_live(connection: &Connection) -> Result<()> {
    let channel = connection.create_channel().await?;
    let durable = QueueDeclareOptions { durable: true, ..Default::default() };
    channel.queue_declare("dead".into(), durable, FieldTable::default()).await?;
    let mut arguments = FieldTable::default();
    arguments.insert("x-dead-letter-exchange".into(), AMQPValue::LongString("".into()));
    arguments.insert("x-dead-letter-routing-key".into(), AMQPValue::LongString("dead".into()));
    channel.queue_declare("mortal".into(), durable, arguments).await?;
    let mut dead = consume(&channel, "dead", true).await?;
    let start = Instant::now();
    let brief = BasicProperties::default().with_expiration("200".into());
    let plain = BasicPublishOptions::default();
    channel.basic_publish("".into(), "mortal".into(), plain, b"brief", brief).await?.await?;
    let letter = next(&mut dead).await?;
    let lived = start.elapsed();
    assert_eq!(letter.data, b"brief");
    assert!(lived >= Duration::from_millis(199), "it lived for {lived:?}");
    ok("ttl", &format!("it lived for {} ms of 200", lived.as_millis()));
    let headers = letter.properties.headers().as_ref().ok_or("no headers")?;
    let Some(AMQPValue::FieldArray(deaths)) = headers.inner().get("x-death") else {
        panic!("no x-death in {headers:?}");
    };
    let AMQPValue::FieldTable(death) = &deaths.as_slice()[0] else {
        panic!("x-death is {deaths:?}");
    };
    let text = |name| match death.inner().get(name) {
        Some(AMQPValue::LongString(text)) => text.to_string(),
        other => panic!("{name} is {other:?}"),
    };
    assert_eq!(
        (text("queue"), text("reason"), text("original-expiration")),
        ("mortal".to_string(), "expired".to_string(), "200".to_string())
    );
    assert_eq!(death.inner().get("count"), Some(&AMQPValue::LongLongInt(1)));
    assert_eq!(letter.properties.expiration(), &None, "it would die again");
    ok("dead-letter", "x-death tells where and why");
    channel.close(200, "done".into()).await?;
    Ok(())
}

/// Direct reply-to: the answer comes without a queue of its own.
async fn reply_to(connection: &Connection) -> Result<()> {
    let asking = connection.create_channel().await?;
    let mut answers = consume(&asking, "amq.rabbitmq.reply-to", true).await?;
    let question = BasicProperties::default()
        .with_reply_to("amq.rabbitmq.reply-to".into())
        .with_correlation_id("1".into());
    let plain = BasicPublishOptions::default();
    asking.basic_publish("orders".into(), "new".into(), plain, b"ping", question).await?;
    let serving = connection.create_channel().await?;
    let mut questions = consume(&serving, "orders", true).await?;
    let asked = next(&mut questions).await?;
    let address = asked.properties.reply_to().clone().ok_or("no reply-to")?;
    let id = asked.properties.correlation_id().clone().ok_or("no correlation id")?;
    let answer = BasicProperties::default().with_correlation_id(id);
    serving.basic_publish("".into(), address, plain, b"pong", answer).await?;
    let answered = next(&mut answers).await?;
    assert_eq!(answered.data, b"pong");
    assert_eq!(answered.properties.correlation_id(), &Some("1".into()));
    ok("reply-to", "a question is answered through amq.rabbitmq.reply-to");
    serving.close(200, "done".into()).await?;
    asking.close(200, "done".into()).await?;
    Ok(())
}

async fn restart(channel: &Channel) -> Result<()> {
    assert!(publish(channel, "orders", "new", b"kept").await?);
    println!("restart");
    tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await??;
    // Without recovery configured, what is tried on the old connection fails, and a new one is made.
    assert!(publish(channel, "orders", "new", b"late").await.is_err(), "it outlived its broker");
    let again = connect().await?;
    let channel = again.create_channel().await?;
    let mut consumer = consume(&channel, "orders", true).await?;
    assert_eq!(next(&mut consumer).await?.data, b"kept");
    ok("restart", "the persistent message is there after the broker's restart");
    again.close(200, "done".into()).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    println!("version {}", env!("LAPIN_VERSION"));
    let connection = connect().await?;
    let channel = connection.create_channel().await?;
    declare(&connection, &channel).await?;
    confirms(&channel).await?;
    prefetch(&connection).await?;
    time_to_live(&connection).await?;
    reply_to(&connection).await?;
    restart(&channel).await
}
