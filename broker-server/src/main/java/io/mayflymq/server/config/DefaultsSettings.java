package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.regularExpression;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.QueueType;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The initial content of an empty data directory: one virtual host with its policies, and one user
 * with permissions there. And the defaults for new virtual hosts and queues.
 *
 * @param configure a regular expression over the names that the user may declare and delete
 * @param write a regular expression over the names that the user may publish to
 * @param read a regular expression over the names that the user may consume from
 * @param ofVhosts the policies and limits that each new virtual host is given
 * @param queueType the type of a queue that is declared without one
 * @param timeStamps whether a time that a publisher has put into a message is replaced; empty if
 *     none is put there
 * @param nodeStamps the same of the name of the node
 * @param sentTime whether consumers are told when their messages were sent
 * @param objects the defaults for queues and exchanges without a setting of their own
 */
public record DefaultsSettings(
    String vhost,
    String user,
    String password,
    Set<String> tags,
    String configure,
    String write,
    String read,
    VhostDefaults ofVhosts,
    QueueType queueType,
    Optional<Boolean> timeStamps,
    Optional<Boolean> nodeStamps,
    boolean sentTime,
    Defaults objects) {
  static final Section SECTION = new Section("First start");

  static final Setting<String> DEFAULT_VHOST =
      SECTION.add(Setting.of("default_vhost", text(), "/", "The virtual host."));

  static final Setting<String> DEFAULT_USER =
      SECTION.add(Setting.of("default_user", text(), "guest", "The user."));

  static final Setting<String> DEFAULT_PASS =
      SECTION.add(Setting.of("default_pass", secretText(), "guest", "The user's password."));

  static final KeyFamily<Boolean> DEFAULT_USER_TAGS =
      SECTION.add(
          new KeyFamily<>(
              "default_user_tags.",
              "$tag",
              bool(),
              Map.of("default_user_tags.administrator", "true"),
              "The user's tags."));

  static final Setting<String> DEFAULT_CONFIGURE =
      SECTION.add(
          Setting.of(
              "default_permissions.configure",
              regularExpression(),
              ".*",
              "Names that the user may declare and delete."));

  static final Setting<String> DEFAULT_WRITE =
      SECTION.add(
          Setting.of(
              "default_permissions.write",
              regularExpression(),
              ".*",
              "Names that the user may publish to."));

  static final Setting<String> DEFAULT_READ =
      SECTION.add(
          Setting.of(
              "default_permissions.read",
              regularExpression(),
              ".*",
              "Names that the user may consume from."));

  static final Setting<String> DEFAULT_QUEUE_TYPE =
      SECTION.add(
          Setting.of(
              "default_queue_type",
              word("classic", "quorum", "stream"),
              "classic",
              "The type of queues that are declared without one, in every virtual host that"
                  + " has no default of its own. See [quorum"
                  + " queues](quorum-queues.md#default-queue-type)."));

  static DefaultsSettings of(SettingValues values) throws ConfigException {
    return new DefaultsSettings(
        values.get(DEFAULT_VHOST),
        values.get(DEFAULT_USER),
        values.get(DEFAULT_PASS),
        values.trueMembers(DEFAULT_USER_TAGS),
        values.get(DEFAULT_CONFIGURE),
        values.get(DEFAULT_WRITE),
        values.get(DEFAULT_READ),
        new VhostDefaults(
            DefaultPolicyKeys.policies(values),
            DefaultLimitKeys.limits(values),
            DefaultUserKeys.users(values)),
        QueueType.ofWireName(values.get(DEFAULT_QUEUE_TYPE)).orElseThrow(),
        values.get(ObjectDefaultKeys.TIME_STAMPS),
        values.get(ObjectDefaultKeys.NODE_STAMPS),
        values.get(ObjectDefaultKeys.SENT_TIME),
        ObjectDefaultKeys.defaults(values));
  }

  /**
   * Returns what is put into messages before they are routed; null for nothing.
   *
   * @param node the name of this node
   */
  public IncomingStamps stamps(String node, InstantSource clock) {
    return timeStamps.isEmpty() && nodeStamps.isEmpty()
        ? null
        : new IncomingStamps(timeStamps, nodeStamps, node, clock);
  }

  @Override
  public String toString() {
    return "DefaultsSettings[vhost=%s, user=%s, tags=%s]".formatted(vhost, user, tags);
  }
}
