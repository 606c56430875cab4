package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.routing.ErlangTermReader.SyntaxException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Selectors as RabbitMQ's JMS client 3.7.0 compiles them, on the headers of one message. */
class JmsSelectorTest {
  private static final FieldTable HEADERS =
      FieldTable.builder()
          .put("color", FieldValue.of("red"))
          .put("name", FieldValue.of("a_ü.c"))
          .put("size", new FieldValue.Int32(7))
          .put("huge", new FieldValue.Int64(Long.MAX_VALUE))
          .put("price", new FieldValue.Float64(10.5))
          .put("cheap", new FieldValue.Bool(false))
          .put("none", FieldValue.Void.INSTANCE)
          .build();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // color = 'red', and so on
        "true  | {'=',{'ident',<<\"color\">>},<<\"red\">>}.",
        "false | {'=',{'ident',<<\"color\">>},<<\"Red\">>}.",
        "false | {'=',{'ident',<<\"colour\">>},<<\"red\">>}.",
        "true  | {'<>',{'ident',<<\"color\">>},<<\"blue\">>}.",
        "false | {'<>',{'ident',<<\"colour\">>},<<\"red\">>}.",
        "true  | {'<',{'ident',<<\"color\">>},<<\"ree\">>}.",
        "false | {'=',{'ident',<<\"size\">>},<<\"7\">>}.",
        "true  | {'=',{'ident',<<\"size\">>},7.0}.",
        "true  | {'>=',{'ident',<<\"price\">>},{'+',3,7.5}}.",
        "false | {'>',{'ident',<<\"price\">>},{'*',2,{'-',{'-',6}}}}.",
        "true  | {'=',{'/',{'ident',<<\"size\">>},2},3.5}.",
        "false | {'=',{'/',{'ident',<<\"size\">>},0},{'/',1,0}}.",
        "true  | {'>',{'+',{'ident',<<\"huge\">>},1},9.0e18}.",
        "true  | {'=',{'ident',<<\"huge\">>},9223372036854775807}.",
        "true  | {'between',{'ident',<<\"size\">>},7,7}.",
        "false | {'not_between',{'ident',<<\"size\">>},{'-',3},8}.",
        "true  | {'between',{'ident',<<\"size\">>},{'range',1,8}}.",
        "true  | {'in',{'ident',<<\"color\">>},[<<\"blue\">>,<<\"red\">>]}.",
        "false | {'not_in',{'ident',<<\"color\">>},[<<\"blue\">>,<<\"red\">>]}.",
        "false | {'not_in',{'ident',<<\"colour\">>},[<<\"blue\">>]}.",
        "true  | {'is_null',{'ident',<<\"none\">>}}.",
        "true  | {'not_null',{'ident',<<\"size\">>}}.",
        "false | {'is_null',{'ident',<<\"size\">>}}.",
        "true  | {'like',{'ident',<<\"name\">>},<<\"a__.%\">>,'no_escape'}.",
        "true  | {'like',{'ident',<<\"name\">>},<<\"a\\\\_%c\">>,<<\"\\\\\">>}.",
        "false | {'like',{'ident',<<\"color\">>},<<\"%e\">>,'no_escape'}.",
        "true  | {'not_like',{'ident',<<\"color\">>},<<\"r.d\">>,'no_escape'}.",
        "false | {'not_like',{'ident',<<\"size\">>},<<\"7\">>,'no_escape'}.",
        "false | {'ident',<<\"cheap\">>}.",
        "true  | {'not',{'ident',<<\"cheap\">>}}.",
        "true  | {'=',{'ident',<<\"cheap\">>},'false'}.",
        "false | {'not',{'ident',<<\"colour\">>}}.",
        "true  | {'or',{'ident',<<\"colour\">>},{'not',{'ident',<<\"cheap\">>}}}.",
        "false | {'and',{'ident',<<\"colour\">>},{'not',{'ident',<<\"cheap\">>}}}.",
        "true  | {'not',{'and',{'ident',<<\"colour\">>},{'ident',<<\"cheap\">>}}}.",
        "true  | true",
        "false | 7",
      })
  void isTrueForTheHeadersItDescribes(boolean matches, String term) throws SyntaxException {
    assertThat(JmsSelector.parse(term).matches(HEADERS)).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{'=',1}}",
        "{}.",
        "{1,2}.",
        "{'=',1,2,3,4}.",
        "{'exec',1,2}.",
        "{'ident',color}.",
        "{'like',<<\"a\">>,<<\"a\">>,<<\"xx\">>}.",
        "undefined.",
        "<<\"a>>.",
        "{'=',1,0x10}.",
        "99999999999999999999.",
        "NaN."
      })
  void whatIsNoSelectorIsRefused(String term) {
    assertThatThrownBy(() -> JmsSelector.parse(term))
        .isInstanceOf(SyntaxException.class)
        .hasMessageNotContaining("Exception");
  }

  @Test
  void depthIsBounded() {
    int deepest = ErlangTermReader.DEEPEST;
    String deep = "{'not',".repeat(deepest) + "true" + "}".repeat(deepest);
    assertThat(catchSyntax(deep)).isNull();
    assertThat(catchSyntax("{'not'," + deep + "}")).startsWith("nested deeper than 500");
    assertThat(catchSyntax("{".repeat(100_000))).startsWith("nested deeper than 500");
  }

  private static String catchSyntax(String term) {
    try {
      JmsSelector.parse(term);
      return null;
    } catch (SyntaxException e) {
      return e.getMessage();
    }
  }

  @Test
  void aPatternOfManyWildcardsIsMatchedInBoundedTime() {
    String text = "a".repeat(2_000);
    assertThat(LikePattern.of("%a".repeat(500) + "%b", -1).matches(text)).isFalse();
    assertThat(LikePattern.of("%a".repeat(500) + "%", -1).matches(text)).isTrue();
    assertThat(LikePattern.of("", -1).matches("")).isTrue();
    assertThat(LikePattern.of("_%", -1).matches("")).isFalse();
    assertThat(LikePattern.of("_", -1).matches("😀")).isTrue();
  }
}
