package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.instant;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.word;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The clock that deadlines go by.
 *
 * @param manual whether it is moved by hand rather than that of the machine
 * @param start what one that is moved by hand shows at first; empty for the time of the machine
 * @param onOldData whether one that is moved by hand may be used with data that are there
 */
public record ClockSettings(boolean manual, Optional<Instant> start, boolean onOldData) {
  static final Section SECTION = new Section("Clock");

  private static final String MANUAL = "manual";

  static final Setting<String> CLOCK =
      SECTION.add(
          Setting.of(
              "clock",
              word("real", MANUAL),
              "real",
              "The clock that expiry, leases, retries, schedules and timeouts go by: `real`, that"
                  + " of the machine, or `manual`, one that stands still until it is [moved by"
                  + " hand](manual-clock.md), for tests of applications. The latter needs `shards"
                  + " = 1`, which is its default then, and no cluster."));

  private static final Setting<Optional<Instant>> START =
      SECTION.add(
          Setting.of(
              "clock.start",
              orWord("now", instant()),
              "now",
              "What a clock that is moved by hand shows at first, such as"
                  + " `2026-01-01T00:00:00Z`; `now` is the time of the machine."));

  private static final Setting<Boolean> ON_OLD_DATA =
      SECTION.add(
          Setting.of(
              "clock.on_old_data",
              bool(),
              "false",
              "Whether a clock that is moved by hand may be used with a data directory that has"
                  + " been used before. What is in it may expire at once, or much too late."));

  /**
   * Returns the settings.
   *
   * @throws ConfigException if other keys do not go with a clock that is moved by hand
   */
  static ClockSettings of(SettingValues values) throws ConfigException {
    boolean manual = values.get(CLOCK).equals(MANUAL);
    if (manual && values.get(ServerSettings.SHARDS).orElse(1) != 1) {
      throw new ConfigException(
          List.of(
              "shards: %d: expected 1, or auto, as clock is manual: only then the order of events"
                      .formatted(values.get(ServerSettings.SHARDS).get())
                  + " is the same each time"));
    }
    if (manual && values.get(ClusterSettings.LISTENER).isPresent()) {
      throw new ConfigException(
          List.of(
              "cluster.listener does not go with clock = manual: expected none, as the nodes of a"
                  + " cluster go by the clocks of their machines"));
    }
    return new ClockSettings(manual, values.get(START), values.get(ON_OLD_DATA));
  }
}
