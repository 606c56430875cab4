package io.mayflymq.shovel.federation;

import java.time.Instant;

/**
 * What a link does at a moment. Nothing in it is secret.
 *
 * @param federated what it is for
 * @param upstream the name of the upstream
 * @param upstreamObject the name of the exchange or queue there
 * @param id eight hexadecimal digits
 * @param consumerTag of its consumer, for a queue
 * @param state what it does
 * @param since when the state began
 * @param uri the address of the upstream
 * @param error why it does not run; empty if it does
 * @param forwarded how many messages have come since it began to run
 */
public record LinkStatus(
    Federated federated,
    String upstream,
    String upstreamObject,
    String id,
    String consumerTag,
    State state,
    Instant since,
    String uri,
    String error,
    long forwarded) {

  /** What a link does. */
  public enum State {
    /** It connects. */
    STARTING("starting"),
    /** It takes messages, or waits for some. */
    RUNNING("running"),
    /** It has failed, and tries again. */
    ERROR("error");

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
