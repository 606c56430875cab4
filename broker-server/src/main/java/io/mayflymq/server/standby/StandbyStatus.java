package io.mayflymq.server.standby;

import java.util.List;

/**
 * How far a standby has come.
 *
 * @param state what has become of it
 * @param primaries the addresses of the primary, without logins
 * @param sinceMillis since when it follows, in ms since the epoch; 0 before the first complete
 *     round
 * @param completeMillis when the last complete round began; 0 before the first one
 * @param lagMillis for how long that has been; what was confirmed at the primary in this time may
 *     be missing here. -1 before the first complete round
 * @param lagMessages how many messages the primary had that are not copied, when it last answered
 * @param messages how many copies there are
 * @param bytes about how many bytes they have
 * @param copiedMessages how many were copied since the start
 * @param copiedBytes how many bytes these had
 * @param rounds how many rounds were complete since the start
 * @param failures how many were not
 * @param failedMillis when it last failed; 0 if it never did
 * @param failure why; empty if it never did
 * @param moved how many messages a promotion has moved to their queues so far
 */
public record StandbyStatus(
    State state,
    List<String> primaries,
    long sinceMillis,
    long completeMillis,
    long lagMillis,
    long lagMessages,
    long messages,
    long bytes,
    long copiedMessages,
    long copiedBytes,
    long rounds,
    long failures,
    long failedMillis,
    String failure,
    long moved) {
  /** What has become of a standby. */
  public enum State {
    FOLLOWING("following"),
    PROMOTING("promoting"),
    FIRST("first");

    private final String wireName;

    State(String wireName) {
      this.wireName = wireName;
    }

    /** Returns its name in the API and in metrics. */
    public String wireName() {
      return wireName;
    }
  }

  /** Copies the list. */
  public StandbyStatus {
    primaries = List.copyOf(primaries);
  }
}
