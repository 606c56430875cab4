package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Many bindings of a headers exchange: the same are found as if they were tried one by one. */
class HeadersIndexTest {
  private static final int MANY = 2_000;

  private static final List<FieldValue> VALUES =
      List.of(
          FieldValue.of("1"),
          new FieldValue.Int8((byte) 1),
          new FieldValue.Int64(1),
          new FieldValue.Float32(1),
          new FieldValue.Float64(1),
          new FieldValue.Float64(-0.0),
          new FieldValue.Float32(0),
          new FieldValue.Float64(Double.NaN),
          FieldValue.Binary.of("1".getBytes(StandardCharsets.UTF_8)),
          FieldValue.Bool.of(true),
          new FieldValue.Table(FieldTable.builder().put("a", 1).build()),
          FieldValue.Void.INSTANCE);

  private final Random random = new Random(17);
  private HeadersIndex<String> index = HeadersIndex.empty();

  private static Binding binding(String queue, FieldTable arguments) {
    return new Binding("x", DestinationKind.QUEUE, queue, "", arguments);
  }

  private void add(Binding binding) {
    String queue = binding.destination();
    index = index.with(binding, new QueueNode<>(queue, queue, 0, false));
  }

  private FieldTable some(int most) {
    FieldTable.Builder table = FieldTable.builder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      table.put("k" + random.nextInt(4), VALUES.get(random.nextInt(VALUES.size())));
    }
    return table.build();
  }

  private Set<String> matched(FieldTable headers) {
    MessageProperties properties = () -> BasicProperties.builder().headers(headers).build();
    return new HashSet<>(index.match("", properties).route().toList());
  }

  @Test
  void sameBindingsMatchAsIfAllWereTried() {
    Set<Binding> present = new HashSet<>();
    for (int i = 0; i < 600; i++) {
      FieldTable arguments = some(3);
      if (random.nextInt(5) == 0) {
        arguments = arguments.with("x-match", FieldValue.of("any"));
      }
      Binding added = binding("q" + i, arguments);
      add(added);
      present.add(added);
      if (random.nextInt(3) == 0) {
        Binding gone = present.iterator().next();
        present.remove(gone);
        index = index.without(gone);
      }
    }
    for (int i = 0; i < 300; i++) {
      FieldTable headers = some(3);
      assertThat(index.tried(headers)).isLessThan(present.size());
      assertThat(matched(headers))
          .isEqualTo(
              present.stream()
                  .filter(binding -> HeadersMatch.of(binding.arguments()).matches(headers))
                  .map(Binding::destination)
                  .collect(Collectors.toSet()));
    }
    present.forEach(binding -> index = index.without(binding));
    assertThat(index.isEmpty()).isTrue();
    assertThat(index.tried(FieldTable.EMPTY)).isZero();
  }

  @Test
  void bindingsThatDifferInOneOfManyHeadersAreFoundByThatOne() {
    FieldTable.Builder common = FieldTable.builder();
    for (int i = 0; i < 100; i++) {
      common.put("k" + i, "v");
    }
    for (int i = 0; i < MANY; i++) {
      add(binding("q" + i, common.build().with("z", FieldValue.of("" + i))));
    }
    FieldTable headers = common.build().with("z", FieldValue.of("1999"));
    assertThat(index.tried(headers)).isLessThan(MANY / 10);
    assertThat(matched(headers)).containsExactly("q1999");
    assertThat(matched(common.build().with("z", FieldValue.of("other")))).isEmpty();
  }

  @Test
  void fewBindingsAreTriedOneByOne() {
    FieldTable headers = FieldTable.builder().put("a", "1").build();
    for (int i = 0; i < HeadersIndex.FEW_PER_HEADER; i++) {
      add(binding("q" + i, FieldTable.builder().put("a", "" + i).build()));
    }
    assertThat(index.tried(headers)).isEqualTo(HeadersIndex.FEW_PER_HEADER);
    add(binding("q", FieldTable.builder().put("a", "q").build()));
    assertThat(index.tried(headers)).isOne();
    assertThat(matched(headers)).containsExactly("q1");
  }
}
