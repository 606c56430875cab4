package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.protocol.types.FieldTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * How exchanges, queues and bindings are written down: a key that tells one from all others, and a
 * value that begins with the version of its layout. Text is UTF-8 with a length in front (as {@link
 * DataOutputStream#writeUTF} has it), tables are as on the wire.
 */
final class MetadataEntry {
  private static final int VERSION = 1;

  private MetadataEntry() {}

  /** What the keys of all that is in a virtual host begin with. */
  static String keysOf(String vhost) {
    return part(vhost);
  }

  /** The key of an exchange or queue. */
  static String key(String vhost, String name) {
    return part(vhost) + part(name);
  }

  static String key(String vhost, Binding binding) {
    return part(vhost)
        + part(binding.source())
        + part(binding.destinationKind().name())
        + part(binding.destination())
        + part(binding.routingKey())
        + Base64.getEncoder().encodeToString(binding.arguments().encode());
  }

  /** Says where it ends, so that no two lists of parts give the same text. */
  private static String part(String text) {
    return text.length() + ":" + text;
  }

  static byte[] encode(MetadataCommand.ExchangeDeclared declared) {
    ExchangeDefinition exchange = declared.exchange();
    return write(
        out -> {
          out.writeUTF(declared.vhost());
          out.writeUTF(exchange.name());
          out.writeUTF(exchange.type().wireName());
          out.writeBoolean(exchange.autoDelete());
          out.writeBoolean(exchange.internal());
          writeTable(out, exchange.arguments());
        });
  }

  static MetadataCommand.ExchangeDeclared decodeExchange(byte[] value) {
    return read(
        value,
        in -> {
          String vhost = in.readUTF();
          String name = in.readUTF();
          String type = in.readUTF();
          ExchangeType known = ExchangeType.ofWireName(type);
          if (known == null) {
            throw new IOException("exchange '" + name + "' has the unknown type '" + type + "'");
          }
          return new MetadataCommand.ExchangeDeclared(
              vhost,
              new ExchangeDefinition(
                  name, known, true, in.readBoolean(), in.readBoolean(), readTable(in)));
        });
  }

  static byte[] encode(MetadataCommand.QueueDeclared declared) {
    QueueDefinition queue = declared.queue();
    return write(
        out -> {
          out.writeUTF(declared.vhost());
          out.writeUTF(queue.name());
          out.writeBoolean(queue.autoDelete());
          writeTable(out, queue.arguments());
          out.writeLong(declared.id());
          out.writeInt(declared.shard());
        });
  }

  static MetadataCommand.QueueDeclared decodeQueue(byte[] value) {
    return read(
        value,
        in -> {
          String vhost = in.readUTF();
          String name = in.readUTF();
          boolean autoDelete = in.readBoolean();
          QueueArguments.Valid valid = QueueArguments.parse(readTable(in), name, vhost);
          return new MetadataCommand.QueueDeclared(
              vhost,
              new QueueDefinition(name, true, false, autoDelete, valid.table(), valid.settings()),
              in.readLong(),
              in.readInt());
        });
  }

  static byte[] encode(MetadataCommand.Bound bound) {
    Binding binding = bound.binding();
    return write(
        out -> {
          out.writeUTF(bound.vhost());
          out.writeUTF(binding.source());
          out.writeUTF(binding.destinationKind().name());
          out.writeUTF(binding.destination());
          out.writeUTF(binding.routingKey());
          writeTable(out, binding.arguments());
        });
  }

  static MetadataCommand.Bound decodeBinding(byte[] value) {
    return read(
        value,
        in ->
            new MetadataCommand.Bound(
                in.readUTF(),
                new Binding(
                    in.readUTF(),
                    DestinationKind.valueOf(in.readUTF()),
                    in.readUTF(),
                    in.readUTF(),
                    readTable(in))));
  }

  private static void writeTable(DataOutputStream out, FieldTable table) throws IOException {
    byte[] bytes = table.encode();
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static FieldTable readTable(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new IOException("a table of " + length + " bytes is cut after " + bytes.length);
    }
    return FieldTable.decode(bytes, 0, length);
  }

  @FunctionalInterface
  interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  @FunctionalInterface
  interface Reader<T> {
    T read(DataInputStream in) throws IOException;
  }

  static byte[] write(Writer writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      writer.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static <T> T read(byte[] value, Reader<T> reader) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(value))) {
      int version = in.readUnsignedByte();
      if (version != VERSION) {
        throw new IOException("an entry has layout " + version + ", known is " + VERSION);
      }
      return reader.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
