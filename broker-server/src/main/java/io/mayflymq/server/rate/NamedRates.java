package io.mayflymq.server.rate;

import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;

/**
 * The rates of a user or of a virtual host. Any thread reads them; {@link ClientRates} changes one
 * at a time.
 */
final class NamedRates {
  private volatile PublishRate publishing;
  private volatile DeliveryRate deliveries;

  /** How many connections are open that are to keep to them. */
  private int connections;

  /** Returns how fast messages are published; null for as fast as clients do. */
  PublishRate publishing() {
    return publishing;
  }

  /** Returns how fast messages are delivered; null for as fast as consumers take them. */
  DeliveryRate deliveries() {
    return deliveries;
  }

  /** Sets how fast messages are delivered. Only {@link DeliveryTurns} may. */
  void setDeliveries(DeliveryRate rate) {
    deliveries = rate;
  }

  void count(int more) {
    connections += more;
  }

  /** Returns whether nothing would be lost with this object. */
  boolean isIdle() {
    return connections == 0 && publishing == null && deliveries == null;
  }

  /** Sets the rates that limits say. What has passed by a rate is forgotten only with that rate. */
  void set(Limits limits, DeliveryTurns turns) {
    Rate ofPublishing = rate(limits, Limit.PUBLISH_RATE, Limit.PUBLISH_BURST);
    PublishRate published = publishing;
    if (published == null || !published.rate().equals(ofPublishing)) {
      publishing = ofPublishing == null ? null : new PublishRate(ofPublishing);
    }
    Rate ofDeliveries = rate(limits, Limit.DELIVERY_RATE, Limit.DELIVERY_BURST);
    DeliveryRate delivered = deliveries;
    boolean isSame =
        delivered == null ? ofDeliveries == null : delivered.rate().equals(ofDeliveries);
    if (!isSame) {
      turns.replace(this, ofDeliveries);
    }
  }

  private static Rate rate(Limits limits, Limit rate, Limit burst) {
    Integer perSecond = limits.get(rate);
    if (perSecond == null || perSecond < 1) {
      return null;
    }
    Integer atOnce = limits.get(burst);
    return new Rate(
        perSecond, atOnce == null || atOnce < 1 ? perSecond : Math.min(atOnce, perSecond));
  }
}
