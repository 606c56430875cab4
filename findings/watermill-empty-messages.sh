#!/usr/bin/env bash
# Each time that RabbitMQ cancels a Watermill consumer, its handler gets a message that was never published: an empty one.
#
# With:      Watermill 1.5.1 with watermill-amqp 3.0.2 and amqp091-go 1.16.0, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  when a queue is deleted, or 4.3 ends a consumer that is too slow, the subscription ends or consumes again; handlers get
#            messages that were published.
# Happens:   the client closes its Go channel of deliveries, and Watermill takes what a closed channel yields for a message: the handler
#            is called with one that has no UUID, no metadata and no payload. Its ack fails, which is what tells Watermill to
#            declare the queue and to consume again. A closed connection is noticed first, and yields none.
# Who meets it: who has handlers for which an empty payload means something, as for a protobuf message, of which it is a valid
#            encoding with all fields unset; others get an error of their decoder that no message explains.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-amqp/v3/pkg/amqp"
	"github.com/ThreeDotsLabs/watermill/message"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

var url = "amqp://guest:guest@127.0.0.1:" + os.Args[1] + "/"

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// messagesUntilEmpty returns what the handler gets, of one message that is published, until it gets an empty one or 20 s are over.
func messagesUntilEmpty(queue string, arguments amqp091.Table, handle func()) (texts []string) {
	config := amqp.NewDurableQueueConfig(url)
	config.Queue.Arguments = arguments
	subscriber := must(amqp.NewSubscriber(config, watermill.NopLogger{}))
	defer subscriber.Close()
	messages := must(subscriber.Subscribe(context.Background(), queue))
	publisher := must(amqp.NewPublisher(config, watermill.NopLogger{}))
	defer publisher.Close()
	if err := publisher.Publish(queue, message.NewMessage("order", []byte("17"))); err != nil {
		panic(err)
	}
	end := time.After(20 * time.Second)
	for {
		select {
		case message := <-messages:
			texts = append(texts, fmt.Sprintf("UUID %q, payload %q", message.UUID, message.Payload))
			if message.UUID == "" {
				message.Ack()
				return texts
			}
			handle()
			message.Ack()
		case <-end:
			return texts
		}
	}
}

func main() {
	connection := must(amqp091.Dial(url))
	channel := must(connection.Channel())
	deletion := messagesUntilEmpty("deleted", nil, func() {
		time.AfterFunc(time.Second, func() { must(channel.QueueDelete("deleted", false, false, false)) })
	})
	timeout := messagesUntilEmpty("slow", amqp091.Table{"x-queue-type": "quorum", "x-consumer-timeout": int64(1000)}, func() {
		time.Sleep(3 * time.Second)
	})
	fmt.Println("a queue that is deleted while its handler waits:", deletion)
	fmt.Println("a handler that is slower than its consumer timeout:", timeout)
	for _, texts := range [][]string{deletion, timeout} {
		if len(texts) != 2 || texts[0] != `UUID "order", payload "17"` || texts[1] != `UUID "", payload ""` {
			os.Exit(1)
		}
	}
}
GO
go_program github.com/ThreeDotsLabs/watermill@v1.5.1 github.com/ThreeDotsLabs/watermill-amqp/v3@v3.0.2 github.com/rabbitmq/amqp091-go@v1.16.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
