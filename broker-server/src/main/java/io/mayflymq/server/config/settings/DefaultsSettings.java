package io.mayflymq.server.config.settings;

import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.settings.QueueType;
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
    Defaults objects) {
  @Override
  public String toString() {
    return "DefaultsSettings[vhost=%s, user=%s, tags=%s]".formatted(vhost, user, tags);
  }
}
