package io.mayflymq.it.rounds;

import java.util.Locale;

/** The counts of a round. */
final class Tally {
  private int messages;
  private int confirmed;
  private int settling;
  private int gone;
  private int doubled;

  void count(boolean isConfirmed, boolean isSettling, boolean mustBeGone) {
    messages++;
    confirmed += isConfirmed ? 1 : 0;
    settling += isSettling ? 1 : 0;
    gone += mustBeGone ? 1 : 0;
  }

  void doubled(int copies) {
    doubled += copies;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d messages, %,d confirmed, %,d being settled, %,d surely settled, %,d dead letters "
            + "doubled across shards",
        messages,
        confirmed,
        settling,
        gone,
        doubled);
  }
}
