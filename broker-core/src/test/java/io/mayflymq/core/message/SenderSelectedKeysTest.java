package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The keys of CC and BCC. */
class SenderSelectedKeysTest {
  @Test
  void ccKeysAreReadInOrder() {
    FieldTable headers =
        headers("CC", new FieldValue.Array(List.of(FieldValue.of("b"), FieldValue.of("a"))));

    assertThat(SenderSelectedKeys.require(headers, SenderSelectedKeys.CC))
        .containsExactly("b", "a");
    assertThat(SenderSelectedKeys.require(headers, SenderSelectedKeys.BCC)).isEmpty();
    assertThat(SenderSelectedKeys.carbonCopies(headers)).containsExactly("b", "a");
  }

  @Test
  void ccHeaderMustBeAnArray() {
    FieldTable headers = headers("CC", FieldValue.of("key"));

    assertThatThrownBy(() -> SenderSelectedKeys.require(headers, SenderSelectedKeys.CC))
        .isInstanceOf(ChannelException.class)
        .hasMessage(
            "PRECONDITION_FAILED - invalid message:"
                + " {unacceptable_type_in_header,\"CC\",longstr}");
    assertThat(SenderSelectedKeys.carbonCopies(headers)).isEmpty();
  }

  @Test
  void whatIsNoTextCountsAsAbsent() {
    FieldTable headers =
        headers(
            "BCC", new FieldValue.Array(List.of(FieldValue.of("key"), new FieldValue.Int32(1))));

    assertThat(SenderSelectedKeys.require(headers, SenderSelectedKeys.BCC)).containsExactly("key");
  }

  private static FieldTable headers(String name, FieldValue value) {
    return FieldTable.builder().put(name, value).build();
  }
}
