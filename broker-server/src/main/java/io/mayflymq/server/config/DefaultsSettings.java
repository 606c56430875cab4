package io.mayflymq.server.config;

import java.util.Set;

/**
 * What an empty data directory is filled with: one virtual host, and one user with all its
 * permissions there.
 *
 * @param configure a regular expression over the names that the user may declare and delete
 * @param write a regular expression over the names that the user may publish to
 * @param read a regular expression over the names that the user may consume from
 */
public record DefaultsSettings(
    String vhost,
    String user,
    String password,
    Set<String> tags,
    String configure,
    String write,
    String read) {
  @Override
  public String toString() {
    return "DefaultsSettings[vhost=%s, user=%s, tags=%s]".formatted(vhost, user, tags);
  }
}
