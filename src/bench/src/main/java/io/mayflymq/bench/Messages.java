package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.List;

/** Creates messages as publishers send them. */
final class Messages {
  /** The properties that a usual client sets on a persistent message. */
  static final BasicProperties PERSISTENT = BasicProperties.builder().deliveryMode(2).build();

  /** The properties of a program that sets every field. */
  static final BasicProperties RICH =
      BasicProperties.builder()
          .contentType("application/json")
          .contentEncoding("utf-8")
          .headers(
              FieldTable.builder()
                  .put("tenant", "north")
                  .put("attempt", 3)
                  .put("trace-id", "4bf92f3577b34da6a3ce929d0e0e4736")
                  .build())
          .deliveryMode(2)
          .priority(0)
          .correlationId("1c5ab0f9-6a1f-44a9-8d9c-2a7be2a9b1f0")
          .messageId("d3b07384-d113-4ec6-a2c6-09d5e7bb6a0b")
          .timestamp(1_800_000_000L)
          .appId("orders")
          .build();

  private Messages() {}

  /** Property flags and list, then a body of zeros. */
  static byte[] content(BasicProperties properties, int bodyLength) {
    byte[] encoded = properties.encode();
    return Arrays.copyOf(encoded, encoded.length + bodyLength);
  }

  /** A message that went through the exchange "orders" with the key "order.created". */
  static Message message(BasicProperties properties, int bodyLength, long ttlMillis) {
    byte[] content = content(properties, bodyLength);
    return new Message(
        ShortString.of("orders"),
        ShortString.of("order.created"),
        content,
        content.length - bodyLength,
        ttlMillis,
        0,
        Integer.valueOf(2).equals(properties.deliveryMode()),
        List.of());
  }
}
