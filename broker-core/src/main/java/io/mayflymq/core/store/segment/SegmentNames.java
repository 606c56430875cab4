package io.mayflymq.core.store.segment;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of a log's files. */
public final class SegmentNames {
  private static final Pattern SEGMENT = Pattern.compile("(\\d{10})\\.log");
  private static final Pattern SPARE = Pattern.compile("\\d{10}\\.spare");

  private SegmentNames() {}

  /** The file of a segment. */
  public static String log(int segment) {
    return "%010d.log".formatted(segment);
  }

  public static String index(int segment) {
    return "%010d.idx".formatted(segment);
  }

  /** Returns the name of a spare file: that of a deleted segment, to be reused by another one. */
  static String spare(int segment) {
    return "%010d.spare".formatted(segment);
  }

  /** Whether this is a spare file. */
  public static boolean isSpare(String name) {
    return SPARE.matcher(name).matches();
  }

  /** Returns the new name of a file of another log. */
  public static String foreign(String name) {
    return name + ".foreign";
  }

  /** Whether a file is kept for administrators, and is not part of the log. */
  public static boolean isKeptAside(String name) {
    return name.endsWith(".damaged") || name.endsWith(".foreign");
  }

  /** Returns the name of the file with a copy of damaged bytes of a segment. */
  public static String damaged(int segment, long from) {
    return "%010d-%010d.damaged".formatted(segment, from);
  }

  /** Returns the numbers of the segments among these files, in order. */
  public static List<Integer> segments(List<String> files) {
    return files.stream()
        .map(SEGMENT::matcher)
        .filter(Matcher::matches)
        .map(matcher -> Long.parseLong(matcher.group(1)))
        .filter(number -> number > 0 && number < Integer.MAX_VALUE)
        .map(Long::intValue)
        .sorted()
        .toList();
  }
}
