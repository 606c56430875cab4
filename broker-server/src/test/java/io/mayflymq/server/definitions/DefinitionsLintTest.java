package io.mayflymq.server.definitions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule has documents in which it finds something, and ones like them in which it does not. */
class DefinitionsLintTest {
  private final List<String> queues = new ArrayList<>();
  private final List<String> exchanges = new ArrayList<>();
  private final List<String> bindings = new ArrayList<>();
  private final List<String> policies = new ArrayList<>();

  private void queue(String name, String arguments) {
    queues.add(
        "{'name':'%s','vhost':'/','durable':true,'auto_delete':false,'arguments':{%s}}"
            .formatted(name, arguments));
  }

  private void exchange(String name, String type, String arguments) {
    exchanges.add(
        "{'name':'%s','vhost':'/','type':'%s','durable':true,'arguments':{%s}}"
            .formatted(name, type, arguments));
  }

  private void binding(String source, String queue, String key) {
    bindings.add(
        "{'source':'%s','vhost':'/','destination':'%s','destination_type':'queue','routing_key':'%s','arguments':{}}"
            .formatted(source, queue, key));
  }

  private void policy(String name, int priority, String pattern, String definition) {
    policies.add(
        "{'name':'%s','vhost':'/','pattern':'%s','apply-to':'all','priority':%d,'definition':{%s}}"
            .formatted(name, pattern, priority, definition));
  }

