package io.mayflymq.it.connection;

import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table in {@code method-states.txt}, which explains itself. */
final class StatesTable {
  private static final String OWN = "own";

  @SuppressWarnings("ArrayRecordComponent") // never compared, only read
  private record Method(int classId, int methodId, byte[] fields) {
    String ids() {
      return classId + "." + methodId;
    }
  }

  private record Close(String key, boolean ofChannel, int code, String ids, String text) {
    boolean is(RawFrame frame, String sentIds) {
      RawFrame.Close close = frame.close();
      String wanted = text.replace("C.M", sentIds);
      return ofChannel == (frame.classId() == 20)
          && code == close.code()
          && (ids.equals(OWN) ? sentIds : ids).equals(close.classId() + "." + close.methodId())
          && (wanted.equals("*")
              ? close.text().startsWith("UNEXPECTED_FRAME - type ")
              : close.text().equals(wanted));
    }
  }

  private final Map<String, Method> methods = new LinkedHashMap<>();
  private final List<Close> closes = new ArrayList<>();
  private final Map<String, List<String>> rows = new LinkedHashMap<>();
  private List<String> columns = List.of();

  private StatesTable() {}

  static StatesTable read() {
    StatesTable table = new StatesTable();
    try (InputStream in = StatesTable.class.getResourceAsStream("method-states.txt")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .forEach(table::line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return table;
  }

  private void line(String line) {
    String[] words = line.split(" +", 6);
    switch (words[0]) {
      case "method" -> {
        String[] ids = words[2].split("\\.");
        byte[] fields = HexFormat.of().parseHex(words.length > 3 ? words[3] : "");
        methods.put(
            words[1], new Method(Integer.parseInt(ids[0]), Integer.parseInt(ids[1]), fields));
      }
      case "close" ->
          closes.add(
              new Close(
                  words[1],
                  words[2].equals("channel"),
                  Integer.parseInt(words[3]),
                  words[4],
                  words[5]));
      case "frame" -> columns = cells(line);
      default -> rows.put(words[0], cells(line));
    }
  }

  private static List<String> cells(String line) {
    List<String> words = Arrays.asList(line.split(" +"));
    return words.subList(1, words.size());
  }

  /** The frames, by their names. */
  List<String> frames() {
    return List.copyOf(rows.keySet());
  }

  /** The cell of a frame in a state; one of both brokers. */
  String answer(String frame, String state, boolean ours) {
    String[] brokers = rows.get(frame).get(columns.indexOf(state)).split("/");
    return ours ? brokers[0] : brokers[brokers.length - 1];
  }

  /** The payload of a method. */
  RawWriter method(String name) {
    Method method = methods.get(name);
    return RawWriter.method(method.classId, method.methodId).raw(method.fields);
  }

  /** What the table writes for an answer; the answer itself if the table does not know it. */
  String key(String frame, int channel, RawFrame answer) {
    Method sent = methods.get(frame);
    String ids = sent == null ? "0.0" : sent.ids();
    if (answer.isMethod(10, 50) || answer.isMethod(20, 40)) {
      return closes.stream()
          .filter(close -> close.is(answer, ids))
          .map(Close::key)
          .findFirst()
          .orElseGet(() -> answer.close().toString());
    }
    if (answer.isMethod(60, 50)) {
      return "back";
    }
    return sent != null && answer.channel() == channel && isOwn(sent, answer)
        ? "ok"
        : answer.toString();
  }

  /** Of all answers of methods two have no number that is the next one. */
  private static boolean isOwn(Method sent, RawFrame answer) {
    return switch (sent.ids()) {
      case "10.11" -> answer.isMethod(10, 30);
      case "40.40" -> answer.isMethod(40, 51);
      default -> answer.isMethod(sent.classId, sent.methodId + 1);
    };
  }
}
