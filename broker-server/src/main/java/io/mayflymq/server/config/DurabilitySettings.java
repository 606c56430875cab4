package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.util.Locale;

/**
 * How messages are kept.
 *
 * @param sync what a confirm of a persistent message waits for
 * @param segmentBytes the size of a file of the message log
 */
public record DurabilitySettings(Sync sync, int segmentBytes) {
  static final Section SECTION = new Section("Durability");

  static final Setting<String> DURABILITY_SYNC =
      SECTION.add(
          Setting.of(
              "durability.sync",
              word("always", "never"),
              "always",
              "What a confirm of a persistent message waits for: `always` for the disk,"
                  + " `never` for the operating system only ([durability](durability.md))."));

  static final Setting<Integer> DURABILITY_SEGMENT_SIZE =
      SECTION.add(
          Setting.of(
              "durability.segment_size",
              bytes(1 << 20, 1 << 30),
              "67108864",
              "The size of a message log file in bytes, after which the next one begins."));

  static DurabilitySettings of(SettingValues values) {
    return new DurabilitySettings(
        Sync.valueOf(values.get(DURABILITY_SYNC).toUpperCase(Locale.ROOT)),
        values.get(DURABILITY_SEGMENT_SIZE));
  }
}
