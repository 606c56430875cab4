package io.mayflymq.server.config;

import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.settings.QueueType;
import java.util.List;
import java.util.Set;

/**
 * What an empty data directory is filled with: one virtual host with its policies, and one user
 * with all its permissions there. And what virtual hosts and queues are that do not say.
 *
 * @param configure a regular expression over the names that the user may declare and delete
 * @param write a regular expression over the names that the user may publish to
 * @param read a regular expression over the names that the user may consume from
 * @param policies what each new virtual host is given, of those that are for it
 * @param queueType what a queue is that is declared without a type
 * @param objects what counts for queues and exchanges of which nothing else is said
 */
public record DefaultsSettings(
    String vhost,
    String user,
    String password,
    Set<String> tags,
    String configure,
    String write,
    String read,
    List<DefaultPolicy> policies,
    QueueType queueType,
    Defaults objects) {
  @Override
  public String toString() {
    return "DefaultsSettings[vhost=%s, user=%s, tags=%s]".formatted(vhost, user, tags);
  }
}
