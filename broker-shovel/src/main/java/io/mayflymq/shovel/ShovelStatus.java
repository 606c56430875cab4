package io.mayflymq.shovel;

import java.time.Instant;
import java.util.Map;

/**
 * What a shovel does at a moment. Nothing in it is secret.
 *
 * @param vhost the virtual host of its parameter
 * @param name the name of its parameter
 * @param state what it does
 * @param since when the state began
 * @param reason why it does not run; empty if it does
 * @param blocked why it stands although it runs; empty if it does not
 * @param ends where it takes messages from and publishes them to, by the names of RabbitMQ's API,
 *     such as {@code src_uri}
 * @param forwarded how many messages it has moved since it began to run
 * @param pending how many are published and not confirmed
 * @param remaining after how many more it ends; negative if it does not
 */
public record ShovelStatus(
    String vhost,
    String name,
    State state,
    Instant since,
    String reason,
    String blocked,
    Map<String, String> ends,
    long forwarded,
    long pending,
    long remaining) {

  /** What a shovel does. */
  public enum State {
    /** It connects. */
    STARTING("starting"),
    /** It moves messages, or waits for some. */
    RUNNING("running"),
    /** It has failed, and tries again. */
    TERMINATED("terminated");

    private final String wireName;

    State(String wireName) {
      this.wireName = wireName;
    }

    /** Returns the name that the API has for it. */
    public String wireName() {
      return wireName;
    }
  }
}