  private List<LintFinding> findings() throws DefinitionsException {
    String document =
        "{'vhosts':[{'name':'/'}],'queues':[%s],'exchanges':[%s],'bindings':[%s],'policies':[%s]}"
            .formatted(
                String.join(",", queues),
                String.join(",", exchanges),
                String.join(",", bindings),
                String.join(",", policies))
            .replace('\'', '"');
    return DefinitionsLint.of(
        new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)), null);
  }

  private List<LintRule> rules() throws DefinitionsException {
    return findings().stream().map(LintFinding::rule).toList();
  }

  @Test
  void nothingIsFoundInWhatIsFine() throws Exception {
    queue("orders", "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'dead'");
    queue("dead", "");
    exchange("events", "topic", "");
    binding("events", "orders", "order.#");
    policy("limits", 0, "^dead$", "'message-ttl':86400000");
    assertThat(findings()).isEmpty();
  }

  @Test
  void whatTheReaderRefusesIsTold() throws Exception {
    queue("orders", "'x-message-ttl':-1");
    queues.add("{'name':'nameless'}");
    policy("wrong", 0, "(", "'message-ttl':1");
    exchange("odd", "none", "");
    assertThat(findings())
        .extracting(LintFinding::rule, LintFinding::object)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(LintRule.INVALID, "the document"),
            org.assertj.core.groups.Tuple.tuple(LintRule.INVALID, "queue 'orders' in vhost '/'"),
            org.assertj.core.groups.Tuple.tuple(LintRule.INVALID, "policy 'wrong' in vhost '/'"),
            org.assertj.core.groups.Tuple.tuple(LintRule.INVALID, "exchange 'odd' in vhost '/'"));
    assertThatThrownBy(
            () ->
                DefinitionsLint.of(
                    new ByteArrayInputStream("[]".getBytes(StandardCharsets.UTF_8)), null))
        .isInstanceOf(DefinitionsException.class);
  }

  @Test
  void aDeadLetterExchangeThatDoesNotExistIsTold() throws Exception {
    queue("orders", "");
    policy("dead", 0, "orders", "'dead-letter-exchange':'missing'");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.DEAD_LETTER_EXCHANGE_MISSING);
              assertThat(finding.object()).isEqualTo("queue 'orders' in vhost '/'");
              assertThat(finding.sentence()).contains("'missing' does not exist");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "direct, other, orders, true",
    "direct, orders, orders, false",
    "direct, orders, , false",
    "direct, other, , true",
    "topic, order.*, orders, true",
    "topic, #, orders, false",
    "fanout, any, orders, false",
    "headers, any, orders, false",
  })
  void deadLettersThatNoBindingTakesAreTold(String type, String bound, String key, boolean isTold)
      throws Exception {
    queue(
        "orders",
        "'x-dead-letter-exchange':'dlx'"
            + (key == null ? "" : ",'x-dead-letter-routing-key':'%s'".formatted(key)));
    queue("dead", "");
    exchange("dlx", type, "");
    binding("dlx", "dead", bound);
    assertThat(rules()).isEqualTo(isTold ? List.of(LintRule.DEAD_LETTER_UNROUTABLE) : List.of());
  }

  @Test
  void keysThatOnlyPublishersKnowAreNotGuessed() throws Exception {
    queue("orders", "'x-dead-letter-exchange':'dlx'");
    queue("dead", "");
    exchange("events", "topic", "");
    exchange("dlx", "direct", "");
    binding("events", "orders", "order.#");
    binding("dlx", "dead", "order.paid");
    assertThat(rules()).isEmpty();
    bindings.remove(1);
    assertThat(rules())
        .containsExactly(LintRule.DEAD_LETTER_UNROUTABLE, LintRule.EXCHANGE_WITHOUT_BINDINGS);
  }

  @Test
  void anAlternateExchangeTakesDeadLettersToo() throws Exception {
    queue("orders", "'x-dead-letter-exchange':'dlx','x-dead-letter-routing-key':'none'");
    queue("dead", "");
    exchange("dlx", "direct", "'alternate-exchange':'rest'");
    exchange("rest", "fanout", "");
    binding("dlx", "dead", "dead");
    binding("rest", "dead", "");
    assertThat(rules()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', true",
    "'''x-message-ttl'':10000,', '', false",
    "'', '''x-message-ttl'':10000,', false",
    "'''x-message-ttl'':0,', '', true",
    "'''x-overflow'':''reject-publish'',', '', true",
  })
  void rejectedMessagesThatComeBackAtOnceAreTold(String work, String retry, boolean isTold)
      throws Exception {
    queue("work", work + "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'retry'");
    queue("retry", retry + "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'work'");
    if (isTold) {
      assertThat(findings())
          .filteredOn(finding -> finding.rule() == LintRule.DEAD_LETTER_CYCLE)
          .singleElement()
          .extracting(LintFinding::sentence)
          .asString()
          .contains("retry -> work -> retry");
    } else {
      assertThat(rules()).doesNotContain(LintRule.DEAD_LETTER_CYCLE);
    }
  }

  @Test
  void aQueueThatDeadLettersToItselfIsTold() throws Exception {
    queue("work", "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'work'");
    assertThat(findings())
        .singleElement()
        .extracting(LintFinding::sentence)
        .asString()
        .contains("work -> work");
  }

  @Test
  void whatIsMissingIsTold() throws Exception {
    queue("orders", "");
    exchange("events", "topic", "'alternate-exchange':'missing'");
    binding("events", "orders", "#");
    binding("events", "absent", "#");
    binding("nowhere", "orders", "#");
    assertThat(findings())
        .extracting(LintFinding::rule)
        .containsExactly(
            LintRule.ALTERNATE_EXCHANGE_MISSING,
            LintRule.BINDING_TO_NOTHING,
            LintRule.BINDING_TO_NOTHING);
  }

  @ParameterizedTest
  @CsvSource({"60000, 30000, true", "30000, 60000, false", "60000, 60000, false"})
  void aLeaseThatEndsBeforeTheTtlIsTold(long ttl, long lease, boolean isTold) throws Exception {
    queue("orders", "'x-message-ttl':%d,'x-expires':%d".formatted(ttl, lease));
    assertThat(rules()).isEqualTo(isTold ? List.of(LintRule.TTL_LONGER_THAN_LEASE) : List.of());
  }

  @Test
  void quorumQueuesThatDropWhatIsReturnedTooOftenAreTold() throws Exception {
    queue("orders", "'x-queue-type':'quorum'");
    queue(
        "invoices",
        "'x-queue-type':'quorum','x-dead-letter-exchange':'','x-dead-letter-routing-key':'orders'");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.RETURNED_MESSAGES_DROPPED);
              assertThat(finding.object()).contains("'orders'");
              assertThat(finding.sentence()).contains("more than 20 times");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "'', true",
    "',''x-overflow'':''reject-publish''', false",
    "',''x-dead-letter-exchange'':'''',''x-dead-letter-routing-key'':''rest''', false",
  })
  void aLimitThatDropsIsTold(String more, boolean isTold) throws Exception {
    queue("orders", "'x-max-length':10" + more);
    queue("rest", "");
    assertThat(rules()).isEqualTo(isTold ? List.of(LintRule.DROPS_WHEN_FULL) : List.of());
  }

  /** No policy applies to these, so none lets them drop messages. */
  @Test
  void automaticDeadLetterQueuesHaveNoLimit() throws Exception {
    queue("orders", "'x-dead-letter-queue':'auto'");
    queue("orders.$dlq", "'x-dead-letter-queue-of':'orders'");
    policy("limit", 0, "", "'max-length':10");
    assertThat(rules()).isEmpty();
  }

  @Test
  void atLeastOnceNeedsAnotherOverflow() throws Exception {
    String dead =
        "'x-queue-type':'quorum','x-dead-letter-strategy':'at-least-once',"
            + "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'rest'";
    queue("orders", dead);
    queue("invoices", dead + ",'x-overflow':'reject-publish'");
    queue("rest", "");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.AT_LEAST_ONCE_WITHOUT_EFFECT);
              assertThat(finding.object()).contains("'orders'");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'x-recoverable-acked':true | RECOVERABLE_WITHOUT_EFFECT | in spite of recoverable-acked:",
        "'x-recoverable-acked':false | | ",
        "'x-recoverable-bytes':1000,'x-recoverable-acked':true | RECOVERABLE_WITHOUT_EFFECT | in spite of recoverable-acked, recoverable-bytes:",
        "'x-recoverable-bytes':1000,'x-recoverable':'1h' | | ",
        "'x-deadline-notify':'reply-to' | DEADLINE_WITHOUT_EFFECT | deadline-notify: no effect without deadline-header",
        "'x-deadline-replies':true | DEADLINE_WITHOUT_EFFECT | deadline-replies: no effect without",
        "'x-deadline-replies':false | | ",
        "'x-deadline-replies':true,'x-deadline-notify':'amq.fanout','x-deadline-header':'end' | | ",
        "'x-deadline-header':'end','x-message-ttl-mode':'queue-only' | DEADLINE_WITHOUT_EFFECT | deadline-header: no effect with message-ttl-mode queue-only",
        "'x-deadline-header':'end','x-message-ttl-mode':'min' | | ",
        "'x-block-timeout':'5s' | BLOCK_WITHOUT_EFFECT | no effect with overflow drop-head",
        "'x-block-timeout':'5s','x-overflow':'block','x-max-length':9 | | ",
        "'x-overflow':'block' | BLOCK_WITHOUT_EFFECT | without a limit",
        "'x-overflow':'block','x-max-length-bytes':9 | | ",
        "'x-delivery-burst':5 | BURST_WITHOUT_EFFECT | delivery-burst has no effect without delivery-rate",
        "'x-delivery-burst':5,'x-publish-rate':5 | BURST_WITHOUT_EFFECT | without delivery-rate",
        "'x-delivery-burst':5,'x-delivery-rate':50 | | ",
        "'x-publish-burst':5 | BURST_WITHOUT_EFFECT | publish-burst has no effect without publish-rate",
        "'x-publish-burst':5,'x-publish-rate':50 | | ",
      })
  void settingsThatNeedAnotherOneAreTold(String arguments, LintRule rule, String words)
      throws Exception {
    queue("orders", arguments);
    assertThat(rules()).isEqualTo(rule == null ? List.of() : List.of(rule));
    if (rule != null) {
      assertThat(findings().get(0).object()).isEqualTo("queue 'orders' in vhost '/'");
      assertThat(findings().get(0).sentence()).contains(words);
    }
  }

  @Test
  void whatAPolicySetsCountsForSettingsThatNeedAnotherOne() throws Exception {
    queue("orders", "'x-deadline-notify':'reply-to','x-delivery-burst':5");
    queue("events", "'x-queue-type':'stream'");
    policy("p", 0, "", "'recoverable-acked':true,'block-timeout':'5s'");
    assertThat(rules())
        .containsExactly(
            LintRule.RECOVERABLE_WITHOUT_EFFECT,
            LintRule.DEADLINE_WITHOUT_EFFECT,
            LintRule.BLOCK_WITHOUT_EFFECT,
            LintRule.BURST_WITHOUT_EFFECT);
    policies.clear();
    policy(
        "p",
        0,
        "",
        "'recoverable-acked':true,'recoverable':'1D','deadline-header':'end','delivery-rate':9");
    assertThat(rules()).isEmpty();
  }

  /** Turns and priorities, or a single active consumer, work together. */
  @Test
  void fairSharesWorkWithPrioritiesAndASingleActiveConsumer() throws Exception {
    queue("orders", "'x-fair-by':'tenant','x-max-priority':5,'x-single-active-consumer':true");
    assertThat(rules()).isEmpty();
  }

  @Test
  void queuesThatBeginPausedAreTold() throws Exception {
    queue("orders", "");
    queue("invoices", "");
    policy("halt", 0, "^orders$", "'pause':'deliveries'");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.STARTS_PAUSED);
              assertThat(finding.object()).isEqualTo("queue 'orders' in vhost '/'");
              assertThat(finding.sentence()).contains("pause = deliveries by policy 'halt'");
            });
    policies.clear();
    policy("halt", 0, "^absent$", "'pause':'both'");
    assertThat(rules()).containsExactly(LintRule.STARTS_PAUSED, LintRule.POLICY_MATCHES_NOTHING);
  }

  @Test
  void policiesThatCannotWorkAreTold() throws Exception {
    queue("orders", "");
    policy("first", 5, "^orders", "'message-ttl':1000");
    policy("hidden", 1, "^orders", "'expires':1000");
    policy("nothing", 0, "^absent", "'expires':1000");
    assertThat(rules()).containsExactly(LintRule.POLICY_MATCHES_NOTHING, LintRule.POLICY_HIDDEN);
  }

  @Test
  void policyThatAnotherOneAddsToIsNotHidden() throws Exception {
    queue("orders", "");
    policies.add(
        "{'vhost':'/','name':'first','pattern':'^orders','priority':5,'merge':true,'definition':{'message-ttl':1000}}");
    policy("second", 1, "^orders", "'expires':1000");
    policy("third", 0, "^orders", "'expires':1000");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.POLICY_HIDDEN);
              assertThat(finding.object()).contains("'third'");
              assertThat(finding.sentence()).contains("as 'second' with priority 1");
            });
  }

  @Test
  void policiesOfOnePriorityAreTold() throws Exception {
    queue("orders", "");
    queue("invoices", "");
    policy("a", 1, "^orders", "'message-ttl':1000");
    policy("b", 1, ".*s$", "'expires':10000");
    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.EQUAL_PRIORITIES);
              assertThat(finding.sentence()).contains("'b'", "priority 1", "queue 'orders'");
            });
  }

  private static List<LintFinding> lint(String document) throws DefinitionsException {
    return DefinitionsLint.of(
        new ByteArrayInputStream(document.replace('\'', '"').getBytes(StandardCharsets.UTF_8)),
        null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'queues':[{'vhost':'none','name':'q'}] | queue 'q' in vhost 'none' | Virtual host 'none' does not exist",
        "'permissions':[{'user':'none','vhost':'/','configure':'','write':'','read':''}] | permissions of user 'none' in vhost '/' | does not exist",
        "'jobs':[] | the document | 'jobs': not a part of definitions",
        "'queues':[{'vhost':'/','name':'q'},{'vhost':'/','name':'q','arguments':{'x-max-priority':5}}] | queue 'q' in vhost '/' | twice",
        "'queues':[{'vhost':'/','name':'q','type':'quorum','durable':false}] | queue 'q' in vhost '/' | non-durable",
        "'queues':[{'vhost':'/','name':'q','type':'stream','auto_delete':true}] | queue 'q' in vhost '/' | auto-delete",
        "'exchanges':[{'vhost':'/','name':'amq.x','type':'topic'}] | exchange 'amq.x' in vhost '/' | reserved prefix",
        "'exchanges':[{'vhost':'/','name':'amq.direct','type':'fanout'}] | exchange 'amq.direct' in vhost '/' | declared otherwise",
        "'parameters':[{'component':'shovel','vhost':'/','name':'s','value':{}}] | parameter 's' of component 'shovel' in vhost '/' | src",
      })
  void whatAnImportLeavesOutIsTold(String wrong, String object, String words) throws Exception {
    assertThat(lint("{'vhosts':[{'name':'/'}],%s}".formatted(wrong)))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo(LintRule.INVALID);
              assertThat(finding.object()).isEqualTo(object);
              assertThat(finding.sentence()).contains(words);
            });
  }

  @Test
  void aDocumentWithoutVirtualHostsIsForABrokerThatHasThem() throws Exception {
    assertThat(
            lint(
                "{'queues':[{'vhost':'v','name':'q'}],'permissions':[{'user':'u','vhost':'v','configure':'','write':'','read':''}]}"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'x-max-length':5,'x-dead-letter-on':'expired' | DROPS_WHEN_FULL | dead-letter-on is without maxlen",
        "'x-max-length':5,'x-dead-letter-on':'expired,maxlen' | | ",
        "'x-queue-type':'quorum','x-dead-letter-on':'expired' | RETURNED_MESSAGES_DROPPED | dead-letter-on is without delivery_limit",
        "'x-queue-type':'quorum','x-dead-letter-on':'expired,delivery_limit' | | ",
        "'x-deadline-header':'end','x-deadline-notify':'none' | DEADLINE_EXCHANGE_MISSING | the exchange 'none', which does not exist",
        "'x-deadline-header':'end','x-deadline-notify':'amq.topic' | | ",
        "'x-mesage-ttl':5 | MISTYPED_ARGUMENT | is 'x-message-ttl' meant?",
        "'x-own':5 | | ",
      })
  void settingsThatMissWhatTheyAreForAreTold(String arguments, LintRule rule, String words)
      throws Exception {
    queue("dead", "");
    queue("orders", "'x-dead-letter-exchange':'','x-dead-letter-routing-key':'dead'," + arguments);
    assertThat(rules()).isEqualTo(rule == null ? List.of() : List.of(rule));
    if (rule != null) {
      assertThat(findings().get(0).object()).isEqualTo("queue 'orders' in vhost '/'");
      assertThat(findings().get(0).sentence()).contains(words);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'arguments':{'x-max-length':-1} | queue 'a b' in vhost '/': invalid arg 'x-max-length'",
        "'durable':7 | queues[0] ('a b'): 'durable' is 7: expected true or false",
      })
  void aProofSaysWhatIsWrongWithAQueue(String wrong, String message) {
    byte[] json =
        "{'vhosts':[{'name':'/'}],'queues':[{'vhost':'/','name':'a b',%s}]}"
            .formatted(wrong)
            .replace('\'', '"')
            .getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> DefinitionsLint.prove(json, "/", "a b"))
        .isInstanceOf(DefinitionsException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void anExchangeWithoutBindingsIsTold() throws Exception {
    exchange("events", "topic", "");
    exchange("kept", "topic", "'alternate-exchange':'amq.fanout'");
    assertThat(rules()).containsExactly(LintRule.EXCHANGE_WITHOUT_BINDINGS);
  }
}
