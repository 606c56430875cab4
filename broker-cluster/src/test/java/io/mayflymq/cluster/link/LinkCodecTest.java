package io.mayflymq.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What one node writes another one reads, and garbage is refused in words. */
class LinkCodecTest {
  private static ByteReader reader(ByteWriter written) {
    return new ByteReader(written.bytes(), written.size());
  }

  @Provide
  Arbitrary<List<Message>> frames() {
    Arbitrary<String> names = Arbitraries.strings().alpha().ofMaxLength(3);
    return Combinators.combine(
            names,
            names,
            Arbitraries.bytes().array(byte[].class).ofMaxSize(40),
            Arbitraries.integers().between(0, 40),
            Arbitraries.oneOf(
                Arbitraries.just(Message.NO_TTL), Arbitraries.longs().greaterOrEqual(0)),
            Arbitraries.integers().between(0, 255),
            Arbitraries.of(true, false),
            names.list().ofMaxSize(2))
        .as(
            (exchange, key, content, properties, ttl, priority, persistent, blind) ->
                new Message(
                        ShortString.of(exchange),
                        ShortString.of(key),
                        content,
                        Math.min(properties, content.length),
                        ttl,
                        priority,
                        persistent,
                        blind)
                    .withOneKey(priority % 2 == 0)
                    .withPublishedDeaths(priority % 3 == 0))
        .list()
        .ofMaxSize(5);
  }

  @Property
  void messagesOfAFrameAreReadAsTheyWereWritten(@ForAll("frames") List<Message> frame) {
    ByteWriter out = new ByteWriter();
    MessageCodec writer = new MessageCodec();
    writer.begin();
    frame.forEach(message -> writer.write(out, message));
    ByteReader in = reader(out);
    MessageCodec codec = new MessageCodec();
    codec.begin();
    for (Message message : frame) {
      Message read = codec.read(in);
      assertThat(read)
          .usingRecursiveComparison()
          .ignoringFields("exchange", "routingKey")
          .isEqualTo(message);
      assertThat(read.exchange()).isEqualTo(message.exchange());
      assertThat(read.routingKey()).isEqualTo(message.routingKey());
    }
    assertThat(in.remaining()).isZero();
  }

  private record Delivery(
      long consumer, long sequence, Message message, boolean redelivered, long millisLeft) {}

  @Property
  void deliveriesOfAFrameAreReadAsTheyWereWritten(
      @ForAll("frames") List<Message> frame, @ForAll Random random) {
    List<Delivery> deliveries =
        frame.stream()
            .map(
                message ->
                    new Delivery(
                        random.nextInt(1, 1000),
                        random.nextInt(-1, 3),
                        message,
                        random.nextBoolean(),
                        random.nextBoolean() ? Deadlines.NEVER : random.nextLong(1L << 62)))
            .toList();
    for (int version = LinkVersion.FIRST; version <= LinkVersion.OF_DEADLINES; version++) {
      ByteWriter out = new ByteWriter();
      DeliveryCodec writer = new DeliveryCodec(version);
      writer.begin();
      for (Delivery each : deliveries) {
        writer.write(
            out, each.consumer, each.sequence, each.message, each.redelivered, each.millisLeft);
      }
      List<Delivery> read = new ArrayList<>();
      new DeliveryCodec(version)
          .read(
              reader(out),
              (consumer, sequence, message, redelivered, millisLeft) ->
                  read.add(new Delivery(consumer, sequence, message, redelivered, millisLeft)));
      boolean hasTimes = version >= LinkVersion.OF_DEADLINES;
      assertThat(read)
          .usingRecursiveComparison()
          .ignoringFields("message.exchange", "message.routingKey")
          .isEqualTo(
              deliveries.stream()
                  .map(
                      each ->
                          new Delivery(
                              each.consumer,
                              each.sequence,
                              each.message,
                              each.redelivered,
                              hasTimes ? each.millisLeft : Deadlines.NEVER))
                  .toList());
    }
  }

  @Test
  void timeThatTheVersionDoesNotHaveIsRefused() {
    ByteWriter out = new ByteWriter();
    DeliveryCodec later = new DeliveryCodec(LinkVersion.OF_DEADLINES);
    later.begin();
    Message message = NumberedMessage.of(1, false, Message.NO_TTL, 0);
    later.write(out, 1, 1, message, false, 10);
    assertThatThrownBy(
            () ->
                new DeliveryCodec(LinkVersion.FIRST)
                    .read(reader(out), (consumer, sequence, read, redelivered, left) -> {}))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("unknown flags of a delivery: 6");
  }

