package io.mayflymq.core.store.segment;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * A directory in memory that knows what has been forced: it can forget the rest, in whole or in
 * part, as a machine does that loses its power. It fails on request.
 */
public final class MemoryDirectory implements LogDirectory {
  private final TreeMap<String, Contents> files = new TreeMap<>();
  private TreeMap<String, Contents> safeNames = new TreeMap<>();
  private final List<Rename> unsafeRenames = new ArrayList<>();
  private long room = Long.MAX_VALUE;
  private int writesUntilFailure = -1;
  private int forcesUntilFailure = -1;
  private boolean deletesFail;
  private String linked;
  private BooleanSupplier readFails = () -> false;
  private Runnable beforeChange = () -> {};
  private boolean forgets;
  int forces;
  int writes;

  /** What is in a file, what of it is safe, and what was written since. */
  private static final class Contents {
    byte[] bytes = new byte[0];
    byte[] safe = new byte[0];
    final List<Write> unforced = new ArrayList<>();

    /** Whether a force has failed: the system has forgotten what it could not write. */
    boolean isDamaged;

    Contents copy() {
      Contents copy = new Contents();
      copy.bytes = isDamaged ? onDisk(unforced) : bytes.clone();
      copy.safe = safe.clone();
      copy.unforced.addAll(unforced);
      return copy;
    }

    private byte[] onDisk(List<Write> written) {
      byte[] result = safe.clone();
      for (Write write : written) {
        result = write.applyTo(result);
      }
      return result;
    }

    /** Later forces succeed without what this one was to write. */
    void forceFailed(int writes) {
      unforced.subList(0, writes).clear();
      isDamaged = true;
    }

    void forced(byte[] written, int writes) {
      safe = isDamaged ? onDisk(unforced.subList(0, writes)) : written;
      unforced.subList(0, writes).clear();
    }
  }

  /** A write; or a cut, if there are no bytes. */
  private static final class Write {
    final int position;
    final byte[] bytes;

    Write(int position, byte[] bytes) {
      this.position = position;
      this.bytes = bytes;
    }

    byte[] applyTo(byte[] old) {
      if (bytes == null) {
        return Arrays.copyOf(old, position);
      }
      byte[] result = Arrays.copyOf(old, Math.max(old.length, position + bytes.length));
      System.arraycopy(bytes, 0, result, position, bytes.length);
      return result;
    }
  }

  private record Rename(String from, String to) {}

  /** Has this called before anything is created, written, forced, cut, renamed or deleted. */
  public void beforeChange(Runnable watcher) {
    beforeChange = watcher;
  }

  // Failures

  /** Lets this many bytes more be written. */
  public void fill(long bytes) {
    room = bytes;
  }

  public void failWriteAfter(int good) {
    writesUntilFailure = good;
  }

  public void failForceAfter(int good) {
    forcesUntilFailure = good;
  }

  /** The next force fails, and the system forgets what it could not write. */
  public void loseNextForce() {
    forcesUntilFailure = 0;
    forgets = true;
  }

  /** Has reads of files fail that the supplier says so of, with what a disk's defect gives. */
  public void failReads(BooleanSupplier fails) {
    readFails = fails;
  }

  /** Gives the content of a file another name, as a backup does. */
  public void link(String name) {
    linked = name;
  }

  @Override
  public boolean hasOtherLinks(String name) {
    return name.equals(linked);
  }

  public void failDeletes(boolean fail) {
    deletesFail = fail;
  }

  /**
   * The machine dies. What was forced is there; of the rest, each write is there in whole, in part
   * or not at all.
   *
   * @param share how many of the unforced writes survive, 0.0 to 1.0
   */
  public MemoryDirectory afterPowerLoss(Random random, double share) {
    MemoryDirectory after = new MemoryDirectory();
    TreeMap<String, Contents> names = new TreeMap<>(safeNames);
    for (Rename rename : unsafeRenames) {
      if (names.containsKey(rename.from) && random.nextDouble() < share) {
        names.put(rename.to, names.remove(rename.from));
      }
    }
    files.forEach(
        (name, contents) -> {
          if (!names.containsValue(contents) && random.nextDouble() < share) {
            names.put(name, contents);
          }
        });
    safeNames.forEach(
        (name, contents) -> {
          if (!files.containsValue(contents) && random.nextDouble() < share) {
            names.remove(name, contents);
          }
        });
    names.forEach(
        (name, contents) -> {
          byte[] bytes = contents.safe;
          for (Write write : contents.unforced) {
            if (random.nextDouble() < share) {
              boolean torn = write.bytes != null && random.nextInt(4) == 0;
              int length = torn ? random.nextInt(write.bytes.length + 1) : 0;
              bytes =
                  torn
                      ? new Write(write.position, Arrays.copyOf(write.bytes, length)).applyTo(bytes)
                      : write.applyTo(bytes);
            }
          }
          after.put(name, bytes);
        });
    return after;
  }

