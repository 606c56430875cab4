package io.mayflymq.test;

import java.io.DataInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A test of an application that has no library at all: neither JUnit nor AssertJ nor a client. To
 * be run in a JVM of its own, with the kit and this class as its class path. It prints what has
 * died, and what a client's first frame was answered with.
 */
final class PlainApplication {
  private static final List<String> LIBRARIES =
      List.of(
          "org.junit.jupiter.api.Test",
          "org.assertj.core.api.Assertions",
          "com.rabbitmq.client.Connection",
          "io.netty.channel.Channel",
          "com.fasterxml.jackson.core.JsonFactory",
          "org.slf4j.LoggerFactory");

  private static final int METHOD_FRAME = 1;
  private static final int FRAME_HEADER_BYTES = 7;

  private PlainApplication() {}

  /** Uses a broker. */
  public static void main(String[] args) throws Exception {
    LIBRARIES.stream().filter(PlainApplication::isThere).forEach(System.out::println);
    try (MayflyBroker broker = MayflyBroker.start()) {
      broker.api(
          "PUT",
          "queues/%2F/orders",
          Map.of("durable", true, "arguments", Map.of("x-message-ttl", 3_600_000)));
      publish(broker, "order 1");
      broker.clock().advance(Duration.ofMinutes(59));
      System.out.println(broker.messages("orders").get(0).body());
      broker.clock().advance(Duration.ofMinutes(1));
      System.out.println(broker.deaths().get(0).reason());
      broker.refuseConfirms();
      broker.restart();
      System.out.println(broker.queue("orders").ready());
      System.out.println(methodAfterHeader(broker));
    }
  }

  private static boolean isThere(String name) {
    try {
      Class.forName(name);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static void publish(MayflyBroker broker, String body) {
    broker.api(
        "POST",
        "exchanges/%2F/amq.default/publish",
        Map.of(
            "routing_key",
            "orders",
            "payload",
            body,
            "payload_encoding",
            "string",
            "properties",
            Map.of()));
  }

  /** Returns class and method of what the protocol header is answered with: connection.start. */
  private static String methodAfterHeader(MayflyBroker broker) throws Exception {
    try (Socket socket = new Socket(broker.host(), broker.port())) {
      socket.getOutputStream().write("AMQP\0\0\11\1".getBytes(StandardCharsets.ISO_8859_1));
      DataInputStream in = new DataInputStream(socket.getInputStream());
      if (in.readByte() != METHOD_FRAME) {
        return "no method";
      }
      in.skipNBytes(FRAME_HEADER_BYTES - 1);
      return in.readShort() + "." + in.readShort();
    }
  }
}
