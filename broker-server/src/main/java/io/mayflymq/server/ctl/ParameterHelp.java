package io.mayflymq.server.ctl;

import java.util.Map;

/** Explains the parameters of commands, which have the same meaning in most of them. */
final class ParameterHelp {
  private static final String PERMISSION =
      "a regular expression for the names of resources; an empty one allows none";

  /** By the label of the parameter. */
  private static final Map<String, String> BY_LABEL =
      Map.ofEntries(
          Map.entry("archive", "the file to write, which must not exist: a .tar.gz"),
          Map.entry("argument", "accepted and not used"),
          Map.entry("cleartext_password", "the password; without it standard input is read"),
          Map.entry("column", "what to show of each, in this order"),
          Map.entry("command", "the name of a command"),
          Map.entry("component_name", "operator_policy or vhost-limits"),
          Map.entry("conf", "what may be declared and deleted: " + PERMISSION),
          Map.entry("connectionpid", "the column pid of list_connections"),
          Map.entry("count", "a number of nodes"),
          Map.entry("definition", "an object in JSON, such as {\"max-length\":1000}"),
          Map.entry("directory", "a directory that does not exist or is empty; its parent exists"),
          Map.entry("disk_limit", "bytes, a size such as 2GB, or mem_relative"),
          Map.entry("exchange", "the name of an exchange"),
          Map.entry("explanation", "the text that clients get with connection.close"),
          Map.entry(
              "fate", "sent, refused, delayed or dropped; handled, delayed or dropped for acks"),
          Map.entry("fault", "confirms or acks"),
          Map.entry("feature_flag", "the name of a feature flag, or all"),
          Map.entry("file_path", "a file; - is standard input or output"),
          Map.entry("fraction", "a factor of the memory, such as 0.6; or absolute before a value"),
          Map.entry("key", "a key of the configuration"),
          Map.entry("kind", "queue or exchange"),
          Map.entry("level", "the level, if a category is given before it"),
          Map.entry(
              "limit",
              "max-connections, max-channels, publish-rate, publish-burst, delivery-rate,"
                  + " delivery-burst, or all"),
          Map.entry("link_id", "the id of a link, as federation_status shows it"),
          Map.entry("log_level", "a level, or a category if a level follows"),
          Map.entry("message_id", "the message-id of the message"),
          Map.entry("name", "the name of what is shown, set or cleared"),
          Map.entry("node", "the name of a node, such as mayfly@host"),
          Map.entry("pidfile", "a file with the process id of the broker, once it starts"),
          Map.entry("prefix", "how the names begin"),
          Map.entry("release", "a release of RabbitMQ: 4.3 or 3.13"),
          Map.entry("time", "a time such as 90s or 1h30m, or next"),
          Map.entry("strategy", "all, or even: those with an even number of members"),
          Map.entry("password", "the password; without it standard input is read"),
          Map.entry(
              "passphrase", "what the value is encrypted by; without it standard input is read"),
          Map.entry("pattern", "a regular expression for names"),
          Map.entry("plugin", "the name of a plugin of RabbitMQ, such as rabbitmq_management"),
          Map.entry("port", "a number of a TCP port, 1 or more"),
          Map.entry("protocol", "amqp, amqp/ssl, http or https"),
          Map.entry("queue", "the name of a queue"),
          Map.entry("queue_name", "the name of a queue"),
          Map.entry("type", "a type of queues"),
          Map.entry("read", "what may be consumed from: " + PERMISSION),
          Map.entry("resource", "memory or disk"),
          Map.entry("sequence", "the number of a message, as browse_queue shows it"),
          Map.entry("subject", "queue"),
          Map.entry("tag", "a tag, such as administrator, monitoring, policymaker, management"),
          Map.entry(
              "uri", "the address of another broker: amqp[s]://user:password@host[:port][/vhost]"),
          Map.entry("username", "the name of a user"),
          Map.entry("value", "the value, in JSON for a parameter"),
          Map.entry("vhost", "the name of a virtual host"),
          Map.entry("write", "what may be published to: " + PERMISSION));

  private ParameterHelp() {}

  /**
   * Returns what a parameter is, or null if that is not known.
   *
   * @param parameter as in the synopsis, such as {@code [<column> ...]}
   */
  static String of(String parameter) {
    return BY_LABEL.get(parameter.substring(parameter.indexOf('<') + 1, parameter.indexOf('>')));
  }
}
