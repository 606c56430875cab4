package io.mayflymq.core.store.segment;

/**
 * Damage in a log's files: something that is not as it was written.
 *
 * @param file the file's name
 * @param kind the kind of damage
 * @param from where it begins, in bytes
 * @param to where it ends, in bytes
 */
public record Damage(String file, Kind kind, long from, long to) {
  /** The kind of damage, and its meaning. */
  public enum Kind {
    /**
     * The last bytes of the last segment are not a valid record: a write that a crash interrupted.
     */
    TORN_TAIL("torn tail"),
    /**
     * Bytes within a segment are not a valid record: their content is lost, and kept in a separate
     * file.
     */
    RECORDS("damaged records"),
    /** One of a segment's two headers is damaged, or both; its records can be read. */
    HEADER("damaged header"),
    /**
     * An index is damaged; it is built again from its segment. One that only ends too early is no
     * damage.
     */
    INDEX("damaged index"),
    /** A whole segment is unreadable, as its header and index are lost. */
    SEGMENT("unreadable segment"),
    /** A segment that must exist has no file, or an empty one. */
    MISSING("missing segment"),
    /** A file belongs to another log, or to another broker. */
    FOREIGN("file of another log"),
    /** Both copies of the manifest are lost: missing segments cannot be noticed. */
    MANIFEST("missing or damaged manifest"),
    /**
     * One of the two copies of the manifest is lost; the other one is used. A crash may cause this.
     */
    MANIFEST_COPY("missing or damaged copy of the manifest");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Whether a crash alone can cause it, so that nothing that was confirmed is lost. */
    public boolean isHarmless() {
      return this == TORN_TAIL || this == MANIFEST_COPY;
    }

    /** Whether a log with this damage must not be opened, unless the options accept the loss. */
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
