package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.LogCheck;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.core.store.stream.StreamCheck;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Something happens to one file of the messages while the broker is down. Then all that was
 * confirmed is there, or the start is refused and changes nothing, or damage in that file is told.
 */
class DataFaultsTest {
  private static final int MESSAGES = 60;

  /** What may happen to a file. */
  enum Fault {
    MISSING,
    EMPTY,
    CUT,
    FLIPPED_AT_THE_START,
    FLIPPED_IN_THE_MIDDLE,
    OF_ANOTHER_BROKER;

    void happenTo(MemoryDirectory files, String name, byte[] others) {
      byte[] bytes = files.files().get(name).clone();
      switch (this) {
        case MISSING -> files.remove(name);
        case EMPTY -> files.put(name, new byte[0]);
        case CUT -> files.put(name, Arrays.copyOf(bytes, bytes.length / 2));
        case FLIPPED_AT_THE_START -> flip(files, name, bytes, 3);
        case FLIPPED_IN_THE_MIDDLE -> flip(files, name, bytes, bytes.length / 2);
        case OF_ANOTHER_BROKER -> files.put(name, others == null ? new byte[100] : others);
      }
    }

    private static void flip(MemoryDirectory files, String name, byte[] bytes, int at) {
      bytes[at] ^= 0x10;
      files.put(name, bytes);
    }
  }

  /** Two queues on two shards, and messages that arrived and left. */
  private static TestBroker filled() {
    TestBroker broker = TestBroker.of(2);
    for (int shard = 0; shard < 2; shard++) {
      String name = "q" + shard;
      broker.declareOn(shard, name);
      for (int number = 0; number < MESSAGES; number++) {
        broker.publish(name, number);
      }
      long sequence = broker.fetch(name).sequence();
      broker.settling(
          Settlement.ACKNOWLEDGE, broker.queue(name), TestBroker.getter(), sequence, sequence);
    }
    broker.declare("s", FieldTable.builder().put("x-queue-type", "stream").build());
    for (int number = 0; number < MESSAGES; number++) {
      broker.publish("s", number);
    }
    broker.advance(2100);
    return broker;
  }

  private static Map<String, List<Integer>> contents(TestBroker broker) {
    Map<String, List<Integer>> contents = new TreeMap<>();
    Stream.of("q0", "q1").forEach(queue -> contents.put(queue, broker.drain(queue)));
    Queue stream = broker.queue("s");
    TestBroker.Collector reader =
        new TestBroker.Collector(
            true, 1000, FieldTable.builder().put("x-stream-offset", "first").build());
    broker.consume(stream, reader);
    contents.put("s", reader.numbers());
    return contents;
  }

  private record Place(String directory, String file) {
    MemoryDirectory of(MemoryHost host) {
      return directory.isEmpty() ? host.files() : host.directory(directory);
    }
  }

  private static List<Place> places(MemoryHost host) {
    List<Place> places = new ArrayList<>();
    host.files().list().forEach(file -> places.add(new Place("", file)));
    for (String directory : host.list()) {
      host.directory(directory).list().forEach(file -> places.add(new Place(directory, file)));
    }
    return places;
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void lossByADataFaultIsAlwaysReported(Fault fault) throws IOException {
    TestBroker before = filled();
    Map<String, List<Integer>> expected = contents(before.afterKill());
    MemoryHost other = filled().host;
    List<Place> places = places(before.host);
    assertThat(places).hasSizeGreaterThan(8);
    for (Place place : places) {
      MemoryHost host = before.host.afterKill();
      byte[] others = place.of(other).files().get(place.file);
      fault.happenTo(place.of(host), place.file, others);
      boolean told =
          !place.directory.isEmpty()
              && damages(place, host).stream().anyMatch(damage -> !damage.kind().isHarmless());
      List<Place> left = places(host);
      try {
        TestBroker after =
            before.on(host, before.metadata.afterCrash(), 2, UnaryOperator.identity());
        if (!told) {
          assertThat(contents(after)).as("%s of %s", fault, place).isEqualTo(expected);
        }
      } catch (StoreException | CompletionException refused) {
        assertThat(refused).hasMessageContaining(place.file);
        assertThat(places(host)).as("after a refusal").isEqualTo(left);
      }
    }
  }

  private static List<Damage> damages(Place place, MemoryHost host) throws IOException {
    return place.directory.startsWith("stream-")
        ? StreamCheck.of(place.of(host)).damages()
        : LogCheck.of(place.of(host)).damages();
  }

  @Test
  void missingStreamPreventsTheStart() {
    TestBroker before = filled();
    MemoryHost host = before.host.afterKill();
    String stream =
        host.list().stream().filter(name -> name.startsWith("stream-")).findFirst().get();
    host.delete(stream);
    assertThatThrownBy(
            () -> before.on(host, before.metadata.afterCrash(), 2, UnaryOperator.identity()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(stream);
  }

  /** It had been deleted when metadata knew it no more; they may also be from a backup. */
  @Test
  void streamMissingFromTheMetadataIsAdopted() {
    TestBroker before = filled();
    MemoryHost host = before.host.afterKill();
    MemoryMetadataLog none = new MemoryMetadataLog();
    assertThatThrownBy(() -> before.on(host, none, 2, UnaryOperator.identity()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("stream 's' in vhost '/' (60 messages)");
    host.acceptLoss(true);
    Map<String, List<Integer>> expected = contents(before.afterKill());
    TestBroker accepted = before.on(host, none, 1, UnaryOperator.identity());
    assertThat(contents(accepted)).isEqualTo(expected);
    accepted.delete("s");
    assertThat(accepted.afterKill().host.list()).noneMatch(name -> name.startsWith("stream-"));
  }

  @Test
  void missingShardPreventsTheStartUntilLossIsAccepted() {
    TestBroker before = filled();
    MemoryHost host = before.host.afterKill();
    host.delete("shard-1");
    List<Place> left = places(host);
    try {
      before.on(host, before.metadata.afterCrash(), 2, UnaryOperator.identity());
      throw new AssertionError("a start without a shard");
    } catch (StoreException refused) {
      assertThat(refused).hasMessageContaining("shard-1");
      assertThat(places(host)).isEqualTo(left);
    }
    host.acceptLoss(true);
    TestBroker accepted =
        before.on(host, before.metadata.afterCrash(), 2, UnaryOperator.identity());
    assertThat(accepted.ready("q0")).isEqualTo(MESSAGES - 1);
    assertThat(accepted.ready("q1")).isZero();
    accepted.publish("q1", 7);
    assertThat(accepted.afterPowerLoss().drain("q1")).containsExactly(7);
  }
}
