package io.mayflymq.server.metrics;

import io.mayflymq.server.standby.StandbyStatus;
import java.util.Optional;
import java.util.stream.Stream;

/** How far this broker has come as the standby of another one; nothing if it is none. */
final class StandbyMetrics {
  private static final double MILLIS = 1000;

  private StandbyMetrics() {}

  /** Returns the families. */
  static Stream<MetricFamily> all(Optional<StandbyStatus> known) {
    return known.stream().flatMap(StandbyMetrics::families);
  }

  private static Stream<MetricFamily> families(StandbyStatus status) {
    return Stream.of(
        Value.gauge(
            "mayfly_standby_following",
            "1 while this broker follows a primary, 0 once it is the first.",
            status.state() == StandbyStatus.State.FOLLOWING ? 1 : 0),
        Value.gauge(
            "mayfly_standby_lag_seconds",
            "Time since the last complete round of the standby began: what was confirmed at the"
                + " primary since then may be missing. +Inf before the first one.",
            status.lagMillis() < 0 ? Double.POSITIVE_INFINITY : status.lagMillis() / MILLIS),
        Value.gauge(
            "mayfly_standby_lag_messages",
            "Messages of the primary that the standby had not copied when the primary last"
                + " answered.",
            (double) status.lagMessages()),
        Value.gauge(
            "mayfly_standby_messages", "Copies that the standby has.", (double) status.messages()),
        Value.gauge(
            "mayfly_standby_bytes", "About the bytes of these copies.", (double) status.bytes()),
        Value.counter(
            "mayfly_standby_copied_messages_total",
            "Messages that the standby has copied.",
            (double) status.copiedMessages()),
        Value.counter(
            "mayfly_standby_copied_bytes_total",
            "Bytes of these messages.",
            (double) status.copiedBytes()),
        Value.counter(
            "mayfly_standby_complete_rounds_total",
            "Rounds after which the standby had all that its primary had.",
            (double) status.rounds()),
        Value.counter(
            "mayfly_standby_failed_rounds_total",
            "Rounds after which something was missing, or the primary did not answer.",
            (double) status.failures()));
  }
}