  /** Nodes of the first version read frames in this form. */
  @Test
  void framesOfTheFirstVersionAreWhatTheyWere() {
    ByteWriter out = new ByteWriter();
    DeliveryCodec codec = new DeliveryCodec(LinkVersion.FIRST);
    codec.begin();
    Message message =
        new Message(
            ShortString.of("x"),
            ShortString.of("k"),
            new byte[] {0, 0, 7},
            2,
            Message.NO_TTL,
            0,
            false,
            List.of());
    codec.write(out, 300, 5, message, true, 10);
    codec.write(out, 300, -1, message, false, Deadlines.NEVER);
    assertThat(Arrays.copyOf(out.bytes(), out.size()))
        .containsExactly(
            0xac, 2, 3, 5, 0, 1, 'x', 1, 'k', 2, 3, 0, 0, 7, //
            0xac, 2, 0, 96, 2, 3, 0, 0, 7);
  }

  @Property
  void numbersAreReadAsTheyWereWritten(@ForAll long number, @ForAll double decimal) {
    ByteWriter out = new ByteWriter().number(number).signed(number).decimal(decimal);
    ByteReader in = reader(out);
    assertThat(in.number()).isEqualTo(number);
    assertThat(in.signed()).isEqualTo(number);
    assertThat(in.decimal()).isEqualTo(decimal);
  }

  @Property
  void garbageIsRefusedInWordsAndAllocatesNothing(
      @ForAll @Size(max = 60) byte[] garbage, @ForAll int which) {
    List<Consumer<ByteReader>> readers =
        List.of(
            in -> new MessageCodec().read(in),
            in ->
                new DeliveryCodec(LinkVersion.OF_DEADLINES)
                    .read(in, (consumer, sequence, message, redelivered, left) -> {}),
            ByteReader::bytes,
            ByteReader::text,
            ByteReader::shortString,
            ByteReader::table,
            ErrorCodec::read,
            in -> in.count(1));
    try {
      readers
          .get(Math.floorMod(which, readers.size()))
          .accept(new ByteReader(garbage, garbage.length));
    } catch (ByteFormatException e) {
      assertThat(e).hasMessageMatching("[\\x20-\\x7e]+");
    }
  }

  @Test
  void lengthBeyondTheFrameIsRefusedBeforeItIsAllocated() {
    ByteWriter out = new ByteWriter().number(Integer.MAX_VALUE);
    assertThatThrownBy(() -> reader(out).bytes())
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("a frame is too short");
    assertThatThrownBy(() -> reader(out).count(1))
        .hasMessage("2147483647 elements do not fit into a frame");
  }

  @Test
  void errorsComeBackAsTheyAre() {
    List<AmqpException> errors =
        List.of(
            new ChannelException(ReplyCode.NOT_FOUND, "no queue 'q' in vhost '/'"),
            new ConnectionException(ReplyCode.NOT_IMPLEMENTED, "not supported"));
    for (AmqpException error : errors) {
      ByteWriter out = new ByteWriter();
      ErrorCodec.write(out, error);
      assertThat(ErrorCodec.read(reader(out)))
          .isInstanceOf(error.getClass())
          .hasMessage(error.getMessage());
    }
    ByteWriter other = new ByteWriter();
    ErrorCodec.write(other, new IllegalStateException("a defect"));
    assertThat(ErrorCodec.read(reader(other)).code()).isEqualTo(ReplyCode.INTERNAL_ERROR);
  }

  @Test
  void textsAndTablesAreReadAsTheyWereWritten() {
    FieldTable table = FieldTable.builder().put("x-priority", 7).build();
    ByteWriter out =
        new ByteWriter().text("ä").optionalText(null).optionalText("b").table(table).bit(true);
    ByteReader in = reader(out);
    assertThat(in.text()).isEqualTo("ä");
    assertThat(in.optionalText()).isNull();
    assertThat(in.optionalText()).isEqualTo("b");
    assertThat(in.table()).isEqualTo(table);
    assertThat(in.bit()).isTrue();
    ByteWriter large = new ByteWriter();
    IntStream.range(0, 100_000).forEach(large::number);
    ByteReader all = reader(large);
    assertThat(IntStream.range(0, 100_000).allMatch(i -> all.number() == i)).isTrue();
  }
}
