#!/usr/bin/env bash
# A Dapr subscription with maxLen never subscribes: its queue cannot be declared, which is tried thousands of times a second.
#
# With:      Dapr's components-contrib 1.18.0 (pubsub.rabbitmq) with amqp091-go 1.10.0, which it requires, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  maxLen and maxLenBytes in the metadata of a subscription limit its queue, as maxLen in that of the component limits all.
# Happens:   the value becomes a number of a type that the client library does not write, so that nothing reaches the broker. It is tried
#            again at once, without end and with two lines of log each time, and the subscription fails after a minute without that cause.
#            In the metadata of the component, maxLen works.
# Who meets it: who limits the queue of one subscription.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/dapr/components-contrib/metadata"
	"github.com/dapr/components-contrib/pubsub"
	"github.com/dapr/components-contrib/pubsub/rabbitmq"
	"github.com/dapr/kit/logger"
	amqp091 "github.com/rabbitmq/amqp091-go"
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

// failures counts the lines of log that tell of the value.
type failures struct{ count atomic.Int32 }

func (f *failures) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("uint64 not supported")) {
		f.count.Add(1)
	}
	return len(line), nil
}

// component returns one that logs to the writer.
func component(name string, output io.Writer, properties map[string]string) pubsub.PubSub {
	log := logger.NewLogger(name)
	log.SetOutput(output)
	component := rabbitmq.NewRabbitMQ(log)
	properties["connectionString"] = url
	properties["consumerID"] = name
	check(component.Init(context.Background(), pubsub.Metadata{Base: metadata.Base{Properties: properties}}))
	return component
}

func main() {
	connection := must(amqp091.Dial(url))
	handle := func(context.Context, *pubsub.NewMessage) error { return nil }
	declared := func(queue string) bool {
		channel := must(connection.Channel())
		defer channel.Close()
		_, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
		return err == nil
	}
	same := true
	for _, key := range []string{"maxLen", "maxLenBytes"} {
		log := &failures{}
		limited := component("shop-"+key, log, map[string]string{})
		result := make(chan error, 1)
		go func() {
			result <- limited.Subscribe(context.Background(), pubsub.SubscribeRequest{Topic: "orders", Metadata: map[string]string{key: "1000"}}, handle)
		}()
		state := "still subscribing"
		select {
		case err := <-result:
			state = fmt.Sprintf("subscribed with %v", err)
		case <-time.After(3 * time.Second):
		}
		found := declared("shop-" + key + "-orders")
		fmt.Printf("%s of a subscription: %s after 3 seconds, a queue: %t, failures 1000 or more: %t\n", key, state, found, log.count.Load() >= 1000)
		same = same && state == "still subscribing" && !found && log.count.Load() >= 1000
	}

	whole := component("shop", io.Discard, map[string]string{"maxLen": "1000"})
	err := whole.Subscribe(context.Background(), pubsub.SubscribeRequest{Topic: "orders"}, handle)
	fmt.Printf("maxLen of the component: subscribed with %v, a queue: %t\n", err, declared("shop-orders"))
	if !same || err != nil || !declared("shop-orders") {
		os.Exit(1)
	}
}
GO
go_program github.com/dapr/components-contrib@v1.18.0 github.com/rabbitmq/amqp091-go@v1.10.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
