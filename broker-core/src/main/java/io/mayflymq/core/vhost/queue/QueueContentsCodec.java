package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerRates;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes and reads for other nodes what a queue has. */
public final class QueueContentsCodec {
  private QueueContentsCodec() {}

  /**
   * Writes contents; its first message is left out. Nodes of a release that does not know what
   * comes last leave it unread: priorities, what the consumers have, what can be brought back, and
   * shares.
   */
  public static void write(ByteWriter out, QueueContents contents) {
    write(out, contents.totals());
    write(out, contents.scheduled());
    write(out, contents.waiting());
    out.number(contents.consumers().size());
    for (QueueContents.Member member : contents.consumers()) {
      Consumer consumer = member.consumer();
      out.shortString(consumer.tag())
          .bit(consumer.acknowledges())
          .bit(consumer.exclusive())
          .number(consumer.prefetch())
          .table(consumer.arguments())
          .bit(member.active());
    }
    out.decimal(contents.consumerCapacity());
    write(out, contents.lag());
    out.signed(contents.leaseEndMillis());
    write(out, contents.memoryBytes());
    write(out, contents.priorities());
    write(out, contents.oldestAgeMillis());
    contents.consumers().forEach(member -> out.number(member.unacked()));
    contents
        .consumers()
        .forEach(member -> out.decimal(member.rates().deliver()).decimal(member.rates().ack()));
    write(out, contents.recoverable());
    write(out, contents.shares());
  }

  /** Reads contents. Their consumers have no target. */
  public static QueueContents readContents(ByteReader in) {
    QueueTotals totals = totals(in);
    QueueTotals scheduled = totals(in);
    QueueTotals waiting = totals(in);
    int count = in.count(6);
    List<QueueContents.Member> consumers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Consumer consumer =
          new Consumer(
              in.shortString(),
              new ConsumeOptions(in.bit(), in.bit(), in.integer(), in.table()),
              null);
      consumers.add(new QueueContents.Member(consumer, in.bit(), 0, ConsumerRates.NONE));
    }
    double capacity = in.decimal();
    OptionalLong lag = optional(in);
    long leaseEndMillis = in.signed();
    OptionalLong memoryBytes = optional(in);
    PriorityCounts priorities = in.remaining() > 0 && in.bit() ? priorities(in) : null;
    OptionalLong oldestAge = in.remaining() > 0 ? optional(in) : OptionalLong.empty();
    if (in.remaining() > 0) {
      consumers.replaceAll(
          member ->
              new QueueContents.Member(
                  member.consumer(), member.active(), in.integer(), member.rates()));
    }
    if (in.remaining() > 0) {
      consumers.replaceAll(
          member ->
              new QueueContents.Member(
                  member.consumer(),
                  member.active(),
                  member.unacked(),
                  new ConsumerRates.Shown(in.decimal(), in.decimal())));
    }
    QueueTotals recoverable = in.remaining() > 0 ? totals(in) : QueueTotals.NONE;
    return new QueueContents(
        totals,
        scheduled,
        waiting,
        recoverable,
        List.copyOf(consumers),
        capacity,
        lag,
        null,
        oldestAge,
        leaseEndMillis,
        memoryBytes,
        priorities,
        in.remaining() > 0 && in.bit() ? shares(in) : null);
  }

  private static void write(ByteWriter out, PriorityCounts priorities) {
    out.bit(priorities != null);
    if (priorities != null) {
      out.number(priorities.returned()).number(priorities.ready().size());
      priorities.ready().forEach((priority, count) -> out.number(priority).number(count));
    }
  }

  private static PriorityCounts priorities(ByteReader in) {
    long returned = in.number();
    SortedMap<Integer, Long> ready = new TreeMap<>();
    for (int left = in.count(2); left > 0; left--) {
      int priority = in.integer();
      ready.put(priority, in.number());
    }
    return new PriorityCounts(ready, returned);
  }

  private static void write(ByteWriter out, FairShareCounts shares) {
    out.bit(shares != null);
    if (shares != null) {
      out.number(shares.shares()).number(shares.unread()).number(shares.largest().size());
      for (FairShareCounts.Share share : shares.largest()) {
        out.bit(share.value() != null);
        if (share.value() != null) {
          out.text(share.value());
        }
        out.number(share.ready());
      }
    }
  }

  private static FairShareCounts shares(ByteReader in) {
    long shares = in.number();
    long unread = in.number();
    List<FairShareCounts.Share> largest = new ArrayList<>();
    for (int left = in.count(2); left > 0; left--) {
      largest.add(new FairShareCounts.Share(in.bit() ? in.text() : null, in.number()));
    }
    return new FairShareCounts(shares, List.copyOf(largest), unread);
  }

  /** Writes a page of messages. */
  public static void write(ByteWriter out, QueuePage page) {
    MessageCodec messages = new MessageCodec();
    out.signed(page.next()).number(page.ready()).number(page.messages().size());
    for (BrowsedMessage each : page.messages()) {
      out.number(each.position())
          .number(each.sequence())
          .number(each.bodyLength())
          .signed(each.enqueuedAtMillis())
          .signed(each.deadlineMillis())
          .bit(each.redelivered())
          .signed(each.deliveryCount())
          .bit(each.message() != null);
      if (each.message() != null) {
        messages.write(out, each.message());
      }
    }
  }

  /** Reads a page of messages. */
  public static QueuePage readPage(ByteReader in) {
    MessageCodec messages = new MessageCodec();
    long next = in.signed();
    long ready = in.number();
    int count = in.count(8);
    List<BrowsedMessage> page = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long position = in.number();
      long sequence = in.number();
      int bodyLength = in.integer();
      long enqueuedAt = in.signed();
      long deadline = in.signed();
      boolean redelivered = in.bit();
      long deliveries = in.signed();
      page.add(
          new BrowsedMessage(
              position,
              sequence,
              in.bit() ? messages.read(in) : null,
              bodyLength,
              enqueuedAt,
              deadline,
              redelivered,
              deliveries));
    }
    return new QueuePage(List.copyOf(page), next, ready);
  }

  private static void write(ByteWriter out, QueueTotals totals) {
    out.number(totals.ready())
        .number(totals.unacked())
        .number(totals.readyBytes())
        .number(totals.unackedBytes())
        .number(totals.delayed())
        .number(totals.delayedBytes())
        .number(totals.unreadable())
        .number(totals.unreadableBytes())
        .number(totals.persistent())
        .number(totals.persistentBytes());
  }

  private static QueueTotals totals(ByteReader in) {
    return new QueueTotals(
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number(),
        in.number());
  }

  private static void write(ByteWriter out, OptionalLong value) {
    out.bit(value.isPresent());
    if (value.isPresent()) {
      out.signed(value.getAsLong());
    }
  }

  private static OptionalLong optional(ByteReader in) {
    return in.bit() ? OptionalLong.of(in.signed()) : OptionalLong.empty();
  }
}
