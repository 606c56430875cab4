package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.Utf8;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Encodes exchanges, queues, their moves and bindings: a key that distinguishes one from all others
 * in the virtual host, and a value that begins with the version of its layout. Text is UTF-8
 * preceded by a length of 4 bytes, tables are as on the wire. In version 1 most texts were encoded
 * by {@link DataOutputStream#writeUTF}, which is limited to 64 KiB. Version 3 is for what there is
 * only in a cluster, exchanges and queues that are not durable and queues of other members;
 * everything else is written in version 2, which older releases can read. They pass over what
 * follows the parts that they know: the user who declared a queue is at the end of it.
 */
final class MetadataEntry {
  private static final int VERSION_OF_CLUSTERS = 3;
  private static final int VERSION = 2;
  private static final int VERSION_OF_SHORT_TEXTS = 1;

  private MetadataEntry() {}

  static String key(Binding binding) {
    return part(binding.source())
        + part(binding.destinationKind().name())
        + part(binding.destination())
        + part(binding.routingKey())
        + Base64.getEncoder().encodeToString(binding.arguments().encode());
  }

  /**
   * Encodes a part with its length, so that two different lists of parts never give the same text.
   */
  static String part(String text) {
    return text.length() + ":" + text;
  }

  static ByteBuffer encode(MetadataCommand.ExchangeDeclared declared) {
    ExchangeDefinition exchange = declared.exchange();
    return write(
        exchange.durable() ? VERSION : VERSION_OF_CLUSTERS,
        out -> {
          out.text(declared.vhost());
          out.text(exchange.name());
          out.text(exchange.type().wireName());
          out.writeBoolean(exchange.autoDelete());
          out.writeBoolean(exchange.internal());
          out.table(exchange.arguments());
          if (!exchange.durable()) {
            out.writeBoolean(false);
          }
        });
  }

  static MetadataCommand.ExchangeDeclared decodeExchange(ByteBuffer value) {
    return read(
        value,
        in -> {
          String vhost = in.text();
          String name = in.text();
          String type = in.text();
          ExchangeType known = ExchangeType.ofWireName(type);
          if (known == null) {
            throw new IOException("exchange '" + name + "' has the unknown type '" + type + "'");
          }
          boolean autoDelete = in.readBoolean();
          boolean internal = in.readBoolean();
          FieldTable arguments = in.table();
          boolean durable = !in.isOfCluster() || in.readBoolean();
          return new MetadataCommand.ExchangeDeclared(
              vhost, new ExchangeDefinition(name, known, durable, autoDelete, internal, arguments));
        });
  }

  static ByteBuffer encode(MetadataCommand.QueueDeclared declared) {
    QueueDefinition queue = declared.queue();
    boolean ofCluster = !queue.durable() || declared.place().member() != QueuePlace.FIRST_MEMBER;
    return write(
        ofCluster ? VERSION_OF_CLUSTERS : VERSION,
        out -> {
          out.text(declared.vhost());
          out.text(queue.name());
          out.writeBoolean(queue.autoDelete());
          out.table(queue.arguments());
          out.writeLong(declared.id());
          out.writeInt(declared.place().partition());
          if (ofCluster) {
            out.writeBoolean(queue.durable());
            out.writeBoolean(queue.exclusive());
            out.writeInt(declared.place().member());
          }
          if (queue.declaredBy() != null) {
            out.text(queue.declaredBy());
          }
        });
  }

  static MetadataCommand.QueueDeclared decodeQueue(ByteBuffer value) {
    return read(
        value,
        in -> {
          String vhost = in.text();
          String name = in.text();
          boolean autoDelete = in.readBoolean();
          QueueArguments.Valid valid = QueueArguments.parse(in.table(), name, vhost);
          long id = in.readLong();
          int partition = in.readInt();
          boolean durable = !in.isOfCluster() || in.readBoolean();
          boolean exclusive = in.isOfCluster() && in.readBoolean();
          int member = in.isOfCluster() ? in.readInt() : QueuePlace.FIRST_MEMBER;
          String declaredBy = in.available() > 0 ? in.text() : null;
          return new MetadataCommand.QueueDeclared(
              vhost,
              new QueueDefinition(
                  name,
                  durable,
                  exclusive,
                  autoDelete,
                  valid.table(),
                  valid.settings(),
                  declaredBy),
              id,
              new QueuePlace(member, partition));
        });
  }

  static ByteBuffer encode(MetadataCommand.QueueMoving moving) {
    return write(
        out -> {
          out.text(moving.vhost());
          out.text(moving.queue());
          out.writeInt(moving.to().member());
          out.writeInt(moving.to().partition());
          out.writeLong(moving.copyId());
        });
  }

  static MetadataCommand.QueueMoving decodeMove(ByteBuffer value) {
    return read(
        value,
        in ->
            new MetadataCommand.QueueMoving(
                in.text(), in.text(), new QueuePlace(in.readInt(), in.readInt()), in.readLong()));
  }

  static ByteBuffer encode(MetadataCommand.QueueKept kept) {
    return write(
        out -> {
          out.entry(encode(kept.queue()));
          out.writeInt(kept.bindings().size());
          for (Binding binding : kept.bindings()) {
            out.entry(encode(new MetadataCommand.Bound(kept.vhost(), binding)));
          }
          out.writeInt(kept.lostBindings());
          out.writeLong(kept.deletedAtMillis());
          out.text(kept.deletedBy());
        });
  }

  static MetadataCommand.QueueKept decodeKept(ByteBuffer value) {
    return read(
        value,
        in -> {
          MetadataCommand.QueueDeclared queue = decodeQueue(in.entry());
          List<Binding> bindings = new ArrayList<>();
          for (int left = in.readInt(); left > 0; left--) {
            bindings.add(decodeBinding(in.entry()).binding());
          }
          return new MetadataCommand.QueueKept(
              queue, List.copyOf(bindings), in.readInt(), in.readLong(), in.text());
        });
  }

  static ByteBuffer encode(MetadataCommand.Bound bound) {
    Binding binding = bound.binding();
    return write(
        out -> {
          out.text(bound.vhost());
          out.text(binding.source());
          out.text(binding.destinationKind().name());
          out.text(binding.destination());
          out.text(binding.routingKey());
          out.table(binding.arguments());
        });
  }

  static MetadataCommand.Bound decodeBinding(ByteBuffer value) {
    return read(
        value,
        in ->
            new MetadataCommand.Bound(
                in.text(),
                new Binding(
                    in.text(),
                    DestinationKind.valueOf(in.text()),
                    in.text(),
                    in.text(),
                    in.table())));
  }

  @FunctionalInterface
  interface Writer {
    void write(Output out) throws IOException;
  }

  @FunctionalInterface
  interface Reader<T> {
    T read(Input in) throws IOException;
  }

  /** Writes texts and tables. */
  static final class Output extends DataOutputStream {
    private Output(ByteArrayOutputStream bytes) {
      super(bytes);
    }

    void text(String text) throws IOException {
      bytes(Utf8.encode(text));
    }

    void texts(List<String> texts) throws IOException {
      writeInt(texts.size());
      for (String text : texts) {
        text(text);
      }
    }

    void table(FieldTable table) throws IOException {
      bytes(table.encode());
    }

    /** Writes another entry within this one. */
    void entry(ByteBuffer entry) throws IOException {
      byte[] encoded = new byte[entry.remaining()];
      entry.duplicate().get(encoded);
      bytes(encoded);
    }

    private void bytes(byte[] bytes) throws IOException {
      writeInt(bytes.length);
      write(bytes);
    }
  }

  /** Reads texts and tables, in either version. */
  static final class Input extends DataInputStream {
    private final int version;

    private Input(ByteBuffer value) throws IOException {
      super(
          new ByteArrayInputStream(
              value.array(), value.arrayOffset() + value.position(), value.remaining()));
      this.version = readUnsignedByte();
      if (version < VERSION_OF_SHORT_TEXTS || version > VERSION_OF_CLUSTERS) {
        throw new IOException(
            "an entry has layout " + version + ", known is " + VERSION_OF_CLUSTERS);
      }
    }

    boolean isOfCluster() {
      return version == VERSION_OF_CLUSTERS;
    }

    String text() throws IOException {
      return version == VERSION_OF_SHORT_TEXTS ? readUTF() : longText();
    }

    /** Reads a text that was not short in version 1 either. */
    String longText() throws IOException {
      byte[] bytes = bytes("text");
      return Utf8.decode(bytes, 0, bytes.length);
    }

    List<String> texts() throws IOException {
      List<String> texts = new ArrayList<>();
      for (int left = readInt(); left > 0; left--) {
        texts.add(text());
      }
      return texts;
    }

    FieldTable table() throws IOException {
      byte[] bytes = bytes("table");
      return FieldTable.decode(bytes, 0, bytes.length);
    }

    ByteBuffer entry() throws IOException {
      return ByteBuffer.wrap(bytes("entry"));
    }

    private byte[] bytes(String what) throws IOException {
      int length = readInt();
      byte[] bytes = readNBytes(length);
      if (bytes.length < length) {
        throw new IOException(
            "a %s of %d bytes is cut after %d".formatted(what, length, bytes.length));
      }
      return bytes;
    }
  }

  static ByteBuffer write(Writer writer) {
    return write(VERSION, writer);
  }

  private static ByteBuffer write(int version, Writer writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Output out = new Output(bytes)) {
      out.writeByte(version);
      writer.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  static <T> T read(ByteBuffer value, Reader<T> reader) {
    try (Input in = new Input(value)) {
      return reader.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
