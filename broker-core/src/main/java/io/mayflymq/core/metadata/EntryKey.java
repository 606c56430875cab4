package io.mayflymq.core.metadata;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Base64;

/** Reads the key of an entry: parts with their lengths ({@link MetadataEntry#part}), and a rest. */
final class EntryKey {
  private final String key;
  private int position;

  EntryKey(String key) {
    this.key = key;
  }

  /**
   * Returns the next part.
   *
   * @throws MetadataException if there is none
   */
  String part() {
    try {
      int colon = key.indexOf(':', position);
      int end = colon + 1 + Integer.parseInt(key.substring(position, colon));
      String part = key.substring(colon + 1, end);
      position = end;
      return part;
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new MetadataException("a key is damaged: " + key, e);
    }
  }

  /** Returns all behind the parts that were read. */
  String rest() {
    return key.substring(position);
  }

  /** Returns the binding of which {@link MetadataEntry#key} made this key. */
  Binding binding() {
    String source = part();
    DestinationKind kind = DestinationKind.valueOf(part());
    String destination = part();
    String routingKey = part();
    byte[] arguments = Base64.getDecoder().decode(rest());
    return new Binding(
        source, kind, destination, routingKey, FieldTable.decode(arguments, 0, arguments.length));
  }
}
