package io.mayflymq.server.connection;

import io.mayflymq.core.policy.Dialect;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.config.BuildInfo;

/**
 * The server properties in {@code connection.start}. Some clients choose their behaviour by {@code
 * version}, which is therefore RabbitMQ's; this broker's own version is a property of its own.
 */
final class ServerProperties {
  private static final FieldTable CAPABILITIES = capabilities();

  private ServerProperties() {}

  /** Returns the properties of a broker of this dialect in a cluster of this name. */
  static FieldTable of(Dialect dialect, String clusterName) {
    return FieldTable.builder()
        .put("capabilities", CAPABILITIES)
        .put("cluster_name", clusterName)
        .put("copyright", "Copyright (c) the MayflyMQ authors")
        .put("information", "Licensed under the Apache License 2.0")
        .put("mayfly_version", BuildInfo.version())
        .put("platform", "Java " + Runtime.version().feature())
        .put("product", BuildInfo.PRODUCT)
        .put("version", dialect.version())
        .build();
  }

  private static FieldTable capabilities() {
    FieldTable.Builder table = FieldTable.builder();
    for (String capability :
        new String[] {
          "publisher_confirms",
          "exchange_exchange_bindings",
          "basic.nack",
          "consumer_cancel_notify",
          "connection.blocked",
          "consumer_priorities",
          "authentication_failure_close",
          "per_consumer_qos",
          "direct_reply_to"
        }) {
      table.put(capability, FieldValue.Bool.TRUE);
    }
    return table.build();
  }
}
