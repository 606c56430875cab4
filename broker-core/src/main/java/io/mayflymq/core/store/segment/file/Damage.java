package io.mayflymq.core.store.segment.file;

/**
 * Something in a log's files that is not as it was written.
 *
 * @param file the file's name
 * @param kind what it is
 * @param from where it begins, in bytes
 * @param to where it ends, in bytes
 */
public record Damage(String file, Kind kind, long from, long to) {
  /** What is damaged, and so what it means. */
  public enum Kind {
    /** The last bytes of the last segment are no record: a write that a crash interrupted. */
    TORN_TAIL("torn tail"),
    /** Bytes within a segment are no record: what they told is lost, and kept in a file apart. */
    RECORDS("damaged records"),
    /** One of a segment's two headers, or both; its records are served. */
    HEADER("damaged header"),
    /** An index; it is made again from its segment. One that only ends too early is no damage. */
    INDEX("damaged index"),
    /** A whole segment, as nothing tells how to read it. */
    SEGMENT("unreadable segment"),
    /** A segment that must be there: its file is not, or has nothing. */
    MISSING("missing segment"),
    /** A file that belongs to another log, or to another broker. */
    FOREIGN("file of another log"),
    /** Both files that say which segments there are: segments that are missing go unnoticed. */
    MANIFEST("missing or damaged manifest"),
    /** One of these two files; the other one serves. A crash may leave it so. */
    MANIFEST_COPY("missing or damaged copy of the manifest");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Whether nothing but a crash is needed for it, so that nothing that was confirmed is lost. */
    public boolean isHarmless() {
      return this == TORN_TAIL || this == MANIFEST_COPY;
    }

    /** Whether a log must not be opened so, unless somebody has said that it may. */
    public boolean refuses() {
      return this == MISSING || this == FOREIGN;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  @Override
  public String toString() {
    if (kind.refuses() || kind == Kind.MANIFEST || kind == Kind.MANIFEST_COPY) {
      return kind.text + " " + file;
    }
    return kind.text + " in " + file + ", bytes " + from + " to " + to;
  }
}
