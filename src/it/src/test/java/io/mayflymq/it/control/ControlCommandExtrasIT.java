package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the control command does that RabbitMQ's does otherwise, or not. */
@BlackBox
class ControlCommandExtrasIT {
  @Test
  @MayflyOnly("there is one node only")
  void commandsThatDoNotApplyExplainWhy(Target target) {
    ControlCommand control = ControlCommand.of(target);
    for (String command : List.of("rename_cluster_node", "sync_queue", "eval")) {
      Outcome outcome = control.run(command, "x");
      assertThat(outcome.exit()).as(command).isEqualTo(69);
      assertThat(outcome.err().get(1)).startsWith(command + " is not applicable: ");
    }
  }

  @Test
  @MayflyOnly("RabbitMQ stops at the first definition that is wrong")
  void definitionsThatAreWrongAreLeftOutUnlessTheImportIsStrict(
      Target target, @TempDir Path directory) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String file =
        Files.writeString(
                directory.resolve("definitions.json"),
                "{\"users\":[{\"name\":5}],\"global_parameters\":[{\"name\":\"fine\",\"value\":1}]}")
            .toString();
    String wrong = "users[0]: 'name' is 5: expected a text";
    Outcome strict = control.run("import_definitions", "--strict", file);
    assertThat(strict.exit()).isEqualTo(69);
    assertThat(strict.err()).anyMatch(line -> line.contains(wrong));
    assertThat(control.run("list_global_parameters", "-s").out())
        .noneMatch(line -> line.contains("fine"));
    Outcome lenient = control.run("import_definitions", file);
    assertThat(lenient.exit()).isZero();
    assertThat(lenient.out()).contains("imported 1, skipped 1", "  " + wrong);
    assertThat(control.run("list_global_parameters", "-s").out())
        .anyMatch(line -> line.contains("fine"));
    assertThat(control.run("clear_global_parameter", "fine").exit()).isZero();
  }

  @Test
  @MayflyOnly("RabbitMQ passes over such definitions")
  void strictImportChangesNothingIfAQueueCannotBeDeclared(Target target, @TempDir Path directory)
      throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String file =
        Files.writeString(
                directory.resolve("definitions.json"),
                "{\"queues\":[{\"vhost\":\"/\",\"name\":\"strict-good\"},"
                    + "{\"vhost\":\"/\",\"name\":\"strict-bad\",\"type\":\"quorum\",\"durable\":false}],"
                    + "\"foo\":[]}")
            .toString();
    Outcome strict = control.run("import_definitions", "--strict", file);
    assertThat(strict.exit()).isEqualTo(69);
    assertThat(strict.err())
        .anyMatch(line -> line.contains("queue 'strict-bad' in vhost '/': invalid property"))
        .anyMatch(line -> line.contains("'foo': not a part of definitions"));
    assertThat(control.run("list_queues", "name", "-s").out()).doesNotContain("strict-good");
    Outcome lint = control.run("lint", file);
    assertThat(lint.exit()).isEqualTo(65);
    assertThat(lint.out())
        .anyMatch(
            line -> line.startsWith("error: queue 'strict-bad' in vhost '/': invalid property"))
        .anyMatch(line -> line.startsWith("error: the document: 'foo'"));
    assertThat(control.run("lint", directory.toString()).err())
        .contains("cannot read " + directory + ": it is a directory, expected a file");
  }

  @Test
  @MayflyOnly("RabbitMQ has other limits")
  void limitsAreSetAllOrNone(Target target) {
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("add_user", "all-or-none", "secret").exit()).isZero();
    for (String definition :
        List.of(
            "{\"publish-rate\":500,\"delivery-rate\":1.5}",
            "{\"max-connections\":1,\"max-channels\":\"x\"}",
            "{\"max-connections\":1,\"publish-rate\":0}")) {
      Outcome refused = control.run("set_user_limits", "all-or-none", definition);
      assertThat(refused.exit()).as(definition).isEqualTo(69);
      assertThat(refused.err()).anyMatch(line -> line.contains("should be"));
    }
    assertThat(control.run("list_user_limits", "--user", "all-or-none").out()).contains("{}");
    Outcome ofVhost = control.run("set_vhost_limits", "{\"max-queues\":5,\"publish-rate\":0}");
    assertThat(ofVhost.exit()).isEqualTo(69);
    assertThat(ofVhost.err())
        .anyMatch(line -> line.contains("publish-rate should be 1 or more, or negative"));
    assertThat(control.run("list_vhost_limits").out())
        .noneMatch(line -> line.contains("max-queues"));
    assertThat(control.run("delete_user", "all-or-none").exit()).isZero();
  }

  @Test
  @MayflyOnly("RabbitMQ completes commands by another one")
  void generateCompletionPrintsAScript(Target target) {
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("generate_completion").out())
        .startsWith("#!/usr/bin/env bash")
        .anyMatch(line -> line.contains("set_operator_policy"));
  }

  @Test
  @MayflyOnly("RabbitMQ asks its node nothing at all with --dry-run")
  void aDryRunOfAnyCommandChangesNothing(Target target) {
    ControlCommand control = ControlCommand.of(target);
    for (List<String> change :
        List.of(
            List.of("add_vhost", "never"),
            List.of("add_user", "never", "secret"),
            List.of("set_policy", "never", ".*", "{\"max-length\":1}"),
            List.of("set_global_parameter", "never", "1"))) {
      List<String> call = new ArrayList<>(change);
      call.add("--dry-run");
      Outcome outcome = control.run(call.toArray(new String[0]));
      assertThat(outcome.exit()).as("%s", call).isZero();
      assertThat(outcome.out()).startsWith("Dry run: nothing was changed");
    }
    for (String list :
        List.of("list_vhosts", "list_users", "list_policies", "list_global_parameters")) {
      assertThat(control.run(list, "-s").out()).as(list).noneMatch(line -> line.contains("never"));
    }
  }

  @Test
  @MayflyOnly("the exchange's name is in RabbitMQ's dialect of Erlang")
  void topicPermissionsAreClearedByExchange(Target target) {
    ControlCommand control = ControlCommand.of(target);
    for (String exchange : List.of("amq.topic", "other")) {
      assertThat(control.run("set_topic_permissions", "guest", exchange, "^a", ".*").exit())
          .isZero();
    }
    assertThat(control.run("clear_topic_permissions", "guest", "other").exit()).isZero();
    assertThat(control.run("list_topic_permissions", "-s").out())
        .anyMatch(line -> line.contains("amq.topic"))
        .noneMatch(line -> line.contains("other"));
    assertThat(control.run("clear_topic_permissions", "guest").exit()).isZero();
  }
}
