#!/usr/bin/env bash
# While the broker is down, Telegraf's AMQP output says of all metrics but its first try that they are written, and they are gone.
#
# With:      Telegraf 1.37.2 (outputs.amqp and its buffer) with amqp091-go 1.10.0, which it requires, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  an output that cannot connect fails, and Telegraf keeps the metrics, 10000 by default, until it can.
# Happens:   the first write after the connection was lost fails, and its metrics stay in the buffer. From the second on there is no connection
#            to close, and with it the error is left out: the write counts as successful, and the buffer is emptied, the metrics of the first
#            one with it. When the broker is back, writes reach it again.
# Who meets it: whose metrics go through RabbitMQ, when it is restarted or not reached for longer than a flush interval: there is a gap
#            that the buffer was to fill, and one line of log.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/influxdata/telegraf/metric"
	"github.com/influxdata/telegraf/models"
	"github.com/influxdata/telegraf/plugins/outputs"
	"github.com/influxdata/telegraf/plugins/outputs/amqp"
	"github.com/influxdata/telegraf/plugins/serializers/influx"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

const perWrite = 10

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// forwarder is the way to the broker, which can be down.
type forwarder struct {
	broker, address string
	listener        net.Listener
	mutex           sync.Mutex
	connections     []net.Conn
}

func (f *forwarder) up() {
	listener := must(net.Listen("tcp", f.address))
	f.listener = listener
	f.address = listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			broker := must(net.Dial("tcp", f.broker))
			f.mutex.Lock()
			f.connections = append(f.connections, client, broker)
			f.mutex.Unlock()
			for _, ends := range [][2]net.Conn{{client, broker}, {broker, client}} {
				go func() {
					io.Copy(ends[0], ends[1])
					ends[0].Close()
				}()
			}
		}
	}()
}

func (f *forwarder) down() {
	f.listener.Close()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, connection := range f.connections {
		connection.Close()
	}
	f.connections = nil
}

func main() {
	way := &forwarder{broker: "127.0.0.1:" + os.Args[1], address: "127.0.0.1:0"}
	way.up()
	connection := must(amqp091.Dial("amqp://guest:guest@" + way.broker))
	channel := must(connection.Channel())
	check(channel.ExchangeDeclare("telegraf", "topic", true, false, false, false, nil))
	must(channel.QueueDeclare("metrics", true, false, false, false, nil))
	check(channel.QueueBind("metrics", "#", "telegraf", false, nil))

	output := outputs.Outputs["amqp"]().(*amqp.AMQP)
	output.Brokers = []string{"amqp://guest:guest@" + way.address}
	output.Exchange = "telegraf"
	serializer := &influx.Serializer{}
	check(serializer.Init())
	output.SetSerializer(serializer)
	running := models.NewRunningOutput(output, &models.OutputConfig{Name: "amqp"}, 1000, 10000)
	check(running.Init())
	check(running.Connect())
	added := 0
	write := func() bool {
		for range perWrite {
			added++
			running.AddMetric(metric.New("temperature", nil, map[string]interface{}{"value": added}, time.Now()))
		}
		return running.Write() == nil
	}

	same := write()
	way.down()
	time.Sleep(time.Second)
	first := write()
	kept := running.BufferLength()
	later := 0
	for range 5 {
		if write() {
			later++
		}
	}
	keptLater := running.BufferLength()
	fmt.Printf("broker down: the first write of %d succeeded: %t, %d kept; of five later ones %d succeeded, %d kept\n",
		perWrite, first, kept, later, keptLater)
	same = same && !first && kept == perWrite && later == 5 && keptLater == 0

	way.up()
	for range 2 {
		same = write() && same
	}
	time.Sleep(time.Second)
	arrived := 0
	for {
		message, found, err := channel.Get("metrics", true)
		check(err)
		if !found {
			break
		}
		arrived += strings.Count(string(message.Body), "\n")
	}
	fmt.Printf("broker up: of %d metrics %d have arrived, %d are kept\n", added, arrived, running.BufferLength())
	if !same || arrived != 3*perWrite || running.BufferLength() != 0 {
		os.Exit(1)
	}
}
GO
go_program github.com/influxdata/telegraf@v1.37.2 github.com/rabbitmq/amqp091-go@v1.10.0
rabbitmq 4.3.6-1

verdict "$work/program" "$amqp_port"
