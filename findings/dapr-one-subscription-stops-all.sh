#!/usr/bin/env bash
# A Dapr subscription whose queue cannot be declared stops all other subscriptions of its application, for good.
#
# With:      Dapr's components-contrib 1.18.0 (pubsub.rabbitmq) with amqp091-go 1.10.0, which it requires, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a subscription whose queue exists with another type fails, with an error that says so; the other subscriptions of the
#            application work on. It is the same with enableDeadLetter in a virtual host whose default queue type is quorum, where
#            the queue for dead letters is refused, since the component asks for it without a type and in lazy mode.
# Happens:   all subscriptions share a channel, which the refusal closes. The component connects again every few seconds, and the bad
#            subscription closes the new channel at once. The others get messages at most in between, do them, and cannot acknowledge
#            them: none is ever done for the broker. In a quorum queue each such time counts as a failed delivery, so that they are
#            dead-lettered, or lost, at the delivery limit, which is 2 here. Subscribe of the bad one returns after a minute, with an error
#            that does not give the cause, and its attempts go on after that.
# Who meets it: who makes one subscription of several a quorum queue while its classic queue still exists, and who has an application
#            with enableDeadLetter where queues are quorum queues by default.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
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

const messages = 5

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
	must(channel.QueueDeclare("dead", true, false, false, false, nil))
	must(channel.QueueDeclare("shop-invoices", true, false, false, false, amqp091.Table{"x-queue-type": "classic"}))
	ready := func(queue string) int {
		return must(channel.QueueDeclarePassive(queue, true, false, false, false, nil)).Messages
	}
	log := logger.NewLogger("shop")
	log.SetOutput(io.Discard)
	component := rabbitmq.NewRabbitMQ(log)
	check(component.Init(context.Background(), pubsub.Metadata{Base: metadata.Base{Properties: map[string]string{
		"connectionString": url, "consumerID": "shop", "durable": "true", "deletedWhenUnused": "false", "requeueInFailure": "true"}}}))
	publish := func() {
		for range messages {
			check(component.Publish(context.Background(), &pubsub.PublishRequest{Topic: "orders", Data: []byte("17")}))
		}
	}
	var handled atomic.Int32

	quorum := map[string]string{"queueType": "quorum"}
	check(component.Subscribe(context.Background(), pubsub.SubscribeRequest{Topic: "orders", Metadata: quorum},
		func(context.Context, *pubsub.NewMessage) error {
			time.Sleep(time.Second)
			handled.Add(1)
			return nil
		}))
	publish()
	time.Sleep(4 * time.Second)
	before := handled.Load()
	beforeLeft := ready("shop-orders")
	fmt.Printf("before: %d orders, %d handled, %d left\n", messages, before, beforeLeft)

	publish()
	err := component.Subscribe(context.Background(), pubsub.SubscribeRequest{Topic: "invoices", Metadata: quorum},
		func(context.Context, *pubsub.NewMessage) error { return nil })
	fmt.Printf("the subscription to invoices: %v\n", err)
	time.Sleep(20 * time.Second)
	// a moment in which they are in hand does not count
	left := 0
	for range 40 {
		left = max(left, ready("shop-orders"))
		time.Sleep(100 * time.Millisecond)
	}
	dead := ready("dead")
	fmt.Printf("since it began: %d orders, handled %d times, %d left, dead letters %d\n", messages, handled.Load()-before, left, dead)
	if before != messages || beforeLeft != 0 || err == nil || left+dead != messages {
		os.Exit(1)
	}
}
GO
go_program github.com/dapr/components-contrib@v1.18.0 github.com/rabbitmq/amqp091-go@v1.10.0
rabbitmq 4.3.6-1 rabbitmq_management

curl --silent --fail --user guest:guest --request PUT --header 'content-type: application/json' \
  --data '{"pattern": "^shop-orders$", "definition": {"delivery-limit": 2, "dead-letter-exchange": "", "dead-letter-routing-key": "dead"}}' \
  "http://127.0.0.1:$http_port/api/policies/%2f/limit" || not_shown "the policy could not be set"
verdict "$work/program" "$amqp_port"
