package io.mayflymq.it.harness;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** One frame as it came over the wire, its end octet checked and cut off. */
@SuppressWarnings("ArrayRecordComponent") // never compared, only read
public record RawFrame(int type, int channel, byte[] payload) {
  public static final int METHOD = 1;
  public static final int HEADER = 2;
  public static final int BODY = 3;
  public static final int HEARTBEAT = 8;
  public static final int END = 0xCE;

  /** True if this is the given method, on any channel. */
  public boolean isMethod(int classId, int methodId) {
    return type == METHOD && classId() == classId && methodId() == methodId;
  }

  public int classId() {
    return (payload[0] & 0xff) << 8 | (payload[1] & 0xff);
  }

  public int methodId() {
    return (payload[2] & 0xff) << 8 | (payload[3] & 0xff);
  }

  /** What connection.close and channel.close say. */
  public Close close() {
    try {
      DataInputStream arguments = arguments();
      return new Close(
          channel,
          arguments.readUnsignedShort(),
          shortString(arguments),
          arguments.readUnsignedShort(),
          arguments.readUnsignedShort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The payload behind class and method id. */
  public DataInputStream arguments() {
    return new DataInputStream(new ByteArrayInputStream(payload, 4, payload.length - 4));
  }

  public static String shortString(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.UTF_8);
  }

  /** The arguments of a close method; the ids name the method that was at fault, or are 0. */
  public record Close(int channel, int code, String text, int classId, int methodId) {}

  @Override
  public String toString() {
    return type == METHOD
        ? "method " + classId() + "." + methodId() + " on channel " + channel
        : "frame of type " + type + ", " + payload.length + " bytes, on channel " + channel;
  }
}
