#!/usr/bin/env bash
# Terraform's provider for RabbitMQ plans to replace a queue that it has just made, and the second apply deletes its messages.
#
# With:      terraform-provider-rabbitmq 1.8.0 (of cyrilgdn), RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  after an apply, a plan of the same configuration is empty.
# Happens:   a queue that is declared over HTTP without x-queue-type has this argument afterwards. The provider reads it
#            back, finds an argument that the configuration does not have, and as arguments cannot be changed, it deletes the
#            queue and declares it anew: with each apply. A queue whose configuration names its type is left alone.
# Who meets it: who has rabbitmq_queue resources without a type, as a classic queue never needed one.
. "$(dirname "$0")/lib.bash"

command -v go >/dev/null || not_shown "needs Go"
rabbitmq 4.3.6-1 rabbitmq_management

mkdir "$work/plan"
cat >"$work/plan/go.mod" <<'MOD'
module plan

go 1.21

require github.com/terraform-providers/terraform-provider-rabbitmq v0.0.0

replace github.com/terraform-providers/terraform-provider-rabbitmq => github.com/cyrilgdn/terraform-provider-rabbitmq v1.8.0
MOD
cat >"$work/plan/plan.go" <<'GO'
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/terraform"
	"github.com/terraform-providers/terraform-provider-rabbitmq/rabbitmq"
)

var endpoint = os.Args[1]

func api(method, path, body string) string {
	request, _ := http.NewRequest(method, endpoint+"/api/"+path, bytes.NewBufferString(body))
	request.SetBasicAuth("guest", "guest")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	content, _ := io.ReadAll(response.Body)
	return string(content)
}

// How many messages basic.get finds, up to two.
func found(queue string) int {
	return bytes.Count([]byte(api("POST", "queues/%2F/"+queue+"/get",
		`{"count":2,"ackmode":"ack_requeue_true","encoding":"auto"}`)), []byte(`"payload":`))
}

// Applies a queue, publishes a message, and applies the same again: whether it was to be replaced, and the messages after.
func twice(name string, arguments map[string]interface{}) (bool, int) {
	ctx := context.Background()
	provider := rabbitmq.Provider()
	provider.Configure(ctx, terraform.NewResourceConfigRaw(map[string]interface{}{
		"endpoint": endpoint, "username": "guest", "password": "guest"}))
	queue := provider.ResourcesMap["rabbitmq_queue"]
	settings := map[string]interface{}{"durable": true, "auto_delete": false, "arguments": arguments}
	config := terraform.NewResourceConfigRaw(map[string]interface{}{
		"name": name, "vhost": "/", "settings": []interface{}{settings}})
	plan, _ := queue.Diff(ctx, nil, config, provider.Meta())
	state, _ := queue.Apply(ctx, nil, plan, provider.Meta())
	api("POST", "exchanges/%2F/amq.default/publish",
		`{"routing_key":"`+name+`","properties":{"delivery_mode":2},"payload":"kept?","payload_encoding":"string"}`)
	for i := 0; found(name) == 0 && i < 100; i++ {
		time.Sleep(100 * time.Millisecond)
	}
	state, _ = queue.RefreshWithoutUpgrade(ctx, state, provider.Meta())
	plan, _ = queue.Diff(ctx, state, config, provider.Meta())
	replaced := plan != nil && plan.RequiresNew()
	if plan != nil {
		queue.Apply(ctx, state, plan, provider.Meta())
	}
	messages := found(name)
	fmt.Printf("arguments %v: replaced by the second apply: %v, messages afterwards: %d\n", arguments, replaced, messages)
	return replaced, messages
}

func main() {
	log.SetOutput(io.Discard)
	plainReplaced, plainLeft := twice("plain", map[string]interface{}{})
	typedReplaced, typedLeft := twice("typed", map[string]interface{}{"x-queue-type": "classic"})
	if !plainReplaced || plainLeft != 0 || typedReplaced || typedLeft != 1 {
		os.Exit(1)
	}
}
GO
(cd "$work/plan" && GOMODCACHE="$work/mod" GOFLAGS='-mod=mod -modcacherw -buildvcs=false' go build -o plan .) >"$work/go.log" 2>&1 ||
  not_shown "go could not build the provider: $(tail -1 "$work/go.log")"
echo "installed: terraform-provider-rabbitmq 1.8.0"
verdict "$work/plan/plan" "http://127.0.0.1:$http_port"
