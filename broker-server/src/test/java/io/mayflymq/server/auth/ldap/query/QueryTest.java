package io.mayflymq.server.auth.ldap.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What queries mean; ann is a member of staff, which is one of all, which has a cycle. */
class QueryTest {
  private static final String ANN = "uid=ann,ou=people";
  private static final String NO = "{constant, false}";
  private static final String YES = "{constant, true}";
  private static final String UNDECIDED = "{exists, \"" + MapDirectory.UNDECIDED + "\"}";
  private static final String DOWN = "{exists, \"" + MapDirectory.DOWN + "\"}";

  private final MapDirectory directory =
      new MapDirectory()
          .entry(ANN, "uid", "ann")
          .entry(ANN + ",o=x", "uid", "other")
          .entry("cn=staff,ou=groups", "member", ANN)
          .entry("cn=all,ou=groups", "member", "cn=staff,ou=groups", "cn=loop,ou=groups")
          .entry("cn=loop,ou=groups", "member", "cn=all,ou=groups")
          .entry("cn=deep,ou=sub,ou=groups", "member", "cn=staff,ou=groups")
          .entry("cn=odd,ou=groups", "uniqueMember", ANN)
          .entry("cn=orders-users,ou=vhosts", "member", ANN)
          .entry("cn=a\\,b-users,ou=vhosts", "member", ANN)
          .entry(ANN, "description", "write", "read")
          .entry("cn=rules", "description", "^ann\\.", "[");

  private final Subject subject =
      Subject.user("ann")
          .with(Variable.USER_DN, ANN)
          .with(Variable.VHOST, "orders")
          .with(Variable.RESOURCE, "queue")
          .with(Variable.NAME, "ann.q")
          .with(Variable.PERMISSION, "write")
          .with(Variable.ROUTING_KEY, "a.b");

  private static Query read(String text) throws QueryException {
    return QueryReader.query(text, Variable.OF_TOPICS);
  }

  private boolean holds(String text) throws Exception {
    return read(text).holds(subject, directory);
  }

  private void assertUndecided(String text, String reason) {
    assertThatThrownBy(() -> holds(text))
        .isInstanceOf(UndecidedException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{constant, true} | true",
        "{constant, false} | false",
        "{exists, \"uid=ann,ou=people\"} | true",
        "{exists, \"${user_dn}\"} | true",
        "{exists, \"${user_dn},o=x\"} | true",
        "{exists, \"uid=${username},ou=people\"} | true",
        "{exists, \"uid=bob,ou=people\"} | false",
        "{in_group, \"cn=staff,ou=groups\"} | true",
        "{in_group, \"cn=${vhost}-users,ou=vhosts\"} | true",
        "{in_group, \"cn=all,ou=groups\"} | false",
        "{in_group, \"cn=missing,ou=groups\"} | false",
        "{in_group, \"cn=odd,ou=groups\", \"uniqueMember\"} | true",
        "{in_group, \"cn=odd,ou=groups\"} | false",
        "{in_group_nested, \"cn=staff,ou=groups\"} | true",
        "{in_group_nested, \"cn=all,ou=groups\"} | true",
        "{in_group_nested, \"cn=loop,ou=groups\", \"member\"} | true",
        "{in_group_nested, \"cn=deep,ou=sub,ou=groups\", \"member\", subtree} | true",
        "{in_group_nested, \"cn=deep,ou=sub,ou=groups\", \"member\", onelevel} | false",
        "{in_group_nested, \"cn=odd,ou=groups\"} | false",
        "{equals, \"${username}\", \"ann\"} | true",
        "{equals, {string, \"${username}\"}, \"bob\"} | false",
        "{equals, \"write\", {attribute, \"${user_dn}\", \"description\"}} | true",
        "{equals, {attribute, \"${user_dn}\", \"description\"}, \"configure\"} | false",
        "{equals, {attribute, \"cn=missing\", \"description\"}, \"\"} | false",
        "{match, \"${name}\", \"^ann\\\\.\"} | true",
        "{match, \"${name}\", {string, \"^${username}\\\\.\"}} | true",
        "{match, \"${name}\", \"^bob\"} | false",
        "{match, {attribute, \"${user_dn}\", \"description\"}, \"^re\"} | true",
        "{match, \"${name}\", {attribute, \"cn=missing\", \"description\"}} | false",
        "{'not', {constant, false}} | true",
        "{'not', {exists, \"cn=missing\"}} | true",
        "{'and', []} | true",
        "{'or', []} | false",
        "{'and', [{constant, true}, {in_group, \"cn=staff,ou=groups\"}]} | true",
        "{'or', [{constant, false}, {in_group, \"cn=staff,ou=groups\"}]} | true",
        "{for, [{permission, write, {constant, true}}, {permission, read, {constant, false}}]} | true",
        "{for, [{permission, read, {constant, true}}, {resource, queue, {constant, false}}]} | false",
        "{for, [{name, \"ann.q\", {constant, true}}]} | true",
        "{for, [{vhost, <<\"orders\">>, {constant, true}}]} | true",
      })
  void eachFormAnswersAtTheTop(String query, boolean answer) throws Exception {
    assertThat(holds(query)).isEqualTo(answer);
    // And at every other level.
    assertThat(holds("{'not', " + query + "}")).isEqualTo(!answer);
    assertThat(holds("{'or', [" + query + ", {'and', [" + query + "]}]}")).isEqualTo(answer);
    assertThat(holds("{for, [{username, \"ann\", " + query + "}]}")).isEqualTo(answer);
  }

