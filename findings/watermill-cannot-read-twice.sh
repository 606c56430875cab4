#!/usr/bin/env bash
# A Watermill handler that fails once on a quorum queue never gets that message again: it is delivered and nacked without end.
#
# With:      Watermill 1.5.1 with watermill-amqp 3.0.2 and amqp091-go 1.16.0, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a handler that nacks gets the message again, from a quorum queue as from a classic one; or the message is dead-lettered
#            at the delivery limit, which is 3 here.
# Happens:   Watermill refuses, and nacks, a message that has a header that is not text, before a handler sees it. From its second
#            delivery on each message of a quorum queue has one, the number x-acquired-count. Since 4.3 a nack does not count
#            towards the delivery limit, so this goes on, hundreds of times a second. From a classic queue the message comes again.
#            Dead letters cannot be read with Watermill either: x-death is a list.
# Who meets it: who moves Watermill's queues to quorum queues, whose tests are green while no handler fails; and who reads
#            what was dead-lettered, or what a program in another language publishes with a number in a header.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-amqp/v3/pkg/amqp"
	"github.com/ThreeDotsLabs/watermill/message"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

var url = "amqp://guest:guest@127.0.0.1:" + os.Args[1] + "/"

// refusals counts the messages that Watermill refuses for the header.
type refusals struct {
	watermill.NopLogger
	header string
	count  atomic.Int32
}

func (r *refusals) Error(_ string, err error, _ watermill.LogFields) {
	if err != nil && strings.Contains(err.Error(), r.header+" is not a string") {
		r.count.Add(1)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// subscribe consumes from a queue with the arguments, which is declared so, until done is true or 20 seconds are over.
func subscribe(queue string, arguments amqp091.Table, log *refusals, handle func(*message.Message), done func() bool) {
	config := amqp.NewDurableQueueConfig(url)
	config.Queue.Arguments = arguments
	subscriber := must(amqp.NewSubscriber(config, log))
	defer subscriber.Close()
	messages := must(subscriber.Subscribe(context.Background(), queue))
	end := time.After(20 * time.Second)
	for !done() {
		select {
		case message := <-messages:
			handle(message)
		case <-time.After(50 * time.Millisecond):
		case <-end:
			return
		}
	}
}

func main() {
	connection := must(amqp091.Dial(url))
	channel := must(connection.Channel())
	ready := func(queue string) int {
		return must(channel.QueueDeclarePassive(queue, true, false, false, false, nil)).Messages
	}
	must(channel.QueueDeclare("dead", true, false, false, false, nil))
	same := true
	for _, kind := range []string{"classic", "quorum"} {
		arguments := amqp091.Table{"x-queue-type": kind, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
		if kind == "quorum" {
			arguments["x-delivery-limit"] = int64(3)
		}
		must(channel.QueueDeclare(kind, true, false, false, false, arguments))
		publisher := must(amqp.NewPublisher(amqp.NewDurableQueueConfig(url), watermill.NopLogger{}))
		if err := publisher.Publish(kind, message.NewMessage("order", []byte("17"))); err != nil {
			panic(err)
		}
		publisher.Close()
		log := &refusals{header: "x-acquired-count"}
		calls, handled := 0, false
		subscribe(kind, arguments, log, func(message *message.Message) {
			calls++
			if calls == 1 {
				message.Nack()
			} else {
				message.Ack()
				handled = true
			}
		}, func() bool { return handled || log.count.Load() >= 100 })
		fmt.Printf("%s queue: the handler was called %d times, refused before it %d times or more, dead letters %d\n",
			kind, calls, min(log.count.Load(), 100), ready("dead"))
		same = same && handled == (kind == "classic") && (log.count.Load() >= 100) == (kind == "quorum") && ready("dead") == 0
	}

	must(channel.QueueDeclare("expires", true, false, false, false,
		amqp091.Table{"x-message-ttl": int64(1), "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}))
	if err := channel.Publish("", "expires", false, false, amqp091.Publishing{Body: []byte("17")}); err != nil {
		panic(err)
	}
	log := &refusals{header: "x-death"}
	calls := 0
	subscribe("dead", nil, log, func(message *message.Message) {
		calls++
		message.Ack()
	}, func() bool { return calls > 0 || log.count.Load() >= 100 })
	fmt.Printf("a dead letter: the handler was called %d times, refused before it %d times or more\n", calls, min(log.count.Load(), 100))
	if !same || calls > 0 || log.count.Load() < 100 {
		os.Exit(1)
	}
}
GO
go_program github.com/ThreeDotsLabs/watermill@v1.5.1 github.com/ThreeDotsLabs/watermill-amqp/v3@v3.0.2 github.com/rabbitmq/amqp091-go@v1.16.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