  /** The machine dies when it has brought to disk all but one of the unforced writes of a file. */
  MemoryDirectory afterPowerLossBut(String name, int lost) {
    MemoryDirectory after = new MemoryDirectory();
    files.forEach((other, contents) -> after.put(other, contents.bytes));
    Contents contents = files.get(name);
    byte[] bytes = contents.safe;
    for (int i = 0; i < contents.unforced.size(); i++) {
      bytes = i == lost ? bytes : contents.unforced.get(i).applyTo(bytes);
    }
    after.put(name, bytes);
    return after;
  }

  /** The process dies: the operating system has all that was written, safe or not. */
  public MemoryDirectory afterKill() {
    MemoryDirectory after = new MemoryDirectory();
    Map<Contents, Contents> copies = new HashMap<>();
    files.forEach(
        (name, contents) ->
            after.files.put(name, copies.computeIfAbsent(contents, Contents::copy)));
    safeNames.forEach(
        (name, contents) ->
            after.safeNames.put(name, copies.computeIfAbsent(contents, Contents::copy)));
    after.unsafeRenames.addAll(unsafeRenames);
    return after;
  }

  public byte[] bytes(String name) {
    return files.get(name).bytes;
  }

  /** The bytes of all files. */
  public Map<String, byte[]> files() {
    Map<String, byte[]> all = new TreeMap<>();
    files.forEach((name, contents) -> all.put(name, contents.bytes));
    return all;
  }

  /** A file is lost. */
  public void remove(String name) {
    files.remove(name);
  }

  public List<String> names() {
    return List.copyOf(files.keySet());
  }

  /** Puts a safe file. */
  public void put(String name, byte[] bytes) {
    Contents contents = new Contents();
    contents.bytes = bytes.clone();
    contents.safe = contents.bytes;
    files.put(name, contents);
    safeNames.put(name, contents);
  }

  // The directory

  @Override
  public List<String> list() {
    return names();
  }

  @Override
  public LogFile create(String name) throws IOException {
    beforeChange.run();
    if (room == 0) {
      throw new IOException("No space left on device");
    }
    Contents contents = new Contents();
    files.put(name, contents);
    return new MemoryFile(contents);
  }

  @Override
  public LogFile open(String name, boolean writable) throws IOException {
    Contents contents = files.get(name);
    if (contents == null) {
      throw new FileNotFoundException(name);
    }
    return new MemoryFile(contents);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    beforeChange.run();
    if (deletesFail) {
      throw new IOException("Operation not permitted");
    }
    if (!files.containsKey(from)) {
      throw new FileNotFoundException(from);
    }
    files.put(to, files.remove(from));
    unsafeRenames.add(new Rename(from, to));
  }

  @Override
  public void delete(String name) throws IOException {
    beforeChange.run();
    if (deletesFail) {
      throw new IOException("Operation not permitted");
    }
    files.remove(name);
  }

  @Override
  public void force() throws IOException {
    TreeMap<String, Contents> names = new TreeMap<>(files);
    int renames = unsafeRenames.size();
    countForce();
    safeNames = names;
    unsafeRenames.subList(0, renames).clear();
  }

  private void countForce() throws IOException {
    beforeChange.run();
    if (forcesUntilFailure >= 0 && forcesUntilFailure-- == 0) {
      throw new IOException("Input/output error");
    }
    forces++;
  }

  @Override
  public String toString() {
    return "memory";
  }

  public Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new TreeMap<>();
    files.forEach((name, contents) -> sizes.put(name, contents.bytes.length));
    return sizes;
  }

  private final class MemoryFile implements LogFile {
    private final Contents contents;

    MemoryFile(Contents contents) {
      this.contents = contents;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      beforeChange.run();
      if (writesUntilFailure >= 0 && writesUntilFailure-- == 0) {
        throw new IOException("Input/output error");
      }
      writes++;
      // What is written over needs no room.
      long within = Math.max(0, contents.bytes.length - position);
      int count = (int) Math.min(source.remaining(), room == Long.MAX_VALUE ? room : within + room);
      boolean full = count < source.remaining();
      byte[] bytes = new byte[count];
      source.get(bytes);
      if (room != Long.MAX_VALUE) {
        room -= Math.max(0, count - within);
      }
      record(new Write((int) position, bytes));
      if (full) {
        throw new IOException("No space left on device");
      }
    }

    private void record(Write write) {
      contents.unforced.add(write);
      contents.bytes = write.applyTo(contents.bytes);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      if (readFails.getAsBoolean()) {
        throw new IOException("Input/output error");
      }
      int count = (int) Math.min(target.remaining(), contents.bytes.length - position);
      if (count > 0) {
        target.put(contents.bytes, (int) position, count);
      }
      return Math.max(count, 0);
    }

    @Override
    public long size() {
      return contents.bytes.length;
    }

    @Override
    public void truncate(long size) {
      beforeChange.run();
      if (size < contents.bytes.length) {
        record(new Write((int) size, null));
      }
    }

    @Override
    public void force() throws IOException {
      // What is written meanwhile is not forced by this.
      byte[] written = contents.bytes;
      int writes = contents.unforced.size();
      try {
        countForce();
      } catch (IOException e) {
        if (forgets) {
          contents.forceFailed(writes);
        }
        throw e;
      }
      contents.forced(written, writes);
    }

    @Override
    public void close() {}
  }
}