  @Test
  void whatIsUndecidedIsNeverAYes() {
    for (String query :
        List.of(
            UNDECIDED,
            "{'not', " + UNDECIDED + "}",
            "{'not', {'not', " + UNDECIDED + "}}",
            "{'and', [" + YES + ", " + UNDECIDED + "]}",
            "{'not', {'and', [" + UNDECIDED + ", " + NO + "]}}",
            "{'or', [" + UNDECIDED + ", " + NO + "]}",
            "{'not', {'or', [" + NO + ", " + UNDECIDED + "]}}")) {
      assertUndecided(query, "refers elsewhere");
    }
  }

  @Test
  void anotherPartCanDecide() throws Exception {
    assertThat(holds("{'or', [" + UNDECIDED + ", " + YES + "]}")).isTrue();
    assertThat(holds("{'and', [" + NO + ", " + UNDECIDED + "]}")).isFalse();
  }

  @Test
  void aDirectoryThatIsDownEndsTheWholeQuestion() {
    assertThatThrownBy(() -> holds("{'or', [" + DOWN + ", " + YES + "]}"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void theRestIsNotAskedWhenItCannotMatter() throws Exception {
    holds("{'or', [" + YES + ", {exists, \"cn=a\"}]}");
    holds("{'and', [" + NO + ", {exists, \"cn=b\"}]}");
    holds("{for, [{permission, read, {exists, \"cn=c\"}}, {permission, write, " + YES + "}]}");
    assertThat(directory.asked).isEmpty();
  }

  @Test
  void withoutABranchNothingIsDecided() {
    String query = "{for, [{permission, read, " + YES + "}, {permission, configure, " + YES + "}]}";
    assertUndecided(query, "no branch for permission = 'write'");
    assertUndecided("{'not', " + query + "}", "no branch for permission = 'write'");
  }

  @Test
  void aBadRegularExpressionOfTheDirectoryIsUndecided() {
    assertUndecided(
        "{match, \"${name}\", {attribute, \"cn=rules\", \"description\"}}",
        "'[' is no regular expression");
  }

  @Test
  void whatAVariableStandsForIsText() throws Exception {
    Subject odd = Subject.user(".*").with(Variable.USER_DN, ANN).with(Variable.VHOST, "a,b");
    assertThat(read("{in_group, \"cn=${vhost}-users,ou=vhosts\"}").holds(odd, directory)).isTrue();
    Subject any = odd.with(Variable.NAME, "anything");
    assertThat(read("{match, \"${name}\", \"^${username}$\"}").holds(any, directory)).isFalse();
    assertThat(
            read("{match, \"${name}\", \"^${username}$\"}")
                .holds(odd.with(Variable.NAME, ".*"), directory))
        .isTrue();
  }

  @Test
  void namesOfActiveDirectoryHaveTwoParts() throws Exception {
    Query query = read("{equals, \"${ad_user}@${ad_domain}\", \"ann@CORP\"}");
    assertThat(query.holds(Subject.user("CORP\\ann"), directory)).isTrue();
    assertThatThrownBy(() -> query.holds(Subject.user("ann"), directory))
        .isInstanceOf(UndecidedException.class)
        .hasMessage("there is no ${ad_user}: the user name has not the form DOMAIN\\USER");
  }

  @Test
  void queriesAboutNamesNeedNoDirectory() throws Exception {
    assertThat(read("{for, [{resource, queue, {match, \"${name}\", \"^a\"}}]}").needsDirectory())
        .isFalse();
    assertThat(read("{'not', {'or', [" + YES + ", " + UNDECIDED + "]}}").needsDirectory()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{in_grp, \"cn=a\"} | column 2: unknown query 'in_grp': expected constant, exists, in_group,",
        "{constant, maybe} | column 1: expected {constant, true} or {constant, false}, found",
        "{constant} | column 1: expected {constant, true} or {constant, false}, found '{constant}'",
        "{exists, \"cn=${user}\"} | column 10: unknown variable ${user}: expected one of username,",
        "{exists, \"staff\"} | column 10: expected a distinguished name such as cn=users,dc=example,dc=com, found 'staff'",
        "{exists, cn} | column 10: expected a text in \"...\", found 'cn}'",
        "{in_group, \"cn=a\", \"member\", x} | column 1: expected {in_group, DN} or",
        "{in_group, \"cn=a\", \"a b\"} | column 20: expected the name of an attribute, such as member",
        "{in_group_nested, \"cn=a\", \"member\", deep} | expected subtree or onelevel, found 'deep'",
        "{'and', {constant, true}} | column 9: expected a list [QUERY, ...], found '{constant,",
        "{string, \"a\"} | column 1: expected a query that is true or false, found a text;",
        "\"a\" | column 1: expected a query {FORM, ...}, where FORM is constant,",
        "{equals, \"a\", {exists, \"cn=a\"}} | column 15: expected a text, {string, TEXT} or",
        "{match, \"a\", \"(\"} | column 14: expected a regular expression, found '('",
        "{for, [{permision, read, {constant, true}}]} | column 9: unknown variable 'permision'",
        "{for, [{permission, publish, {constant, true}}]} | expected configure, read, write, found 'publish'",
        "{for, [{permission, read}]} | column 8: expected {VARIABLE, VALUE, QUERY}, found",
        "{for, []} | column 7: expected at least one branch {VARIABLE, VALUE, QUERY}",
        "{constant, true | the '{' of column 1 is not closed: expected '}'",
        "{constant true} | column 11: expected ',' or '}', found 'true}'",
        "{constant, true} {constant, true} | column 18: expected the end behind the term",
        "{exists, \"cn=a} | column 10: the text is not closed: expected \" at its end",
        "{exists, <<cn=a>>} | expected a string in <<...>>, found 'cn=a>>}'",
        "{exists, 'cn=a} | column 10: the text is not closed",
        "{exists, \"\\xZZ\"} | expected \\xHH or \\x{HHHH} with hexadecimal digits",
        "{Constant, true} | column 2: expected a term such as",
        "{constant, | column 11: expected a term such as {in_group, \"cn=users,dc=example\"}, found the end",
      })
  void whatIsNoQueryIsRefusedWithItsPlace(String text, String error) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(QueryException.class)
        .hasMessageContaining(error);
  }

  @Test
  void theLineIsNamedIfThereAreSeveral() {
    assertThatThrownBy(() -> read("{'or', [\n  % the admins\n  {in_group, \"cn=a\"},\n  {no}]}"))
        .hasMessageStartingWith("line 4, column 4: unknown query 'no'");
  }

  @Test
  void variablesOfOtherQuestionsAreRefused() {
    assertThatThrownBy(() -> QueryReader.query("{match, \"${name}\", \"a\"}", Variable.OF_VHOSTS))
        .hasMessage(
            "column 9: unknown variable ${name}: expected one of username, ad_user, ad_domain,"
                + " user_dn, vhost");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{equals, \"a\\tb\\\\\\\"\\x41\\x{42}\\103\\s\", \"a\tb\\\\\\\"ABC \"}",
        "{ equals , \"one\" \" two\" , <<\"one two\"/utf8>> } .",
        "{equals, \"é\", \"\\x{e9}\"}",
      })
  void textsAreThoseOfErlang(String query) throws Exception {
    assertThat(holds(query)).isTrue();
  }

  @Test
  void aTermOfTooManyLevelsIsRefused() {
    assertThatThrownBy(() -> read("{'not', ".repeat(5_000)))
        .hasMessageContaining("expected at most 100 levels");
  }

  @Test
  void tagsHaveQueriesInTheirOrder() throws Exception {
    Map<String, Query> tags =
        QueryReader.tags(
            "[{administrator, {constant, false}}, {\"my-tag\", {in_group, \"cn=a\"}},"
                + " {management, {constant, true}}]");
    assertThat(tags.keySet()).containsExactly("administrator", "my-tag", "management");
    assertThat(tags.get("management")).isEqualTo(new Query.Constant(true));
    assertThat(QueryReader.tags("[]")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{administrator, {constant, true}} | column 1: expected a list [{TAG, QUERY}, ...], found",
        "[{administrator}] | column 2: expected {TAG, QUERY}, found '{administrator}]'",
        "[{a, {constant, true}}, {a, {constant, true}}] | column 25: expected each tag once, found 'a' again",
        "[{a, \"text\"}] | column 6: expected a query {FORM, ...}",
        "[{a, {equals, \"${vhost}\", \"/\"}}] | unknown variable ${vhost}: expected one of username",
      })
  void whatAreNoTagsIsRefusedWithItsPlace(String text, String error) {
    assertThatThrownBy(() -> QueryReader.tags(text)).hasMessageContaining(error);
  }

  /** The example of rabbitmq.com/docs/ldap. */
  @Test
  void theCommonExampleOfRabbitMqIsRead() throws Exception {
    Query query =
        read(
            """
            {for, [{permission, configure, {in_group, "cn=admins,ou=groups"}},
                   {permission, write,
                    {for, [{resource, queue,    {in_group, "cn=admins,ou=groups"}},
                           {resource, exchange, {constant, true}}]}},
                   {permission, read,
                    {for, [{resource, exchange, {in_group, "cn=admins,ou=groups"}},
                           {resource, queue,    {constant, true}}]}}
                  ]
            }""");
    assertThat(query.holds(subject, directory)).isFalse();
    assertThat(query.holds(subject.with(Variable.RESOURCE, "exchange"), directory)).isTrue();
    assertThat(query.holds(subject.with(Variable.PERMISSION, "read"), directory)).isTrue();
  }
}
