package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.FieldType.TABLE;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.json.TableJson;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * The fields of a binding, each described once, as {@link QueueFields} has those of a queue.
 * Nothing is merged over nodes: all know all bindings.
 */
public final class BindingFields {
  private record Reading(VirtualHost vhost, Binding binding) {}

  private static final List<Field<Reading>> FIELDS =
      List.of(
          of("source", TEXT, each -> each.binding.source()).column("source_name", "", TEXT),
          of("vhost", TEXT, each -> each.vhost.name()),
          of("destination", TEXT, each -> each.binding.destination())
              .column("destination_name", "", TEXT),
          of("destination_type", WORD, each -> each.binding.destinationKind().toString())
              .column("destination_kind", "", WORD),
          of("routing_key", TEXT, each -> each.binding.routingKey()).column(),
          of("arguments", TABLE, each -> TableJson.SHOWN.of(each.binding.arguments())).column(),
          of("properties_key", TEXT, each -> propertiesKey(each.binding)));

  private BindingFields() {}

  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  /** Returns a binding, in lists and alone. */
  public static Map<String, Object> of(VirtualHost vhost, Binding binding) {
    return Field.object(FIELDS, new Reading(vhost, binding), false);
  }

  /** Returns the columns of {@code list_bindings}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }

  /**
   * Returns what tells a binding from others between the same two, in a form that can stand in a
   * path: the routing key, and a digest of the arguments if there are any.
   */
  public static String propertiesKey(Binding binding) {
    if (binding.arguments().isEmpty()) {
      return binding.routingKey().isEmpty() ? "~" : PathNames.quote(binding.routingKey());
    }
    CRC32 digest = new CRC32();
    digest.update(sorted(binding.arguments()).encode());
    byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt((int) digest.getValue()).array();
    return PathNames.quote(binding.routingKey())
        + "~"
        + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static FieldTable sorted(FieldTable arguments) {
    FieldTable.Builder sorted = FieldTable.builder();
    arguments.names().stream().sorted().forEach(name -> sorted.put(name, arguments.get(name)));
    return sorted.build();
  }
}
