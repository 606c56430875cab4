package io.mayflymq.server.channel;

import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * Faults of confirms and of acknowledgements that a test of an application wants. There are none
 * until it asks for them. Any thread may call any method.
 */
public final class InjectedFaults {
  /** What becomes of publishers' confirms. */
  public enum Confirms {
    /** They are sent. */
    SENT,
    /** Messages of channels in confirm mode go to no queue, and are answered with basic.nack. */
    REFUSED,
    /** They are sent when this is over. */
    DELAYED,
    /** They are never sent. */
    DROPPED
  }

  /**
   * What becomes of consumers' basic.ack, basic.nack and basic.reject, except in transactions.
   * Messages that they are about stay unacknowledged meanwhile.
   */
  public enum Acks {
    /** They are handled. */
    HANDLED,
    /** They are handled when this is over, unless their channel is closed by then. */
    DELAYED,
    /** They are never handled. */
    DROPPED
  }

  /** Work that waits, and the shard that does it. */
  private record Waiting(Shard shard, Runnable work) {}

  private final List<Waiting> waitingConfirms = new ArrayList<>();
  private final List<Waiting> waitingAcks = new ArrayList<>();
  private volatile Confirms confirms = Confirms.SENT;
  private volatile Acks acks = Acks.HANDLED;

  /** Returns what becomes of confirms: one volatile read. */
  public Confirms confirms() {
    return confirms;
  }

  /** Returns what becomes of acknowledgements: one volatile read. */
  public Acks acks() {
    return acks;
  }

  /** Sets what becomes of confirms from now on, and has those handled so that were delayed. */
  public void setConfirms(Confirms fate) {
    List<Waiting> ended;
    synchronized (this) {
      confirms = fate;
      ended = take(waitingConfirms);
    }
    ended.forEach(each -> each.shard.execute(each.work));
  }

  /** Sets what becomes of acknowledgements, and has those handled so that were delayed. */
  public void setAcks(Acks fate) {
    List<Waiting> ended;
    synchronized (this) {
      acks = fate;
      ended = take(waitingAcks);
    }
    ended.forEach(each -> each.shard.execute(each.work));
  }

  private static List<Waiting> take(List<Waiting> waiting) {
    List<Waiting> taken = List.copyOf(waiting);
    waiting.clear();
    return taken;
  }

  /**
   * Has confirms sent when they are delayed no longer.
   *
   * @return false if they are not delayed; then the work is not kept
   */
  synchronized boolean delayConfirms(Shard shard, Runnable work) {
    return confirms == Confirms.DELAYED && waitingConfirms.add(new Waiting(shard, work));
  }

  /**
   * Has acknowledgements handled when they are delayed no longer.
   *
   * @return false if they are not delayed; then the work is not kept
   */
  synchronized boolean delayAcks(Shard shard, Runnable work) {
    return acks == Acks.DELAYED && waitingAcks.add(new Waiting(shard, work));
  }
}
