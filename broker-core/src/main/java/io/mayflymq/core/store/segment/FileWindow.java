package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a file in memory, for reading. Belongs to one thread. */
final class FileWindow {
  private final int capacity;
  private ByteBuffer own;
  private ByteBuffer ownView;
  private ByteBuffer buffer;
  private ByteBuffer view;
  private LogFile file;
  private long start;
  private int length;

  public FileWindow(int capacity) {
    this.capacity = capacity;
  }

  /** Whether these bytes are in the window. */
  public boolean covers(LogFile ofFile, long offset, int count) {
    return file == ofFile && offset >= start && offset + count <= start + length;
  }

  /** Whether an offset is within the window, or shortly after its end. */
  public boolean isNear(LogFile ofFile, long offset, int distance) {
    return file == ofFile && offset >= start && offset <= start + length + distance;
  }

  /**
   * Reads bytes unless they are in the window.
   *
   * @param count how many are needed
   * @param ahead how many to read if the file has as many; may be less
   * @return whether the file has the needed bytes
   */
  public boolean ensure(LogFile ofFile, long offset, int count, int ahead) throws IOException {
    if (covers(ofFile, offset, count)) {
      return true;
    }
    int wanted = Math.max(count, Math.min(ahead, capacity));
    if (wanted > capacity) {
      buffer = RecordFormat.littleEndian(ByteBuffer.allocate(wanted));
      view = RecordFormat.littleEndian(buffer.duplicate());
    } else {
      if (own == null) {
        own = RecordFormat.littleEndian(ByteBuffer.allocateDirect(capacity));
        ownView = RecordFormat.littleEndian(own.duplicate());
      }
      buffer = own;
      view = ownView;
    }
    file = ofFile;
    start = offset;
    length = 0;
    view.limit(wanted).position(0);
    length = ofFile.read(view, offset);
    return length >= count;
  }

  /** The buffer with the bytes. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** A view of it whose position and limit may be moved. */
  public ByteBuffer view() {
    return view;
  }

  /** The index in the buffer of a byte of the file. */
  public int index(long offset) {
    return (int) (offset - start);
  }

  /** Clears the window. */
  public void clear() {
    file = null;
    length = 0;
  }
}
