package io.mayflymq.core.policy;

/**
 * How fast messages may enter and leave a queue.
 *
 * @param pause what waits; null if nothing does
 * @param pauseTtl what becomes of the TTL of messages while deliveries wait
 * @param deliveries how fast messages are handed out; null for as fast as consumers take them
 * @param publishing how fast publishers publish; null for as fast as they do
 */
public record PaceSettings(Pause pause, PauseTtl pauseTtl, Rate deliveries, Rate publishing) {
  /**
   * A rate of messages.
   *
   * @param perSecond how many there are within any second at most, 1 or more
   * @param burst how many of them at once, 1 to the rate
   */
  public record Rate(long perSecond, long burst) {
    /** Returns null if there is no such rate. */
    private static Rate of(QueueValues values, PolicyKey rate, PolicyKey burst) {
      long perSecond = values.number(rate);
      long atOnce = values.number(burst);
      if (perSecond == QueueSettings.NONE) {
        return null;
      }
      return new Rate(
          perSecond, atOnce == QueueSettings.NONE ? perSecond : Math.min(perSecond, atOnce));
    }
  }

  static PaceSettings of(QueueValues values) {
    return new PaceSettings(
        values.word(PolicyKey.PAUSE, Pause.class),
        values.word(PolicyKey.PAUSE_TTL, PauseTtl.class),
        Rate.of(values, PolicyKey.DELIVERY_RATE, PolicyKey.DELIVERY_BURST),
        Rate.of(values, PolicyKey.PUBLISH_RATE, PolicyKey.PUBLISH_BURST));
  }

  /** Whether nothing is handed out. */
  public boolean pausesDeliveries() {
    return pause != null && pause.ofDeliveries();
  }

  /** Whether the time of the messages' TTLs stands still. */
  public boolean stopsTtl() {
    return pausesDeliveries() && pauseTtl == PauseTtl.STOP;
  }

  /** Whether publishers wait. */
  public boolean pausesPublishing() {
    return pause != null && pause.ofPublishing();
  }
}
