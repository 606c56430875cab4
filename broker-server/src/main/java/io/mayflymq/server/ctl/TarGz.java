package io.mayflymq.server.ctl;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/**
 * Writes an archive of files in memory, in the format ustar of POSIX, compressed with gzip. Names
 * are ASCII of at most 100 bytes.
 */
final class TarGz implements Closeable {
  private static final int BLOCK = 512;
  private static final int NAME_BYTES = 100;
  private static final int CHECKSUM_AT = 148;
  private static final int CHECKSUM_BYTES = 8;

  private final OutputStream out;
  private final long seconds;

  /**
   * @param seconds when the files were made, in seconds since 1970
   */
  TarGz(OutputStream out, long seconds) throws IOException {
    this.out = new GZIPOutputStream(out);
    this.seconds = seconds;
  }

  /** Adds a file, which only its owner may read. */
  void add(String name, byte[] content) throws IOException {
    byte[] header = new byte[BLOCK];
    byte[] nameBytes = name.getBytes(StandardCharsets.US_ASCII);
    if (nameBytes.length > NAME_BYTES) {
      throw new IllegalArgumentException("too long for an archive: " + name);
    }
    System.arraycopy(nameBytes, 0, header, 0, nameBytes.length);
    octal(header, NAME_BYTES, 8, 0600);
    octal(header, 108, 8, 0);
    octal(header, 116, 8, 0);
    octal(header, 124, 12, content.length);
    octal(header, 136, 12, seconds);
    Arrays.fill(header, CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES, (byte) ' ');
    header[156] = '0';
    System.arraycopy("ustar\00000".getBytes(StandardCharsets.US_ASCII), 0, header, 257, 8);
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xff;
    }
    octal(header, CHECKSUM_AT, 7, sum);
    out.write(header);
    out.write(content);
    out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  /** Writes a number in octal digits with leading zeros and a zero byte at the end. */
  private static void octal(byte[] header, int at, int length, long value) {
    String digits = Long.toOctalString(value);
    byte[] field =
        ("0".repeat(length - 1 - digits.length()) + digits + "\0")
            .getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(field, 0, header, at, length);
  }

  @Override
  public void close() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.close();
  }
}
