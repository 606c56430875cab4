package io.mayflymq.server.alarm;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/*
 * The memory that is held for what clients have begun and not finished: transactions that are not committed, and messages that have not arrived completely. No consumer can
 * free it, and neither can the disk, so an alarm that it raised would stay until the client goes on.
 *
 * All of it together is limited. When the limit is exceeded, the connection that holds the most closes its largest channel, even if another connection has exceeded it: so
 * one that holds little goes on. The same is done before a memory alarm, if it is a considerable part of the memory.
 *
 * Each connection counts on its loop and tells the sum at the end of a read, or sooner if it is much.
 */
public final class ClientMemory {
  /** A connection does not wait for the end of a read with such a change. */
  private static final long MUCH = 1 << 20;

  /** The part of the limit that is worth freeing before an alarm. */
  private static final int CONSIDERABLE_PART = 4;

  /** Holds memory for a client. Any thread may call. */
  public interface Holder {
    /**
     * Gives up what takes the most memory, soon, as long as all clients hold more than so many
     * bytes and this one holds any.
     */
    void giveUpLargest(long most);

    /** Returns how many bytes wait to be written to the client. */
    long queuedBytes();
  }

  private final LongSupplier limit;
  private final Collection<Account> accounts = ConcurrentHashMap.newKeySet();
  private final AtomicLong total = new AtomicLong();
  private final LongAdder givenUp = new LongAdder();

  /**
   * @param limit returns how many bytes may be held
   */
  public ClientMemory(LongSupplier limit) {
    this.limit = limit;
  }

  /** Opens the account of a connection. */
  public Account open(Holder holder) {
    Account account = new Account(holder);
    accounts.add(account);
    return account;
  }

  /** Returns how many bytes may be held. Any thread may call. */
  public long limit() {
    return limit.getAsLong();
  }

  /** Returns how many bytes are held. Any thread may call. */
  public long total() {
    return total.get();
  }

  /** Returns whether more is held than may be. Any thread may call. */
  public boolean isOver() {
    return total.get() > limit();
  }

  /** Returns how often a client had to give up. Any thread may call. */
  public long givenUpCount() {
    return givenUp.sum();
  }

  /** Returns the memory of the clients of each virtual host. Any thread may call. */
  public Map<String, Long> byVhost() {
    return accounts.stream()
        .filter(account -> account.vhost != null)
        .collect(
            Collectors.groupingBy(
                account -> account.vhost, Collectors.summingLong(Account::memory)));
  }

  /**
   * Has the client that holds the most give up, if that is a considerable part of the memory;
   * called when memory is low. Any thread may call.
   *
   * @return whether one gives up
   */
  public boolean relieve() {
    return askLargest(limit() / CONSIDERABLE_PART);
  }

  /** Asks those that hold the most to give up, until what is left is not above these bytes. */
  private synchronized boolean askLargest(long most) {
    long left = total.get();
    for (Account account : accounts) {
      left -= account.asked ? account.told : 0;
    }
    boolean any = false;
    while (left > most) {
      Account largest = null;
      for (Account account : accounts) {
        if (!account.asked && (largest == null || account.told > largest.told)) {
          largest = account;
        }
      }
      if (largest == null || largest.told == 0) {
        return any;
      }
      largest.asked = true;
      left -= largest.told;
      any = true;
      largest.holder.giveUpLargest(most);
    }
    return any;
  }

  /** The memory of one connection. Used on its loop, unless a method says otherwise. */
  public final class Account {
    private final Holder holder;
    private long sum;
    private long untold;

    /** What others see of the sum. */
    private volatile long told;

    private volatile boolean asked;
    private volatile String vhost;

    private Account(Holder holder) {
      this.holder = holder;
    }

    /** Sets the name of its virtual host. */
    public void setVhost(String name) {
      vhost = name;
    }

    /** Adds so many bytes that are held, or subtracts them. */
    public void add(long bytes) {
      untold += bytes;
      if (Math.abs(untold) >= MUCH) {
        tell();
      }
    }

    /** Tells others what is held; at the end of a read. */
    public void tell() {
      if (untold == 0) {
        return;
      }
      long change = untold;
      untold = 0;
      sum += change;
      told = sum;
      total.addAndGet(change);
      if (change > 0 && isOver()) {
        askLargest(limit());
      }
    }

    /** Notes that its client had to give up something. */
    public void gaveUp() {
      tell();
      givenUp.increment();
    }

    /** Notes that its client gives up no more for now; it can be asked again. */
    public void endGivingUp() {
      asked = false;
    }

    /** Returns what is held, and what waits to be written, in bytes. Any thread may call. */
    public long memory() {
      return told + holder.queuedBytes();
    }

    /** Closes it; what is held counts no more. */
    public void close() {
      tell();
      accounts.remove(this);
      total.addAndGet(-sum);
    }
  }
}
