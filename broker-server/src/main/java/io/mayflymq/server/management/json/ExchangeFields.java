package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.Field.Shown.ALONE;
import static io.mayflymq.server.management.json.FieldType.FLAG;
import static io.mayflymq.server.management.json.FieldType.OTHER;
import static io.mayflymq.server.management.json.FieldType.TABLE;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.TableJson;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fields of an exchange, each described once, as {@link QueueFields} has those of a queue. All
 * nodes have all exchanges; what is {@link Field#summed} is the sum of what each has counted.
 */
public final class ExchangeFields {
  private static final String BROKERS_OWN = "rmq-internal";

  /** An exchange as its fields are read. */
  private record Reading(VirtualHost vhost, ExchangeDefinition exchange, History history) {
    Object statistics() {
      return Statistics.ofExchange(vhost.metrics().exchanges().of(exchange.name()), history);
    }

    Object policy() {
      Policy policy =
          vhost
              .policies()
              .table()
              .applying(PolicyKind.POLICY, PolicySubject.exchange(exchange.name()));
      return policy == null ? null : policy.name();
    }

    Object user() {
      return exchange.isDefault() || exchange.name().startsWith("amq.") ? BROKERS_OWN : null;
    }
  }

  private static final List<Field<Reading>> FIELDS =
      List.of(
          of("arguments", TABLE, each -> TableJson.SHOWN.of(each.exchange.arguments())).column(),
          of("auto_delete", FLAG, each -> each.exchange.autoDelete()).column(),
          of("durable", FLAG, each -> each.exchange.durable()).column(),
          of("internal", FLAG, each -> each.exchange.internal()).column(),
          of("message_stats", OTHER, Reading::statistics).summed(),
          of("name", TEXT, each -> each.exchange.name()).column(),
          of("policy", TEXT, Reading::policy).column(),
          of("type", WORD, each -> each.exchange.type().wireName()).column(),
          of("user_who_performed_action", TEXT, Reading::user),
          of("vhost", TEXT, each -> each.vhost.name()),
          // By channel and by queue nothing is counted; RabbitMQ leaves these empty unless asked.
          of("incoming", OTHER, each -> List.of()).in(ALONE),
          of("outgoing", OTHER, each -> List.of()).in(ALONE));

  private static final List<Field<Reading>> LISTED = Field.listed(FIELDS);
  private static final List<Field<Reading>> SUMMED = Field.summed(FIELDS);

  private ExchangeFields() {}

  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  /** Returns an exchange as it is shown in lists, with what this node has counted. */
  public static Map<String, Object> listed(
      VirtualHost vhost, ExchangeDefinition exchange, History history) {
    return Field.object(LISTED, new Reading(vhost, exchange, history), false);
  }

  /** Returns a single exchange, with what this node has counted. */
  public static Map<String, Object> alone(
      VirtualHost vhost, ExchangeDefinition exchange, History history) {
    return Field.object(FIELDS, new Reading(vhost, exchange, history), true);
  }

  /** Returns what this node has counted; empty if that is nothing. */
  public static Map<String, Object> counted(
      VirtualHost vhost, ExchangeDefinition exchange, History history) {
    return Field.object(SUMMED, new Reading(vhost, exchange, history), false);
  }

  /** Returns the columns of {@code list_exchanges}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }
}
