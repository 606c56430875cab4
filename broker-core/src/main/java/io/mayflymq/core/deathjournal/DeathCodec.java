package io.mayflymq.core.deathjournal;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Encodes deaths for files: the length of the fields (4), their CRC32C (4), the fields of the
 * record in their order, the last one only if an operator did something. A text is UTF-8 with its
 * length in front (4), -1 for none.
 */
final class DeathCodec {
  /** Bytes in front of the fields. */
  static final int HEADER = 2 * Integer.BYTES;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CRC32C crc = new CRC32C();

  /** Returns a death as it is in a file. */
  byte[] encode(DeathRecord death) {
    bytes.reset();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(0);
      out.writeLong(death.timeMillis());
      write(out, death.vhost());
      write(out, death.queue());
      out.writeBoolean(death.message() != null);
      if (death.message() != null) {
        write(out, death.message().messageId());
        write(out, death.message().exchange());
        write(out, death.message().routingKey());
      }
      write(out, death.cause() == null ? null : death.cause().name());
      out.writeLong(death.deadlineMillis());
      write(out, death.fate() == null ? null : death.fate().name());
      write(out, death.deadLetterExchange());
      write(out, death.routingKeys());
      write(out, death.targets());
      if (death.removal() != null) {
        write(out, death.removal().kind().name());
        write(out, death.removal().user());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] encoded = bytes.toByteArray();
    crc.reset();
    crc.update(encoded, HEADER, encoded.length - HEADER);
    ByteBuffer.wrap(encoded).putInt(encoded.length - HEADER).putInt((int) crc.getValue());
    return encoded;
  }

  private static void write(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8 == null ? -1 : utf8.length);
    if (utf8 != null) {
      out.write(utf8);
    }
  }

  private static void write(DataOutputStream out, List<String> texts) throws IOException {
    out.writeByte(texts.size());
    for (String text : texts) {
      write(out, text);
    }
  }

  /** Returns where the records are that are whole and follow each other from a place on. */
  List<Integer> places(ByteBuffer file, int from) {
    List<Integer> places = new ArrayList<>();
    int at = from;
    int length = lengthAt(file, at);
    while (length >= 0) {
      places.add(at);
      at += HEADER + length;
      length = lengthAt(file, at);
    }
    return places;
  }

  /** Returns the length of the fields of the record at a place; -1 if there is none. */
  int lengthAt(ByteBuffer file, int at) {
    if (file.limit() - at < HEADER) {
      return -1;
    }
    int length = file.getInt(at);
    if (length <= 0 || length > file.limit() - at - HEADER) {
      return -1;
    }
    crc.reset();
    crc.update(file.slice(at + HEADER, length));
    return (int) crc.getValue() == file.getInt(at + Integer.BYTES) ? length : -1;
  }

  /** Returns the record at a place; null if a later release has written it, with other words. */
  static DeathRecord decode(ByteBuffer file, int at) {
    int offset = file.arrayOffset() + at + HEADER;
    try (DataInputStream in =
        new DataInputStream(new ByteArrayInputStream(file.array(), offset, file.getInt(at)))) {
      return read(in);
    } catch (IOException e) {
      return null;
    }
  }

  private static DeathRecord read(DataInputStream in) throws IOException {
    long time = in.readLong();
    String vhost = text(in);
    String queue = text(in);
    DeathRecord.Identity message =
        in.readBoolean() ? new DeathRecord.Identity(text(in), text(in), text(in)) : null;
    String trigger = text(in);
    DropTrigger cause = trigger == null ? null : constant(DropTrigger.values(), trigger);
    long deadline = in.readLong();
    String outcome = text(in);
    DropOutcome fate = outcome == null ? null : constant(DropOutcome.values(), outcome);
    String exchange = text(in);
    List<String> routingKeys = texts(in);
    List<String> targets = texts(in);
    DeathRecord.Removal removal =
        cause == null
            ? new DeathRecord.Removal(
                constant(DeathRecord.Removal.Kind.values(), text(in)), text(in))
            : null;
    return new DeathRecord(
        time,
        vhost,
        queue,
        message,
        cause,
        deadline,
        fate,
        exchange,
        routingKeys,
        targets,
        removal);
  }

  private static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length < 0 ? null : new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  private static List<String> texts(DataInputStream in) throws IOException {
    int count = in.readUnsignedByte();
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(text(in));
    }
    return List.copyOf(texts);
  }

  private static <E extends Enum<E>> E constant(E[] known, String name) throws IOException {
    for (E each : known) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw new IOException("'" + name + "' is not known");
  }
}
