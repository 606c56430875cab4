#!/usr/bin/env bash
# With publisherConfirm, Dapr's pub/sub component says of a message that the broker has refused that it is published.
#
# With:      Dapr's components-contrib 1.18.0 (pubsub.rabbitmq) with amqp091-go 1.10.0, which it requires, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  the option publisherConfirm makes Publish wait for the broker's confirm, and return an error for a message that the broker
#            refuses; so a full queue with reject-publish holds publishers up.
# Happens:   Publish waits, logs an error for a refused message, and returns no error. The same is so when the channel is closed
#            instead of a confirm, as it is when the exchange of the topic does not exist any more, which by default it does not when the
#            last subscriber has gone: that message is lost, and only the next one declares the exchange again.
# Who meets it: who turns the option on so as to lose nothing, and limits a queue, or restarts subscribers.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/dapr/components-contrib/metadata"
	"github.com/dapr/components-contrib/pubsub"
	"github.com/dapr/components-contrib/pubsub/rabbitmq"
	"github.com/dapr/kit/logger"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

const (
	publishes = 10
	limit     = 3
)

var url = "amqp://guest:guest@127.0.0.1:" + os.Args[1] + "/"

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// publish returns how many of the messages were published without an error.
func publish(component pubsub.PubSub, topic string) int {
	published := 0
	for range publishes {
		err := component.Publish(context.Background(), &pubsub.PublishRequest{Topic: topic, Data: []byte("17")})
		if err == nil {
			published++
		}
	}
	return published
}

func main() {
	connection := must(amqp091.Dial(url))
	channel := must(connection.Channel())
	bind := func(queue string, arguments amqp091.Table) {
		check(channel.ExchangeDeclare("orders", "fanout", true, false, false, false, nil))
		must(channel.QueueDeclare(queue, true, false, false, false, arguments))
		check(channel.QueueBind(queue, "", "orders", false, nil))
	}
	ready := func(queue string) int {
		return must(channel.QueueDeclarePassive(queue, true, false, false, false, nil)).Messages
	}
	log := logger.NewLogger("shop")
	log.SetOutput(io.Discard)
	component := rabbitmq.NewRabbitMQ(log)
	check(component.Init(context.Background(), pubsub.Metadata{Base: metadata.Base{Properties: map[string]string{
		"connectionString": url, "publisherConfirm": "true", "deletedWhenUnused": "false", "deliveryMode": "2"}}}))

	bind("full", amqp091.Table{"x-max-length": int64(limit), "x-overflow": "reject-publish"})
	full := publish(component, "orders")
	inFull := ready("full")
	fmt.Printf("queue with room for %d: %d of %d published without an error, %d in the queue\n", limit, full, publishes, inFull)

	check(channel.ExchangeDelete("orders", false, false))
	gone := publish(component, "orders")
	bind("later", nil)
	later := publish(component, "orders")
	inLater := ready("later")
	fmt.Printf("exchange gone: %d of %d published without an error; with a queue again: %d, %d in the queue\n", gone, publishes, later, inLater)
	if full != publishes || inFull != limit || gone != publishes || later != publishes || inLater != publishes {
		os.Exit(1)
	}
}
GO
go_program github.com/dapr/components-contrib@v1.18.0 github.com/rabbitmq/amqp091-go@v1.10.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
