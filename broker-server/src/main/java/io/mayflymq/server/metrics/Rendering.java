package io.mayflymq.server.metrics;

import io.mayflymq.server.http.BodySource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A text that is kept compressed in chunks, which its readers share. Those who take gzip get the
 * chunks as they are, for the others they are decompressed piece by piece. Metrics of many objects
 * take a tenth to a twentieth of their size so.
 *
 * <p>A reader that is slow keeps the chunks; when they are given up to make room, it cannot go on.
 */
final class Rendering {
  private static final int CHUNK = 32 * 1024;
  private static final int PIECE = 16 * 1024;

  /** About what a decompressing reader takes. */
  private static final long INFLATER_BYTES = 48 * 1024;

  /** Is told of readers; called by any thread. */
  interface Owner {
    /** Called when a reader has taken a part. */
    void read(Rendering rendering);

    /** Called when a reader needs no more. */
    void closed(Rendering rendering);
  }

  private final Owner owner;
  private final long nanos;
  private final long textBytes;
  private final long bytes;

  /** Null if it was given up. */
  private volatile List<byte[]> chunks;

  private Rendering(Owner owner, Chunks chunks, long textBytes, long nanos) {
    this.owner = owner;
    this.chunks = chunks.list;
    this.bytes = chunks.bytes;
    this.textBytes = textBytes;
    this.nanos = nanos;
  }

  /**
   * Makes and compresses a text.
   *
   * @param startNanos when the work for it began, as {@link System#nanoTime} tells it
   * @throws IOException if the text cannot be made
   */
  static Rendering of(BodySource text, long startNanos, Owner owner) throws IOException {
    Chunks chunks = new Chunks();
    long length = 0;
    try (GZIPOutputStream gzip = new FastGzip(chunks)) {
      ByteArrayOutputStream piece = new ByteArrayOutputStream();
      boolean more = true;
      while (more) {
        piece.reset();
        more = text.appendTo(piece);
        piece.writeTo(gzip);
        length += piece.size();
      }
    } finally {
      text.close();
    }
    return new Rendering(owner, chunks, length, System.nanoTime() - startNanos);
  }

  /** Returns how long it took to make it. */
  public long nanos() {
    return nanos;
  }

  /** Returns the length of the text in bytes. */
  public long textBytes() {
    return textBytes;
  }

  /** Returns how much memory it takes. */
  long bytes() {
    return bytes;
  }

  /** Frees the memory; readers that are not at the end fail. */
  void giveUp() {
    chunks = null;
  }

  /** Returns a reader of the text; the owner counts it. */
  BodySource reader(boolean gzip) {
    return gzip ? new CompressedReader() : new TextReader();
  }

  private byte[] chunk(int number) throws GivenUp {
    List<byte[]> kept = chunks;
    if (kept == null) {
      throw new GivenUp();
    }
    return number < kept.size() ? kept.get(number) : null;
  }

  private static final class GivenUp extends BodySource.GivenUpException {
    private static final long serialVersionUID = 1L;

    GivenUp() {
      super("too many clients read their metrics slowly: try again later");
    }
  }

  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out, CHUNK);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /** Takes what is compressed. */
  private static final class Chunks extends OutputStream {
    private final List<byte[]> list = new ArrayList<>();
    private final ByteArrayOutputStream current = new ByteArrayOutputStream();
    private long bytes;

    @Override
    public void write(int value) {
      current.write(value);
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      current.write(from, offset, length);
      if (current.size() >= CHUNK) {
        cut();
      }
    }

    private void cut() {
      list.add(current.toByteArray());
      bytes += current.size();
      current.reset();
    }

    @Override
    public void close() {
      if (current.size() > 0) {
        cut();
      }
    }
  }

  /**
   * What both kinds of readers have; a piece is made by one thread, and the end may be another's.
   */
  private abstract class Reader implements BodySource {
    private boolean closed;

    @Override
    public final synchronized boolean appendTo(ByteArrayOutputStream out) throws IOException {
      if (closed) {
        return false;
      }
      owner.read(Rendering.this);
      return append(out);
    }

    abstract boolean append(ByteArrayOutputStream out) throws IOException;

    @Override
    public final synchronized void close() {
      if (!closed) {
        closed = true;
        end();
        owner.closed(Rendering.this);
      }
    }

    void end() {}
  }

  private final class CompressedReader extends Reader {
    private int next;

    @Override
    boolean append(ByteArrayOutputStream out) throws IOException {
      byte[] chunk = chunk(next);
      if (chunk == null) {
        return false;
      }
      out.writeBytes(chunk);
      return chunk(++next) != null;
    }
  }

  private final class TextReader extends Reader {
    private final byte[] piece = new byte[PIECE];
    private InputStream text;

    @Override
    boolean append(ByteArrayOutputStream out) throws IOException {
      if (text == null) {
        text = new GZIPInputStream(new ChunkStream(), 1024);
      }
      int length = text.read(piece);
      if (length < 0) {
        return false;
      }
      out.write(piece, 0, length);
      return true;
    }

    @Override
    public long held() {
      return INFLATER_BYTES;
    }

    @Override
    void end() {
      try {
        if (text != null) {
          text.close();
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The compressed bytes. */
  private final class ChunkStream extends InputStream {
    private int number;
    private int offset;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int at, int most) throws IOException {
      byte[] chunk = chunk(number);
      if (chunk == null) {
        return -1;
      }
      int length = Math.min(most, chunk.length - offset);
      System.arraycopy(chunk, offset, to, at, length);
      offset += length;
      if (offset == chunk.length) {
        number++;
        offset = 0;
      }
      return length;
    }
  }
}
