package io.mayflymq.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.protocol.types.ShortString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyStoreTest {
  private static final long SEGMENT = 2_000;

  @TempDir Path directory;

  private static QueueKey key(String queue) {
    return new QueueKey("/", queue, MessagePart.QUEUE);
  }

  private static byte[] message(long sequence, String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    ByteWriter out = new ByteWriter();
    out.number(sequence).octet(0).signed(1_000 + sequence).number(0).number(0);
    MessageCodec codec = new MessageCodec();
    codec.begin();
    codec.write(
        out,
        new Message(
            ShortString.of(""),
            ShortString.of("key"),
            body,
            0,
            Message.NO_TTL,
            0,
            true,
            List.of()));
    return Arrays.copyOf(out.bytes(), out.size());
  }

  private CopyStore open() throws IOException {
    return CopyStore.open(directory, new FileGate(), SEGMENT);
  }

  private static Map<String, List<String>> contents(CopyStore store) throws IOException {
    Map<String, List<String>> contents = new TreeMap<>();
    store.forEach(
        (key, copy) ->
            contents
                .computeIfAbsent(key.queue(), any -> new ArrayList<>())
                .add(
                    copy.sequence()
                        + "="
                        + new String(copy.message().content(), StandardCharsets.UTF_8)));
    return contents;
  }

  /** What a store has to have. */
  private static final class Model {
    final Map<String, TreeMap<Long, String>> queues = new HashMap<>();
    final Map<String, Long> next = new HashMap<>();

    Model copy() {
      Model copy = new Model();
      queues.forEach((name, messages) -> copy.queues.put(name, new TreeMap<>(messages)));
      copy.next.putAll(next);
      return copy;
    }

    Map<String, List<String>> contents() {
      Map<String, List<String>> contents = new TreeMap<>();
      queues.forEach(
          (name, messages) -> {
            List<String> all = new ArrayList<>();
            messages.forEach((sequence, text) -> all.add(sequence + "=" + text));
            if (!all.isEmpty()) {
              contents.put(name, all);
            }
          });
      return contents;
    }
  }

  /** Crashes are at any time: what was committed last is there then, and nothing else. */
  @Test
  void hasWhatWasCommittedLast() throws IOException {
    Random random = new Random(18);
    Model model = new Model();
    Model committed = model.copy();
    CopyStore store = open();
    store.commit();
    for (int step = 0; step < 6_000; step++) {
      String name = "q" + random.nextInt(4);
      TreeMap<Long, String> queue = model.queues.computeIfAbsent(name, any -> new TreeMap<>());
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          List<byte[]> messages = new ArrayList<>();
          long next = model.next.getOrDefault(name, 0L);
          for (int i = random.nextInt(20); i > 0; i--) {
            next += 1L + random.nextInt(3);
            String text = "m" + random.nextInt(1_000_000);
            queue.put(next, text);
            messages.add(message(next, text));
          }
          model.next.put(name, next);
          store.append(key(name), 7, messages, next);
          assertThat(store.seen(key(name))).isEqualTo(next);
        }
        case 4, 5, 6, 7 -> {
          SequenceRanges present = new SequenceRanges();
          double kept = random.nextDouble();
          queue.keySet().removeIf(sequence -> random.nextDouble() > kept);
          queue.keySet().forEach(sequence -> present.append(sequence, sequence + 1));
          store.retain(key(name), present);
        }
        case 8 -> {
          if (store.idOf(key(name)) >= 0) {
            long from = 1L + random.nextInt((int) (model.next.getOrDefault(name, 0L) + 1));
            queue.tailMap(from).clear();
            model.next.put(name, from - 1);
            store.cut(key(name), from);
            assertThat(store.seen(key(name))).isEqualTo(from - 1);
          }
        }
        case 9 -> {
          if (random.nextInt(10) == 0) {
            queue.clear();
            model.next.remove(name);
            store.drop(key(name));
          }
        }
        case 10 -> {
          store.commit();
          committed = model.copy();
        }
        default -> {
          if (random.nextInt(5) == 0) {
            store.close();
            store = open();
            model = committed.copy();
            assertThat(contents(store)).isEqualTo(model.contents());
          }
        }
      }
      assertThat(store.count())
          .isEqualTo(model.queues.values().stream().mapToLong(Map::size).sum());
    }
    assertThat(contents(store)).isEqualTo(model.contents());
    store.close();
  }

  @Test
  void filesOfMessagesThatHaveLeftAreDeleted() throws IOException {
    CopyStore store = open();
    for (int round = 0; round < 300; round++) {
      long first = round * 10L;
      List<byte[]> messages = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        messages.add(message(first + i, "text " + i));
      }
      store.append(key("q"), 1, messages, first + 9);
      SequenceRanges present = new SequenceRanges();
      present.append(0, 1); // One that stays for ever.
      present.append(first + 5, first + 10);
      store.retain(key("q"), present);
      store.commit();
    }
    try (Stream<Path> files = Files.list(directory)) {
      long bytes = files.mapToLong(file -> file.toFile().length()).sum();
      assertThat(bytes).isLessThan(10 * SEGMENT);
    }
    assertThat(contents(store).get("q")).hasSize(6).first().isEqualTo("0=text 0");
    store.close();
  }

  @Test
  void keepsWhatIsKnownBesides() throws IOException {
    CopyStore store = open();
    store.setCluster("c");
    store.setDefinitions("{}".getBytes(StandardCharsets.UTF_8), "tag");
    store.setTold("node", new CopyStore.Told("process", 5));
    store.setComplete(77);
    store.setState(CopyStore.State.PROMOTING);
    store.commit();
    store.close();
    CopyStore again = open();
    assertThat(again.cluster()).isEqualTo("c");
    assertThat(again.definitionsTag()).isEqualTo("tag");
    assertThat(again.definitions()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
    assertThat(again.told("node")).isEqualTo(new CopyStore.Told("process", 5));
    assertThat(again.told("other")).isNull();
    assertThat(again.sinceMillis()).isEqualTo(77);
    assertThat(again.completeMillis()).isEqualTo(77);
    assertThat(again.state()).isEqualTo(CopyStore.State.PROMOTING);
    again.close();
  }

  @Test
  void refusesDamage() throws IOException {
    CopyStore store = open();
    store.append(key("q"), 1, List.of(message(1, "one"), message(2, "two")), 2);
    store.commit();
    store.close();
    Path file;
    try (Stream<Path> files = Files.list(directory)) {
      file = files.filter(each -> each.toString().endsWith(".copies")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
    CopyStore damaged = open();
    assertThatThrownBy(() -> contents(damaged))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("wrong checksum");
    damaged.close();
    Files.write(file, Arrays.copyOf(bytes, 5));
    assertThatThrownBy(this::open).hasMessageContaining("shorter than it was");
    byte[] index = Files.readAllBytes(directory.resolve("index"));
    index[3] ^= 1;
    Files.write(directory.resolve("index"), index);
    assertThatThrownBy(this::open)
        .hasMessageContaining("are damaged: the index has a wrong checksum");
  }
}
