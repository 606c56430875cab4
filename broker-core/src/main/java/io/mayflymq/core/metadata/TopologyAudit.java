package io.mayflymq.core.metadata;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.protocol.types.ErlangText;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs which client, or which timer of the broker, has created or deleted an exchange, queue or
 * binding: the audit category. Deletions of what is durable have level info, as they may lose
 * messages, and so have changes of a queue by a declaration; everything else has level debug, as
 * applications do it all the time. Any thread may call.
 */
public final class TopologyAudit implements BrokerEvents {
  private static final Logger LOGGER = LoggerFactory.getLogger("audit");

  private final BrokerEvents next;

  /**
   * Creates a log.
   *
   * @param next receives the events, too
   */
  public TopologyAudit(BrokerEvents next) {
    this.next = next;
  }

  @Override
  public void happened(BrokerEvent event) {
    if (event instanceof TopologyEvent change) {
      Level level = isLasting(change) ? Level.INFO : Level.DEBUG;
      if (LOGGER.isEnabledForLevel(level)) {
        LOGGER
            .atLevel(level)
            .log(
                "{} in vhost '{}': {}, by {}",
                change.name(),
                change.vhost(),
                subject(change),
                change.actor().inWords());
      }
    }
    next.happened(event);
  }

  private static boolean isLasting(TopologyEvent event) {
    return event instanceof TopologyEvent.QueueAdopted
        || (event instanceof TopologyEvent.QueueDeleted deleted
            && deleted.queue().durable()
            && !deleted.queue().exclusive());
  }

  private static String subject(TopologyEvent event) {
    if (event instanceof TopologyEvent.QueueCreated created) {
      return "queue '%s'".formatted(created.queue().name());
    } else if (event instanceof TopologyEvent.QueueDeleted deleted) {
      return "queue '%s'".formatted(deleted.queue().name());
    } else if (event instanceof TopologyEvent.QueueAdopted adopted) {
      return "queue '%s' has the arguments %s and had %s"
          .formatted(
              adopted.queue().name(), text(adopted.queue().arguments()), text(adopted.before()));
    } else if (event instanceof TopologyEvent.QueueKept kept) {
      return "queue '%s' keeps %s"
          .formatted(kept.queue().name(), String.join(", ", kept.differing()));
    } else if (event instanceof TopologyEvent.ExchangeCreated created) {
      return "exchange '%s'".formatted(created.exchange().name());
    } else if (event instanceof TopologyEvent.ExchangeDeleted deleted) {
      return "exchange '%s'".formatted(deleted.exchange());
    } else if (event instanceof TopologyEvent.BindingCreated created) {
      return text(created.binding());
    }
    return text(((TopologyEvent.BindingDeleted) event).binding());
  }

  /** Returns arguments such as {@code {x-max-length: 5, x-overflow: 'reject-publish'}}. */
  private static String text(FieldTable arguments) {
    StringJoiner fields = new StringJoiner(", ", "{", "}");
    arguments.forEach((name, value) -> fields.add(name + ": " + text(value)));
    return fields.toString();
  }

  private static String text(FieldValue value) {
    if (value instanceof FieldValue.LongString text) {
      return "'" + text.string() + "'";
    } else if (value instanceof FieldValue.Table table) {
      return text(table.table());
    } else if (value instanceof FieldValue.Array array) {
      return array.values().stream()
          .map(TopologyAudit::text)
          .collect(Collectors.joining(", ", "[", "]"));
    } else if (value instanceof FieldValue.Float64 number) {
      return Double.toString(number.value());
    } else if (value instanceof FieldValue.Float32 number) {
      return Float.toString(number.value());
    } else if (value instanceof FieldValue.Timestamp time) {
      return Long.toString(time.seconds());
    } else if (value instanceof FieldValue.Decimal) {
      return value.rabbitTypeName();
    }
    return ErlangText.of(value);
  }

  private static String text(Binding binding) {
    return "from exchange '%s' to %s '%s' with key '%s'"
        .formatted(
            binding.source(),
            binding.destinationKind(),
            binding.destination(),
            binding.routingKey());
  }
}
