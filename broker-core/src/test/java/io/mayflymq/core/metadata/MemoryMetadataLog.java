package io.mayflymq.core.metadata;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Metadata in memory: a command is safe when the test says so, and outlives a crash then. */
public final class MemoryMetadataLog implements MetadataLog {
  private record Pending(List<? extends MetadataCommand> commands, CompletableFuture<Void> safe) {}

  private final Map<List<Object>, MetadataCommand> state = new LinkedHashMap<>();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private Runnable beforeChange = () -> {};
  private Runnable beforeAppend = () -> {};
  private Runnable beforeFailure = () -> {};
  private String refusal;
  private boolean atOnce;
  private long sequence;

  /** In the order of {@link MetadataJournal}: policies are there before what lives by them. */
  @Override
  public List<MetadataCommand> recover() {
    List<MetadataCommand> commands = new ArrayList<>(state.values());
    commands.sort(Comparator.comparing(command -> JournalEntry.of(command).kind()));
    return commands;
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    beforeAppend.run();
    CompletableFuture<Void> safe = new CompletableFuture<>();
    if (refusal != null) {
      safe.completeExceptionally(notKept(refusal));
      return safe;
    }
    pending.add(new Pending(List.copyOf(commands), safe));
    if (atOnce) {
      write();
    }
    return safe;
  }

  /** Makes everything safe. @return whether there was anything */
  public boolean write() {
    boolean any = !pending.isEmpty();
    for (Pending next = pending.poll(); next != null; next = pending.poll()) {
      if (!next.safe.isDone()) {
        beforeChange.run();
        next.commands.forEach(this::apply);
        sequence++;
        next.safe.complete(null);
      }
    }
    return any;
  }

  /** What waits to be safe cannot be written. @return whether there was anything */
  public boolean fail(String why) {
    List<Pending> failed = new ArrayList<>(pending);
    pending.clear();
    beforeFailure.run();
    failed.forEach(each -> each.safe.completeExceptionally(notKept(why)));
    return !failed.isEmpty();
  }

  /** How many changes wait to be safe. */
  public int waiting() {
    return pending.size();
  }

  /** Sets a callback that runs when a write has failed, before the futures complete. */
  public void beforeFailure(Runnable watcher) {
    beforeFailure = watcher;
  }

  /** Refuses whatever comes from now on. */
  public void refuse(String why) {
    refusal = why;
  }

  private static ConnectionException notKept(String why) {
    return new ConnectionException(
        ReplyCode.INTERNAL_ERROR, "the change could not be made durable: " + why);
  }

  @Override
  public String failure() {
    return null;
  }

  /** The number of the last change that is safe. */
  public long sequence() {
    return sequence;
  }

  /** Numbers go on behind this one, as none may be given out twice. */
  public void goOnBehind(long number) {
    sequence = Math.max(sequence, number + 1);
  }

  /** Whether a command is safe as soon as it comes. */
  public void writeAtOnce(boolean now) {
    atOnce = now;
  }

  /** Has this called before each command becomes safe. */
  public void beforeChange(Runnable watcher) {
    beforeChange = watcher;
  }

  /** Has it run before each change is taken; one that throws is a defect of the log. */
  public void beforeAppend(Runnable fault) {
    beforeAppend = fault;
  }

  /** What there is after a crash: nothing of what waited. */
  public MemoryMetadataLog afterCrash() {
    MemoryMetadataLog after = new MemoryMetadataLog();
    after.state.putAll(state);
    after.sequence = sequence;
    return after;
  }

  /** What there is after a crash: some of what waited may have been written. */
  public MemoryMetadataLog afterCrash(Random random) {
    MemoryMetadataLog after = afterCrash();
    int written = random.nextInt(pending.size() + 1);
    pending.stream()
        .limit(written)
        .forEach(
            next -> {
              next.commands.forEach(after::apply);
              after.sequence++;
            });
    return after;
  }

  private void apply(MetadataCommand command) {
    if (command instanceof MetadataCommand.ExchangeDeclared declared) {
      state.put(List.of("exchange", declared.exchange().name()), command);
    } else if (command instanceof MetadataCommand.ExchangeDeleted deleted) {
      state.remove(List.of("exchange", deleted.exchange()));
    } else if (command instanceof MetadataCommand.PolicySet set) {
      state.put(List.of("policy", set.policy().name()), command);
    } else if (command instanceof MetadataCommand.PolicyCleared cleared) {
      state.remove(List.of("policy", cleared.name()));
    } else if (command instanceof MetadataCommand.QueueDeclared declared) {
      state.put(List.of("queue", declared.queue().name()), command);
    } else if (command instanceof MetadataCommand.QueueDeleted deleted) {
      state.remove(List.of("queue", deleted.queue()));
    } else if (command instanceof MetadataCommand.QueueKept kept) {
      state.put(List.of("kept", kept.queue().id()), command);
    } else if (command instanceof MetadataCommand.QueueForgotten forgotten) {
      state.remove(List.of("kept", forgotten.id()));
    } else if (command instanceof MetadataCommand.Bound bound) {
      state.put(List.of("binding", bound.binding()), command);
    } else if (command instanceof MetadataCommand.Unbound unbound) {
      state.remove(List.of("binding", unbound.binding()));
    } else {
      applyAdministrative(command);
    }
  }

  private void applyAdministrative(MetadataCommand command) {
    if (command instanceof MetadataCommand.GlobalParameterSet set) {
      state.put(List.of("parameter", set.name()), command);
    } else if (command instanceof MetadataCommand.ParameterSet set) {
      state.put(List.of("parameter", set.vhost(), set.component(), set.name()), command);
    } else if (command instanceof MetadataCommand.ParameterCleared gone) {
      state.remove(List.of("parameter", gone.vhost(), gone.component(), gone.name()));
    } else if (command instanceof MetadataCommand.UserDeclared declared) {
      state.put(List.of("user", declared.user().name()), command);
    } else if (command instanceof MetadataCommand.VhostDeclared declared) {
      state.put(List.of("vhost", declared.vhost()), command);
    } else if (command instanceof MetadataCommand.PermissionsSet set) {
      state.put(List.of("permissions", set.user(), set.vhost()), command);
    } else if (command instanceof MetadataCommand.VhostDeleted deleted) {
      state.values().removeIf(kept -> deleted.vhost().equals(kept.vhost()));
    } else {
      throw new IllegalArgumentException("not expected here: " + command);
    }
  }

  @Override
  public void close() {
    write();
  }
}
