package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes metadata for messages that have none.
 *
 * <p>Declares queues anew of which only the messages are left, so that these can be consumed.
 *
 * <p>Such a queue gets the name that the log tells, in its virtual host, which is made if it is not
 * there. It is durable and has no arguments and no bindings but that to the default exchange; a
 * stream is a stream. Where no name is known it is called orphan-ID, in the default virtual host;
 * where another queue has the name, as one of older metadata may, it is called NAME.orphan-ID.
 *
 * <p>That is metadata only: a start that finds them in the log finds the messages as it does for
 * any queue.
 */
public final class OrphanAdoption {
  private static final Logger LOGGER = LoggerFactory.getLogger(OrphanAdoption.class);

  private final String defaultVhost;
  private final Set<String> vhosts = new HashSet<>();
  private final Set<QueueName> names = new HashSet<>();
  private final List<MetadataCommand> commands = new ArrayList<>();

  private OrphanAdoption(String defaultVhost) {
    this.defaultVhost = defaultVhost;
  }

  /**
   * The changes of metadata that adopt orphans; each is named in the log with a warning.
   *
   * @param kept what metadata have
   * @param defaultVhost the virtual host for those whose name is not known
   * @return the changes, to be made as one before {@link Broker#recover}, which needs them too
   */
  public static List<MetadataCommand> of(
      List<OrphanedQueue> orphans, List<MetadataCommand> kept, String defaultVhost) {
    OrphanAdoption adoption = new OrphanAdoption(defaultVhost);
    kept.forEach(adoption::note);
    orphans.forEach(adoption::adopt);
    return List.copyOf(adoption.commands);
  }

  private void note(MetadataCommand command) {
    if (command instanceof VhostDeclared declared) {
      vhosts.add(declared.vhost());
    } else if (command instanceof QueueDeclared declared) {
      names.add(new QueueName(declared.vhost(), declared.queue().name()));
    }
  }

  private void adopt(OrphanedQueue orphan) {
    QueueName name = nameFor(orphan);
    names.add(name);
    if (vhosts.add(name.vhost())) {
      commands.add(new VhostDeclared(VhostDefinition.of(name.vhost())));
    }
    FieldTable arguments =
        orphan.stream()
            ? FieldTable.EMPTY.with(QueueType.ARGUMENT, FieldValue.of(QueueType.STREAM.wireName()))
            : FieldTable.EMPTY;
    QueueDefinition definition =
        new QueueDefinition(
            name.name(),
            true,
            false,
            false,
            arguments,
            QueueArguments.parse(arguments, name.name(), name.vhost()).settings());
    commands.add(
        new QueueDeclared(name.vhost(), definition, orphan.id(), QueuePlace.alone(orphan.shard())));
    LOGGER.warn("{} was not in metadata: it is declared anew as {}", orphan, name);
  }

  private QueueName nameFor(OrphanedQueue orphan) {
    QueueName name = orphan.name();
    if (name != null && !names.contains(name)) {
      return name;
    }
    String suffix = "orphan-" + orphan.id();
    if (name == null) {
      return new QueueName(defaultVhost, suffix);
    }
    String longer = name.name() + "." + suffix;
    boolean fits = longer.getBytes(StandardCharsets.UTF_8).length <= ShortString.MAX_BYTES;
    return new QueueName(name.vhost(), fits ? longer : suffix);
  }
}
