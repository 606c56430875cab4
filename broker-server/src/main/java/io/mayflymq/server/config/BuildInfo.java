package io.mayflymq.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/** The name and the version of this build. */
public final class BuildInfo {
  /** The product's name, as RabbitMQ's clients find it in the server properties. */
  public static final String PRODUCT = "MayflyMQ";

  /** RabbitMQ's plugins whose function is built in. */
  public static final List<String> PLUGINS =
      List.of(
          "oauth2_client",
          "rabbitmq_auth_backend_cache",
          "rabbitmq_auth_backend_http",
          "rabbitmq_auth_backend_ldap",
          "rabbitmq_auth_backend_oauth2",
          "rabbitmq_auth_mechanism_ssl",
          "rabbitmq_consistent_hash_exchange",
          "rabbitmq_delayed_message_exchange",
          "rabbitmq_event_exchange",
          "rabbitmq_exchange_federation",
          "rabbitmq_federation",
          "rabbitmq_federation_common",
          "rabbitmq_federation_management",
          "rabbitmq_federation_prometheus",
          "rabbitmq_jms_topic_exchange",
          "rabbitmq_management",
          "rabbitmq_management_agent",
          "rabbitmq_peer_discovery_common",
          "rabbitmq_peer_discovery_k8s",
          "rabbitmq_prometheus",
          "rabbitmq_queue_federation",
          "rabbitmq_random_exchange",
          "rabbitmq_recent_history_exchange",
          "rabbitmq_shovel",
          "rabbitmq_shovel_management",
          "rabbitmq_shovel_prometheus");

  private static final String VERSION = readVersion();

  private BuildInfo() {}

  /** Returns the version of this build, such as {@code 0.2.0}. */
  public static String version() {
    return VERSION;
  }

  private static String readVersion() {
    try (InputStream in = BuildInfo.class.getResourceAsStream("build.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
