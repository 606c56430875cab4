package io.mayflymq.cluster.store;

import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.RemovalStamp;

/**
 * Where the messages of a queue are that have neighbouring numbers. Notes about a message may come
 * before it and stay when it has gone: no other one gets its number.
 */
final class EntryPage {
  /** How many numbers a page has, as a power of two. */
  static final int BITS = 6;

  static final int SIZE = 1 << BITS;
  private static final long NOWHERE = 0;

  private final long[] locations = new long[SIZE];
  private final int[] bodyLengths = new int[SIZE];

  /** Null unless one of the messages has been returned. */
  private long[] returns;

  private long[] untils;

  /** Null unless the messages were removed from a queue, and can be brought back. */
  private long[] stamps;

  private int entries;

  /** Returns how many messages it has. */
  int entries() {
    return entries;
  }

  /** Returns whether it has neither messages nor notes about them. */
  boolean isUnused() {
    return entries == 0 && returns == null;
  }

  /** Returns the location of a message; 0 if it is not here. */
  long location(int index) {
    return locations[index];
  }

  int bodyLength(int index) {
    return bodyLengths[index];
  }

  void put(int index, long location, int bodyLength) {
    locations[index] = location;
    bodyLengths[index] = bodyLength;
    entries++;
  }

  void move(int index, long location) {
    locations[index] = location;
  }

  void remove(int index) {
    locations[index] = NOWHERE;
    entries--;
  }

  /** Notes how often a message has been returned; see {@link RedeliveryNotes.Sink}. */
  void note(int index, long times, long untilMillis) {
    if (returns == null) {
      returns = new long[SIZE];
      untils = new long[SIZE];
    }
    if (times >= returns[index]) {
      returns[index] = times;
      untils[index] = untilMillis;
    }
  }

  /** Sets when and why a message was removed, as {@link RemovalStamp} packs it. */
  void stamp(int index, long stamp) {
    if (stamps == null) {
      stamps = new long[SIZE];
    }
    stamps[index] = stamp;
  }

  /** Returns what {@link #stamp} has set. */
  long stampOf(int index) {
    return stamps[index];
  }

  /** Drops all notes. */
  void dropNotes() {
    returns = null;
  }

  /** Adds its notes about messages that are here. */
  void notes(long firstSequence, RedeliveryNotes notes, int mostBytes) {
    for (int i = 0; returns != null && i < SIZE && notes.size() < mostBytes; i++) {
      if (returns[i] > 0 && locations[i] != NOWHERE) {
        notes.add(firstSequence + i, returns[i], untils[i]);
      }
    }
  }
}
