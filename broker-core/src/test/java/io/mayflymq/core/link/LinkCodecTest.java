package io.mayflymq.core.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
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
  private static LinkReader reader(LinkWriter written) {
    return new LinkReader(written.bytes(), written.size());
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
                    .withOneKey(priority % 2 == 0))
        .list()
        .ofMaxSize(5);
  }

  @Property
  void messagesOfAFrameAreReadAsTheyWereWritten(@ForAll("frames") List<Message> frame) {
    LinkWriter out = new LinkWriter();
    MessageCodec writer = new MessageCodec();
    writer.begin();
    frame.forEach(message -> writer.write(out, message));
    LinkReader in = reader(out);
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

  @Property
  void numbersAreReadAsTheyWereWritten(@ForAll long number, @ForAll double decimal) {
    LinkWriter out = new LinkWriter().number(number).signed(number).decimal(decimal);
    LinkReader in = reader(out);
    assertThat(in.number()).isEqualTo(number);
    assertThat(in.signed()).isEqualTo(number);
    assertThat(in.decimal()).isEqualTo(decimal);
  }

  @Property
  void garbageIsRefusedInWordsAndAllocatesNothing(
      @ForAll @Size(max = 60) byte[] garbage, @ForAll int which) {
    List<Consumer<LinkReader>> readers =
        List.of(
            in -> new MessageCodec().read(in),
            LinkReader::bytes,
            LinkReader::text,
            LinkReader::shortString,
            LinkReader::table,
            ErrorCodec::read,
            in -> in.count(1));
    try {
      readers
          .get(Math.floorMod(which, readers.size()))
          .accept(new LinkReader(garbage, garbage.length));
    } catch (LinkFormatException e) {
      assertThat(e).hasMessageMatching("[\\x20-\\x7e]+");
    }
  }

  @Test
  void lengthBeyondTheFrameIsRefusedBeforeItIsAllocated() {
    LinkWriter out = new LinkWriter().number(Integer.MAX_VALUE);
    assertThatThrownBy(() -> reader(out).bytes())
        .isInstanceOf(LinkFormatException.class)
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
      LinkWriter out = new LinkWriter();
      ErrorCodec.write(out, error);
      assertThat(ErrorCodec.read(reader(out)))
          .isInstanceOf(error.getClass())
          .hasMessage(error.getMessage());
    }
    LinkWriter other = new LinkWriter();
    ErrorCodec.write(other, new IllegalStateException("a defect"));
    assertThat(ErrorCodec.read(reader(other)).code()).isEqualTo(ReplyCode.INTERNAL_ERROR);
  }

  @Test
  void textsAndTablesAreReadAsTheyWereWritten() {
    FieldTable table = FieldTable.builder().put("x-priority", 7).build();
    LinkWriter out =
        new LinkWriter().text("ä").optionalText(null).optionalText("b").table(table).bit(true);
    LinkReader in = reader(out);
    assertThat(in.text()).isEqualTo("ä");
    assertThat(in.optionalText()).isNull();
    assertThat(in.optionalText()).isEqualTo("b");
    assertThat(in.table()).isEqualTo(table);
    assertThat(in.bit()).isTrue();
    LinkWriter large = new LinkWriter();
    IntStream.range(0, 100_000).forEach(large::number);
    LinkReader all = reader(large);
    assertThat(IntStream.range(0, 100_000).allMatch(i -> all.number() == i)).isTrue();
  }
}
