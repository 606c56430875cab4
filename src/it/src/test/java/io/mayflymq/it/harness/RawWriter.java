package io.mayflymq.it.harness;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes the primitive types of AMQP 0-9-1, right ones and wrong ones alike. */
public final class RawWriter {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);

  private interface Writing {
    void run() throws IOException;
  }

  private RawWriter write(Writing writing) {
    try {
      writing.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RawWriter method(int classId, int methodId) {
    return new RawWriter().uint16(classId).uint16(methodId);
  }

  public RawWriter uint8(int value) {
    return write(() -> out.writeByte(value));
  }

  public RawWriter uint16(int value) {
    return write(() -> out.writeShort(value));
  }

  public RawWriter uint32(long value) {
    return write(() -> out.writeInt((int) value));
  }

  public RawWriter uint64(long value) {
    return write(() -> out.writeLong(value));
  }

  public RawWriter raw(byte... value) {
    return write(() -> out.write(value));
  }

  public RawWriter shortString(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return uint8(utf8.length).raw(utf8);
  }

  public RawWriter longString(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return uint32(utf8.length).raw(utf8);
  }

  public RawWriter emptyTable() {
    return uint32(0);
  }

  /** A table with its true length. */
  public RawWriter table(RawWriter content) {
    byte[] entries = content.toBytes();
    return uint32(entries.length).raw(entries);
  }

  public byte[] toBytes() {
    return bytes.toByteArray();
  }
}
