package io.mayflymq.core.store.backup;

import io.mayflymq.core.metadata.MetadataCheck;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a file gets into a backup, which depends on how the broker changes it. */
enum FileKind {
  /** It is complete: a link is enough. At most its name is removed later. */
  COMPLETE,
  /** It is overwritten in place: it has to be copied while changes are held back. */
  OVERWRITTEN,
  /** It only grows: what it has now can be copied later. */
  GROWING,
  /** It is of no use to another start. */
  UNNEEDED;

  private static final Pattern SEGMENT = Pattern.compile("(\\d{10})\\.log");
  private static final Pattern INDEX = Pattern.compile("(\\d{10})\\.(idx|offsets)");

  /**
   * Returns the kind of a file in a directory of messages.
   *
   * @param directory the name of the directory
   * @param last the highest number of a segment in it; 0 if there is none
   */
  static FileKind of(String directory, String name, int last) {
    if (name.endsWith(".spare") || name.endsWith(".new")) {
      return UNNEEDED;
    }
    Matcher segment = SEGMENT.matcher(name);
    if (segment.matches()) {
      if (Integer.parseInt(segment.group(1)) < last) {
        return COMPLETE;
      }
      // That of a shard may be an older file that is written over, with old records at its end.
      return directory.contains("stream-") ? GROWING : OVERWRITTEN;
    }
    Matcher index = INDEX.matcher(name);
    if (index.matches()) {
      return Integer.parseInt(index.group(1)) < last ? COMPLETE : OVERWRITTEN;
    }
    return name.endsWith(".damaged") || name.endsWith(".foreign") ? COMPLETE : OVERWRITTEN;
  }

  /** Returns the highest number of a segment among these files; 0 if there is none. */
  static int last(Collection<String> names) {
    return names.stream()
        .map(SEGMENT::matcher)
        .filter(Matcher::matches)
        .mapToInt(segment -> Integer.parseInt(segment.group(1)))
        .max()
        .orElse(0);
  }

  /** Returns whether another start needs a directory of messages. */
  static boolean isNeeded(String directory) {
    return !directory.endsWith(".deleted")
        && !directory.endsWith(".copying")
        && !directory.startsWith("paging-");
  }

  /** Returns whether another start needs a file beside the directory of messages. */
  static boolean isNeededBeside(String name) {
    return MetadataCheck.isCopy(name) || name.equals("mayfly.format");
  }
}
