package io.mayflymq.server.alarm;

import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The memory that is held for clients: for what they have begun and not finished, which are
 * transactions that are not committed and messages that have not arrived completely; and for what
 * they keep open, which are connections, channels and consumers. No consumer can free it, and
 * neither can the disk, so an alarm that it raised would stay until the client goes on.
 *
 * <p>All of it together is limited. When the limit is exceeded, the clients of the virtual host
 * that hold the most give up, the connection that holds the most first, also if another one has
 * exceeded it: so a tenant that holds little goes on. What is not finished is also given up before
 * a memory alarm, if it is a considerable part of the memory; what is open is not, as consumers end
 * an alarm.
 *
 * <p>Each connection counts on its loop and tells the sum at the end of a read, or sooner if it is
 * much.
 */
public final class ClientMemory {
  /** A connection does not wait for the end of a read with such a change. */
  private static final long MUCH = 1 << 20;

  /** The part of the limit that is worth freeing before an alarm. */
  private static final int CONSIDERABLE_PART = 4;

  /** The part of the limit that is left for what is not finished when no more can be opened. */
  private static final int PART_FREE_OF_OPEN = 16;

  /** What clients may be asked to give up. */
  public enum Part {
    /** What they have begun and not finished. */
    UNFINISHED,
    /** That, and what they keep open. */
    ALL
  }

  /** Holds memory for a client. Any thread may call. */
  public interface Holder {
    /**
     * Gives up what takes the most memory, soon, as long as all clients hold more than so many
     * bytes and this one holds any.
     */
    void giveUpLargest(Part part, long most);

    /** Returns how many bytes wait to be written to the client. */
    long queuedBytes();
  }

  private final LongSupplier limit;
  private final Map<String, Tenant> tenants = new ConcurrentHashMap<>();
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong unfinished = new AtomicLong();
  private final LongAdder givenUp = new LongAdder();

  /** Those that give something up at the moment. */
  private final Collection<Account> asked = ConcurrentHashMap.newKeySet();

  /** The clients of a virtual host. */
  private final class Tenant {
    private final Collection<Account> accounts = ConcurrentHashMap.newKeySet();
    private final AtomicLong told = new AtomicLong();
    private final AtomicLong unfinished = new AtomicLong();

    long told(Part part) {
      return part == Part.ALL ? told.get() : unfinished.get();
    }

    long open() {
      return told.get() - unfinished.get();
    }

    /** Returns how much of that is about to be given up. */
    long asked(Part part) {
      return asked.stream()
          .filter(account -> account.tenant == this)
          .mapToLong(account -> account.told(part))
          .sum();
    }
  }

  /**
   * @param limit returns how many bytes may be held
   */
  public ClientMemory(LongSupplier limit) {
    this.limit = limit;
  }

  /**
   * Opens the account of a connection.
   *
   * @param vhost the name of its virtual host
   */
  public Account open(String vhost, Holder holder) {
    Account[] opened = new Account[1];
    tenants.compute(
        vhost,
        (name, known) -> {
          opened[0] = new Account(holder, vhost, known == null ? new Tenant() : known);
          return opened[0].tenant;
        });
    return opened[0];
  }

  /** Returns how many bytes may be held. Any thread may call. */
  public long limit() {
    return limit.getAsLong();
  }

  /** Returns how many bytes are held. Any thread may call. */
  public long total() {
    return total(Part.ALL);
  }

  /** Returns how many bytes of a part are held. Any thread may call. */
  public long total(Part part) {
    return part == Part.ALL ? total.get() : unfinished.get();
  }

  /** Returns whether more is held than may be. Any thread may call. */
  public boolean isOver() {
    return total() > limit();
  }

  /**
   * Returns why the clients of a virtual host may keep no more open, in a few words; null if they
   * may. They may not when what is open takes nearly all that may be held, and that of none takes
   * more than theirs: so nothing that is open has to be given up for it. Any thread may call.
   */
  public String shortageFor(String vhost) {
    long most = limit() - limit() / PART_FREE_OF_OPEN;
    if (total() - total(Part.UNFINISHED) < most) {
      return null;
    }
    Tenant own = tenants.get(vhost);
    long open = own == null ? 0 : own.open();
    return tenants.values().stream().anyMatch(other -> other.open() > open)
        ? null
        : "all clients keep more than %d bytes open, and those of vhost '%s' the most"
            .formatted(most, vhost);
  }

