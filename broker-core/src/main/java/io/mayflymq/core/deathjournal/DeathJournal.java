package io.mayflymq.core.deathjournal;

import java.util.List;
import java.util.function.Predicate;

/**
 * The latest deaths of messages of a broker, of all its partitions. When it is full, each new entry
 * replaces the oldest ones. Any thread may call.
 */
public interface DeathJournal extends AutoCloseable {
  /** How many deaths are kept by default, at most. */
  int DEFAULT_SIZE = 1_000_000;

  /**
   * An entry.
   *
   * @param number later deaths have higher ones
   */
  record Entry(long number, DeathRecord death) {}

  /**
   * How far back it reaches.
   *
   * @param size how many deaths it keeps at most
   * @param bytes how many bytes its files have at most; 0 if it has none
   * @param kept how many it has, without a gap up to the latest one
   * @param gone how many earlier ones it does not have any more, or not all of them
   * @param oldestMillis when the oldest of those that it has happened, in ms since the epoch; -1 if
   *     it has none
   */
  record Reach(int size, long bytes, long kept, long gone, long oldestMillis) {}

  /** Whether it keeps any deaths: if not, {@link #add} need not be called. */
  boolean isOn();

  /** Adds deaths in their order. Returns at once; the list is not used afterwards. */
  void add(List<DeathRecord> deaths);

  /**
   * Returns those that are wanted, the latest one first. May read files.
   *
   * @param most how many at most
   */
  List<Entry> latest(Predicate<DeathRecord> wanted, long most);

  /** Returns how far back it reaches. May read files. */
  Reach reach();

  /** Writes what it has; nothing may be added afterwards. */
  @Override
  void close();
}
