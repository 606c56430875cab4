#!/usr/bin/env bash
# A Go int in a table loses its upper half: a TTL of 60 days becomes ten, a limit of 5 GB 0.7 GB.
#
# With:      amqp091-go v1.16.0
# Expected:  amqp.Table{"x-message-ttl": 60*24*3600*1000} arrives as it is, or is refused: an int of Go has 64 bits here, AMQP's tables
#            have a type for that, and the client checks tables before it sends them.
# Happens:   an int is written as the type I, with its lower 32 bits, without an error: 5184000000 ms arrive as 889032704, which is a
#            valid TTL of ten days, and 5000000000 bytes as 705032704. What comes out negative, such as 30 days in ms, a broker
#            refuses at least. The same number as int64 arrives as it is.
# Who meets it: who writes arguments or headers as plain constants, which are int in Go: queues whose messages go after days instead of
#            months, queues that are full at a seventh of their limit, times in ms in headers that are years off. Nothing says so
#            but the queue's arguments, if they are looked at.
. "$(dirname "$0")/lib.bash"

mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// start is a broker's first frame: connection.start, with PLAIN and en_US.
func start() []byte {
	payload := []byte{0, 10, 0, 10, 0, 9, 0, 0, 0, 0}
	for _, text := range []string{"PLAIN", "en_US"} {
		payload = binary.BigEndian.AppendUint32(payload, uint32(len(text)))
		payload = append(payload, text...)
	}
	frame := binary.BigEndian.AppendUint32([]byte{1, 0, 0}, uint32(len(payload)))
	return append(append(frame, payload...), 0xce)
}

// sent returns the type and the bytes that a value has on the wire: the client's own properties are a table, too.
func sent(value any) (byte, []byte) {
	client, broker := net.Pipe()
	wire := make(chan []byte, 1)
	go func() {
		defer broker.Close()
		io.ReadFull(broker, make([]byte, 8))
		broker.Write(start())
		broker.SetReadDeadline(time.Now().Add(2 * time.Second))
		head := make([]byte, 7)
		io.ReadFull(broker, head)
		frame := make([]byte, binary.BigEndian.Uint32(head[3:])+1)
		io.ReadFull(broker, frame)
		wire <- frame
	}()
	amqp.Open(client, amqp.Config{
		SASL:       []amqp.Authentication{&amqp.PlainAuth{Username: "u", Password: "p"}},
		Properties: amqp.Table{"number": value},
	})
	frame := <-wire
	_, rest, found := bytes.Cut(frame, []byte("\x06number"))
	if !found {
		return '?', nil
	}
	return rest[0], rest[1:9]
}

func main() {
	same := true
	for _, each := range []struct{ number, arrives int }{
		{60 * 24 * 3600 * 1000, 889032704},
		{5_000_000_000, 705032704},
		{30 * 24 * 3600 * 1000, -1702967296},
	} {
		octet, octets := sent(each.number)
		arrives := int(int32(binary.BigEndian.Uint32(octets)))
		fmt.Printf("int %d: type %c, arrives as %d\n", each.number, octet, arrives)
		same = same && octet == 'I' && arrives == each.arrives
		octet, octets = sent(int64(each.number))
		fmt.Printf("int64 %d: type %c, arrives as %d\n", each.number, octet, int64(binary.BigEndian.Uint64(octets)))
		same = same && octet == 'l' && int(binary.BigEndian.Uint64(octets)) == each.number
	}
	if !same {
		os.Exit(1)
	}
}
GO
go_program github.com/rabbitmq/amqp091-go@v1.16.0

verdict "$work/program"
