package io.mayflymq.shovel.transfer;

import java.util.Arrays;
import java.util.List;

/** When a message is acknowledged at the source. */
public enum AckMode {
  /** As soon as it has been taken: what a failure meets on its way is lost. */
  NO_ACK("no-ack"),
  /** When it has been sent to the destination: what the destination has not taken is lost. */
  ON_PUBLISH("on-publish"),
  /** When the destination has confirmed it: nothing is lost. */
  ON_CONFIRM("on-confirm");

  private final String wireName;

  AckMode(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name that parameters have for it. */
  public String wireName() {
    return wireName;
  }

  /** Returns the names of all. */
  public static List<String> wireNames() {
    return Arrays.stream(values()).map(AckMode::wireName).toList();
  }

  /** Returns that of a name, which is one of them. */
  public static AckMode of(String wireName) {
    return Arrays.stream(values())
        .filter(mode -> mode.wireName.equals(wireName))
        .findFirst()
        .orElseThrow();
  }
}
