#!/usr/bin/env bash
# A channel of SmallRye that is to have a queue for dead letters consumes nothing, in an application that counts as started.
#
# With:      smallrye-reactive-messaging-rabbitmq 4.34.0 (the RabbitMQ connector of Quarkus), RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  auto-bind-dlq=true makes what a queue for dead letters needs, as the connector makes the channel's own exchange and queue
#            unasked; or it fails, and the application does not start.
# Happens:   it declares the queue for dead letters, and binds it to the exchange DLX, which it declares only if dlx.declare=true is set
#            as well. The broker answers 404 and closes the channel. The application is started all the same; the connector declares,
#            binds and is refused again every ten seconds, without end. Its own queue is there, bound, and refers to the exchange
#            that is missing: messages pile up in it, and what expires or overflows is lost. With dlx.declare=true all is well.
# Who meets it: who adds dead letters to a channel by the property that is named for it. Exchange and queue of the channel are
#            declared by default, but not that exchange. In tests it goes unseen where an earlier run has left the exchange behind.
. "$(dirname "$0")/lib.bash"

java_packages io.smallrye.reactive:smallrye-reactive-messaging-rabbitmq:4.34.0 io.smallrye.config:smallrye-config:3.5.0 \
  io.smallrye.reactive:mutiny-reactive-streams-operators:3.1.0 org.jboss.weld.se:weld-se-core:5.1.6.Final org.slf4j:slf4j-nop:2.0.17
rabbitmq 4.3.6-1 rabbitmq_management

mkdir "$work/app"
cat >"$work/app/Channels.java" <<'JAVA'
package app;

import io.smallrye.config.inject.ConfigExtension;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;

public class Channels {
  public static void main(String[] args) throws Exception {
    System.setProperty("rabbitmq-host", "127.0.0.1");
    System.setProperty("rabbitmq-port", args[0]);
    System.setProperty("rabbitmq-username", "guest");
    System.setProperty("rabbitmq-password", "guest");
    channel("alone", "auto-bind-dlq", "true", "dead-letter-exchange", "alone-dead");
    channel("both", "auto-bind-dlq", "true", "dead-letter-exchange", "both-dead", "dlx.declare", "true");
    SeContainerInitializer.newInstance().addExtensions(new ConfigExtension()).addBeanClasses(Handlers.class).initialize();
    System.out.println("started");
    Thread.sleep(120_000);
  }

  static void channel(String name, String... properties) {
    String prefix = "mp.messaging.incoming." + name + ".";
    System.setProperty(prefix + "connector", "smallrye-rabbitmq");
    System.setProperty(prefix + "exchange.name", name);
    for (int i = 0; i < properties.length; i += 2) {
      System.setProperty(prefix + properties[i], properties[i + 1]);
    }
  }

  @ApplicationScoped
  public static class Handlers {
    @Incoming("alone")
    public CompletionStage<Void> alone(Message<byte[]> message) {
      return message.ack();
    }

    @Incoming("both")
    public CompletionStage<Void> both(Message<byte[]> message) {
      return message.ack();
    }
  }
}
JAVA
javac -nowarn -d "$work/app" -cp "$work/lib/*" "$work/app/Channels.java" || not_shown "it did not compile"
run_in_background "$work/app.log" java -cp "$work/app:$work/lib/*" app.Channels "$amqp_port"

# The third attempt, or two minutes.
for _ in $(seq 240); do
  refused=$(grep -c "no exchange 'alone-dead'" "$work/rabbitmq.log" || true)
  [ "$refused" -lt 3 ] || break
  sleep 0.5
done
ready=$(grep -c '^started$' "$work/app.log" || true)
echo "the application is started: $ready; refused for the exchange that is missing: $refused times"

# consumers QUEUE
consumers() {
  curl -s -u guest:guest "http://127.0.0.1:$http_port/api/queues/%2F/$1" |
    python3 -c 'import json, sys
queue = json.load(sys.stdin)
print(queue.get("consumers"), "consumers, dead letters to", queue.get("arguments", {}).get("x-dead-letter-exchange"))'
}

for _ in $(seq 40); do
  both=$(consumers both)
  case $both in 1*) break ;; esac
  sleep 0.5
done
alone=$(consumers alone)
exchange=$(curl -s -o /dev/null -w '%{http_code}' -u guest:guest "http://127.0.0.1:$http_port/api/exchanges/%2F/alone-dead")
echo "auto-bind-dlq alone:              $alone; GET of that exchange: $exchange"
echo "auto-bind-dlq and dlx.declare:    $both"
[ "$ready" = 1 ] && [ "$refused" -ge 3 ] && [ "$exchange" = 404 ] &&
  [ "$alone" = "0 consumers, dead letters to alone-dead" ] && [ "$both" = "1 consumers, dead letters to both-dead" ]
