package io.mayflymq.core.store;

/**
 * The entry in the log of a message that has died. The queue no longer has it; the log keeps it
 * until its dead letter is safe elsewhere, so that after a crash the message is still there, and
 * dies again.
 *
 * <p>Belongs to the shard's thread.
 */
public final class UnsettledEntry {
  private final long queueId;
  private final long sequence;
  private final int bodyLength;
  private long location;

  /**
   * Describes an entry.
   *
   * @param queueId the queue that the message died in
   * @param sequence its number there
   * @param location where the log has it
   * @param bodyLength the length of its body in bytes
   */
  public UnsettledEntry(long queueId, long sequence, long location, int bodyLength) {
    this.queueId = queueId;
    this.sequence = sequence;
    this.location = location;
    this.bodyLength = bodyLength;
  }

  /** The queue that the message died in. */
  public long queueId() {
    return queueId;
  }

  /** Its number there. */
  public long sequence() {
    return sequence;
  }

  /** Where the log has it. */
  public long location() {
    return location;
  }

  /** The length of its body in bytes. */
  public int bodyLength() {
    return bodyLength;
  }

  /** Called when the log has copied the entry. */
  public void moveTo(long newLocation) {
    location = newLocation;
  }
}
