// amqp091-go: RabbitMQ's own client for Go.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func url() string {
	if url := os.Getenv("AMQP_URL"); url != "" {
		return url
	}
	return "amqp://guest:guest@localhost:5672/%2f"
}

func ok(area, what string) {
	fmt.Printf("ok %s %s\n", area, what)
}

// must ends the program on an error; it returns what came with it.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func assert(condition bool, format string, arguments ...any) {
	if !condition {
		log.Panicf(format, arguments...)
	}
}

// next takes a delivery, or ends the program after five seconds.
func next(deliveries <-chan amqp.Delivery) amqp.Delivery {
	select {
	case delivery, open := <-deliveries:
		assert(open, "the consumer was cancelled")
		return delivery
	case <-time.After(60 * time.Second):
		log.Panic("no delivery in 60 s")
		return amqp.Delivery{}
	}
}

func declare(connection *amqp.Connection, channel *amqp.Channel) {
	check(channel.ExchangeDeclare("orders", amqp.ExchangeDirect, true, false, false, false, nil))
	must(channel.QueueDeclare("orders", true, false, false, false, nil))
	check(channel.QueueBind("orders", "new", "orders", false, nil))
	other := must(connection.Channel())
	_, err := other.QueueDeclare("orders", false, false, false, false, nil)
	refused, is := err.(*amqp.Error)
	assert(is && refused.Code == amqp.PreconditionFailed, "%v", err)
	ok("declare", "a redeclaration that differs is refused")
}

func confirms(ctx context.Context, channel *amqp.Channel) {
	check(channel.Confirm(false))
	returned := channel.NotifyReturn(make(chan amqp.Return, 1))
	var waiting []*amqp.DeferredConfirmation
	for number := range 100 {
		message := amqp.Publishing{
			DeliveryMode: amqp.Persistent,
			Body:         []byte(strconv.Itoa(number)),
		}
		waiting = append(waiting, must(
			channel.PublishWithDeferredConfirm("orders", "new", true, false, message)))
	}
	for _, confirmation := range waiting {
		assert(must(confirmation.WaitContext(ctx)), "a message was refused")
	}
	ok("confirms", "100 persistent messages are confirmed")
	check(channel.Publish("orders", "nowhere", true, false, amqp.Publishing{}))
	assert((<-returned).ReplyCode == amqp.NoRoute, "returned for another reason")
	ok("returns", "a message without a route comes back")
}

func prefetch(connection *amqp.Connection) {
	channel := must(connection.Channel())
	check(channel.Qos(10, 0, false))
	deliveries := must(channel.Consume("orders", "", false, false, false, false, nil))
	var held []amqp.Delivery
	for range 10 {
		held = append(held, next(deliveries))
	}
	select {
	case <-deliveries:
		log.Panic("more than the prefetch count")
	case <-time.After(200 * time.Millisecond):
	}
	check(held[9].Ack(true))
	for number := range 100 {
		if number >= 10 {
			held = append(held, next(deliveries))
			check(held[number].Ack(false))
		}
		assert(string(held[number].Body) == strconv.Itoa(number), "%s is out of order",
			held[number].Body)
	}
	ok("prefetch", "10 at a time, and all in order")
	check(channel.Close())
}

func timeToLive(channel *amqp.Channel) {
	must(channel.QueueDeclare("dead", true, false, false, false, nil))
	must(channel.QueueDeclare("mortal", true, false, false, false, amqp.Table{
		"x-dead-letter-exchange":    "",
		"x-dead-letter-routing-key": "dead",
	}))
	dead := must(channel.Consume("dead", "dead", true, false, false, false, nil))
	start := time.Now()
	message := amqp.Publishing{Expiration: "200", Body: []byte("brief")}
	check(channel.Publish("", "mortal", false, false, message))
	letter := next(dead)
	lived := time.Since(start)
	check(channel.Cancel("dead", false))
	assert(bytes.Equal(letter.Body, message.Body), "another message died")
	assert(lived >= 199*time.Millisecond, "it lived for %v", lived)
	ok("ttl", fmt.Sprintf("it lived for %d ms of 200", lived.Milliseconds()))
	death := letter.Headers["x-death"].([]any)[0].(amqp.Table)
	assert(death["queue"] == "mortal" && death["reason"] == "expired" &&
		death["count"] == int64(1) && death["original-expiration"] == "200", "%v", death)
	assert(letter.Expiration == "", "it would die again")
	ok("dead-letter", "x-death tells where and why")
}

// replyTo asks a question whose answer comes without a queue of its own.
func replyTo(connection *amqp.Connection) {
	channel := must(connection.Channel())
	answers := must(
		channel.Consume("amq.rabbitmq.reply-to", "", true, false, false, false, nil))
	check(channel.Publish("orders", "new", false, false, amqp.Publishing{
		ReplyTo:       "amq.rabbitmq.reply-to",
		CorrelationId: "1",
		Body:          []byte("ping"),
	}))
	serving := must(connection.Channel())
	questions := must(serving.Consume("orders", "", true, false, false, false, nil))
	question := next(questions)
	check(serving.Publish("", question.ReplyTo, false, false, amqp.Publishing{
		CorrelationId: question.CorrelationId,
		Body:          []byte("pong"),
	}))
	answer := next(answers)
	assert(string(answer.Body) == "pong" && answer.CorrelationId == "1", "%s", answer.Body)
	ok("reply-to", "a question is answered through amq.rabbitmq.reply-to")
	check(serving.Close())
	check(channel.Close())
}

func restart(ctx context.Context, connection *amqp.Connection, channel *amqp.Channel) {
	kept := amqp.Publishing{DeliveryMode: amqp.Persistent, Body: []byte("kept")}
	confirmation := must(channel.PublishWithDeferredConfirm("orders", "new", true, false, kept))
	assert(must(confirmation.WaitContext(ctx)), "it was refused")
	closed := connection.NotifyClose(make(chan *amqp.Error, 1))
	fmt.Println("restart")
	must(bufio.NewReader(os.Stdin).ReadString('\n'))
	// The library does not reconnect by itself: this channel tells when to.
	reason := <-closed
	assert(reason.Code == amqp.ConnectionForced, "%v", reason)
	again := must(amqp.Dial(url()))
	channel = must(again.Channel())
	delivery := next(must(channel.Consume("orders", "", true, false, false, false, nil)))
	assert(string(delivery.Body) == "kept", "%s", delivery.Body)
	ok("restart", "the persistent message is there after the broker's restart")
	check(again.Close())
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/rabbitmq/amqp091-go" {
			return module.Version
		}
	}
	return "?"
}

func main() {
	fmt.Println("version", version()[1:])
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connection := must(amqp.Dial(url()))
	channel := must(connection.Channel())
	declare(connection, channel)
	confirms(ctx, channel)
	prefetch(connection)
	timeToLive(channel)
	replyTo(connection)
	restart(ctx, connection, channel)
}
