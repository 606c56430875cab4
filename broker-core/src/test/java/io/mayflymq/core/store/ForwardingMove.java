package io.mayflymq.core.store;

/** A move that does what another does: to watch it. */
public class ForwardingMove implements Move {
  private final Move move;

  public ForwardingMove(Move move) {
    this.move = move;
  }

  @Override
  public void add(long queueId, long sequence, long deadlineMillis) {
    move.add(queueId, sequence, deadlineMillis);
  }

  @Override
  public void write(long nowMillis, boolean keepSource) {
    move.write(nowMillis, keepSource);
  }
}
