package io.mayflymq.server.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What RabbitMQ 3.10.8 prints for two queues, in each of its formats. */
class OutputFormatTest {
  private static final Result.Rows QUEUES =
      Columns.of("name")
          .withTable("arguments")
          .with("durable")
          .with("pid", object -> Term.pid(object.get("pid")), "pid")
          .rows(
              List.of(
                  Json.object(
                      "name",
                      "q1",
                      "arguments",
                      Json.object("x-max-length", 7L, "x-dead-letter-exchange", "dlx"),
                      "durable",
                      true,
                      "pid",
                      "<a@b.1.788.0>"),
                  Json.object("name", "q2", "arguments", Map.of(), "durable", false)));

  @Test
  void tablesHaveTabSeparatedColumns() {
    assertThat(OutputFormat.TABLE.rows(QUEUES, true))
        .isEqualTo(
            """
            name\targuments\tdurable\tpid
            q1\t[{"x-dead-letter-exchange","dlx"},{"x-max-length",7}]\ttrue\t<a@b.1.788.0>
            q2\t[]\tfalse\t\
            """);
    assertThat(OutputFormat.TABLE.rows(QUEUES, false)).startsWith("q1\t");
  }

  @Test
  void voidInAnAmqpTableIsShownAsUndefined() {
    Result.Rows queues =
        Columns.of()
            .withTable("arguments")
            .rows(
                List.of(Map.of("arguments", Map.of("a", List.of("undefined"), "n", "undefined"))));
    assertThat(OutputFormat.TABLE.rows(queues, false))
        .isEqualTo("[{\"a\",[undefined]},{\"n\",undefined}]");
    assertThat(OutputFormat.JSON.rows(queues, true)).contains("[\"n\",\"void\",\"undefined\"]");
  }

  @Test
  void csvIsQuotedLikeRabbitMqs() {
    assertThat(OutputFormat.CSV.rows(QUEUES, true))
        .isEqualTo(
            """
            "name","arguments","durable","pid"
            "q1","[{""x-dead-letter-exchange"",""dlx""},{""x-max-length"",7}]","true","<a@b.1.788.0>"
            "q2","[]","false",""\
            """);
  }

  @Test
  void jsonIsThatOfRabbitMq() {
    assertThat(OutputFormat.JSON.rows(QUEUES, true))
        .startsWith(
            """
            [
            {"name":"q1","arguments":[["x-dead-letter-exchange","longstr","dlx"],\
            ["x-max-length","long",7]],"durable":true,\
            """)
        .contains("\n,{\"name\":\"q2\",\"arguments\":[],\"durable\":false,")
        .endsWith("}\n]");
    assertThat(OutputFormat.JSON.rows(new Result.Rows(List.of("name"), List.of()), true))
        .isEqualTo("[\n]");
  }

  @Test
  void erlangAndElixirTermsAreThoseOfRabbitMq() {
    assertThat(OutputFormat.ERLANG.rows(QUEUES, true))
        .startsWith(
            """
            [[{name,<<"q1">>},
              {arguments,[{<<"x-dead-letter-exchange">>,longstr,<<"dlx">>},
                          {<<"x-max-length">>,long,7}]},
              {durable,true},
              {pid,<a@b.1.788.0>}],
            """);
    assertThat(OutputFormat.INSPECT.rows(QUEUES, true))
        .startsWith(
            """
            [
            [name: "q1", arguments: [{"x-dead-letter-exchange", :longstr, "dlx"}, \
            {"x-max-length", :long, 7}], durable: true, pid: #PID<a@b.1.788.0>]
            ,[name: "q2", arguments: [], durable: false,\
            """);
  }

  @Test
  void valuesOfAllTypesAreFormatted() throws Exception {
    Result.Rows rows =
        Columns.of()
            .withTable("arguments")
            .rows(
                List.of(
                    Json.object(
                        "arguments",
                        JsonReader.DEFAULT.read(
                            """
                            {"arr":[1,"a"],"big":10000000000,"f":1.5,"neg":-3,"sac":true,
                             "t":{"b":1,"c":"d"}}\
                            """))));
    assertThat(OutputFormat.TABLE.rows(rows, false))
        .isEqualTo(
            """
            [{"arr",[1,"a"]},{"big",10000000000},{"f",1.5},{"neg",-3},{"sac",true},\
            {"t",[{"b",1},{"c","d"}]}]\
            """);
    assertThat(OutputFormat.ERLANG.rows(rows, false))
        .isEqualTo(
            """
            [[{arguments,[{<<"arr">>,array,[{long,1},{longstr,<<"a">>}]},
                          {<<"big">>,long,10000000000},
                          {<<"f">>,double,1.5},
                          {<<"neg">>,long,-3},
                          {<<"sac">>,bool,true},
                          {<<"t">>,table,[{<<"b">>,long,1},{<<"c">>,longstr,<<"d">>}]}]}]]\
            """);
    assertThat(OutputFormat.INSPECT.rows(rows, false))
        .isEqualTo(
            """
            [
            [arguments: [{"arr", :array, [long: 1, longstr: "a"]}, {"big", :long, 10000000000}, \
            {"f", :double, 1.5}, {"neg", :long, -3}, {"sac", :bool, true}, \
            {"t", :table, [{"b", :long, 1}, {"c", :longstr, "d"}]}]]
            ]\
            """);
    assertThat(OutputFormat.JSON.rows(rows, false))
        .contains("[\"arr\",\"array\",[1,\"a\"]]", "[\"t\",\"table\",[[\"b\",\"long\",1],");
  }

  @Test
  void prettyTableLinesHaveEqualLengths() {
    assertThat(OutputFormat.PRETTY_TABLE.rows(QUEUES, true).lines())
        .allSatisfy(line -> assertThat(line).hasSize(90));
  }

  @Test
  void listsOfWordsAreFormatted() {
    assertThat(Term.cell(Term.atoms(List.of("monitoring", "policymaker"))))
        .isEqualTo("[monitoring, policymaker]");
    assertThat(Term.cell(List.of())).isEqualTo("[]");
    assertThat(Term.cell("a\tb")).isEqualTo("a\\011b");
  }

  @Test
  void unknownFormatterIsRefusedByName() {
    assertThatThrownBy(() -> OutputFormat.named("xml"))
        .isInstanceOf(ControlException.class)
        .hasMessageContaining("formatter 'xml' is not supported");
  }
}
