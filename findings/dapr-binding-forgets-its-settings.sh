#!/usr/bin/env bash
# When its queue was deleted, a Dapr binding does not declare it again, loses what it publishes, and then consumes without its prefetch.
#
# With:      Dapr's components-contrib 1.18.0 (bindings.rabbitmq) with amqp091-go 1.10.0, which it requires, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  the binding declares its queue when it connects, and connects again when something is wrong; so a deleted queue is there again
#            after reconnectWaitInSeconds. Or it fails, also when it is to publish.
# Happens:   the error closes its channel only, and it opens another one on the same connection, without declaring the queue and without
#            setting prefetchCount. It tries to consume again and again, each try closes the channel, and what is published meanwhile
#            is lost, without an error. When the queue is declared by something else, it consumes, but all there is at once: with
#            prefetchCount of 5, 100 messages are in its hands.
# Who meets it: whose queue is deleted, so as to declare it with other arguments, say, while the application runs.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dapr/components-contrib/bindings"
	"github.com/dapr/components-contrib/bindings/rabbitmq"
	"github.com/dapr/components-contrib/metadata"
	"github.com/dapr/kit/logger"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

const messages = 100

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

func main() {
	connection := must(amqp091.Dial(url))
	channel := must(connection.Channel())
	ready := func() int {
		return must(channel.QueueDeclarePassive("orders", true, false, false, false, nil)).Messages
	}
	log := logger.NewLogger("shop")
	log.SetOutput(io.Discard)
	binding := rabbitmq.NewRabbitMQ(log)
	check(binding.Init(context.Background(), bindings.Metadata{Base: metadata.Base{Properties: map[string]string{
		"host": url, "queueName": "orders", "durable": "true", "prefetchCount": "5", "reconnectWaitInSeconds": "1s"}}}))
	busy := make(chan struct{})
	check(binding.Read(context.Background(), func(context.Context, *bindings.ReadResponse) ([]byte, error) {
		<-busy
		return nil, nil
	}))
	publish := func() int {
		published := 0
		for range messages {
			_, err := binding.Invoke(context.Background(), &bindings.InvokeRequest{Operation: bindings.CreateOperation, Data: []byte("17")})
			if err == nil {
				published++
			}
		}
		time.Sleep(3 * time.Second)
		return published
	}
	publish()
	before := ready()
	fmt.Printf("prefetchCount is 5, the handler is busy with the first of %d: %d wait in the queue\n", messages, before)

	must(channel.QueueDelete("orders", false, false, false))
	close(busy)
	time.Sleep(10 * time.Second)
	published := publish()
	other := must(connection.Channel())
	_, err := other.QueueDeclarePassive("orders", true, false, false, false, nil)
	fmt.Printf("the queue was deleted: 10 seconds later %d of %d published without an error, the queue: %v\n", published, messages, err)

	busy = make(chan struct{})
	must(channel.QueueDeclare("orders", true, false, false, false, nil))
	time.Sleep(3 * time.Second)
	lost := ready()
	publish()
	after := ready()
	fmt.Printf("the queue was declared again: %d of those in it; the handler is busy with the first of %d more: %d wait in the queue\n",
		lost, messages, after)
	if before != messages-5 || published != messages || err == nil || lost != 0 || after != 0 {
		os.Exit(1)
	}
}
GO
go_program github.com/dapr/components-contrib@v1.18.0 github.com/rabbitmq/amqp091-go@v1.10.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