  /** Returns why something is given up, in a few words. Any thread may call. */
  public String excess() {
    return "all clients hold more than %d bytes".formatted(limit());
  }

  /** Returns how often a client had to give up. Any thread may call. */
  public long givenUpCount() {
    return givenUp.sum();
  }

  /** Returns the memory of the clients of each virtual host that has any. Any thread may call. */
  public Map<String, Long> byVhost() {
    return tenants.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                tenant -> tenant.getValue().accounts.stream().mapToLong(Account::memory).sum()));
  }

  /**
   * Has the client that holds the most give up what it has not finished, if that of all is a
   * considerable part of the memory; called when memory is low. Any thread may call.
   *
   * @return whether one gives up
   */
  public boolean relieve() {
    return askLargest(Part.UNFINISHED, limit() / CONSIDERABLE_PART);
  }

  /** Asks those that hold the most to give up, until what is left is not above these bytes. */
  private synchronized boolean askLargest(Part part, long most) {
    long left = total(part) - asked.stream().mapToLong(account -> account.told(part)).sum();
    boolean any = false;
    while (left > most) {
      Tenant tenant = largest(tenants.values(), each -> each.told(part) - each.asked(part));
      Account account =
          tenant == null
              ? null
              : largest(tenant.accounts, each -> asked.contains(each) ? 0 : each.told(part));
      if (account == null) {
        return any;
      }
      asked.add(account);
      left -= account.told(part);
      any = true;
      account.holder.giveUpLargest(part, most);
    }
    return any;
  }

  /** Returns the one that holds the most; null if none holds any. */
  private static <T> T largest(Collection<T> holders, ToLongFunction<T> held) {
    return holders.stream()
        .filter(holder -> held.applyAsLong(holder) > 0)
        .max(Comparator.comparingLong(held))
        .orElse(null);
  }

  /** The memory of one connection. Used on its loop, unless a method says otherwise. */
  public final class Account {
    private final Holder holder;
    private final String vhost;
    private final Tenant tenant;
    private long sum;
    private long sumUnfinished;

    /** What others see of the sums. */
    private volatile long told;

    private volatile long toldUnfinished;

    private Account(Holder holder, String vhost, Tenant tenant) {
      this.holder = holder;
      this.vhost = vhost;
      this.tenant = tenant;
      tenant.accounts.add(this);
    }

    private long told(Part part) {
      return part == Part.ALL ? told : toldUnfinished;
    }

    /** Adds so many bytes that are held for something unfinished, or subtracts them. */
    public void add(long bytes) {
      sumUnfinished += bytes;
      keep(bytes);
    }

    /** Adds so many bytes that are held for something open, or subtracts them. */
    public void keep(long bytes) {
      sum += bytes;
      if (Math.abs(sum - told) >= MUCH) {
        tell();
      }
    }

    /** Tells others what is held; at the end of a read. */
    public void tell() {
      long change = sum - told;
      long changeUnfinished = sumUnfinished - toldUnfinished;
      if (change == 0 && changeUnfinished == 0) {
        return;
      }
      told = sum;
      toldUnfinished = sumUnfinished;
      tenant.told.addAndGet(change);
      tenant.unfinished.addAndGet(changeUnfinished);
      unfinished.addAndGet(changeUnfinished);
      total.addAndGet(change);
      if (change > 0 && isOver()) {
        askLargest(Part.ALL, limit());
      }
    }

    /** Notes that its client had to give up something. */
    public void gaveUp() {
      tell();
      givenUp.increment();
    }

    /** Notes that its client gives up no more for now; it can be asked again. */
    public void endGivingUp() {
      asked.remove(this);
    }

    /** Returns what is held, and what waits to be written, in bytes. Any thread may call. */
    public long memory() {
      return told + holder.queuedBytes();
    }

    /** Closes it; what is held counts no more. */
    public void close() {
      add(-sumUnfinished);
      keep(-sum);
      tell();
      asked.remove(this);
      tenants.computeIfPresent(
          vhost,
          (name, known) -> {
            known.accounts.remove(this);
            return known.accounts.isEmpty() ? null : known;
          });
    }
  }
}
