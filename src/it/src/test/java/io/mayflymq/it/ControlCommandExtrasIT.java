package io.mayflymq.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the control command does that RabbitMQ's does otherwise, or not. */
@BlackBox
class ControlCommandExtrasIT {
  @Test
  @MayflyOnly("there is one node only")
  void saysWhatDoesNotApply(Target target) {
    ControlCommand control = ControlCommand.of(target);
    for (String command : List.of("join_cluster", "reset", "stop_app", "eval", "trace_on")) {
      Outcome outcome = control.run(command, "x");
      assertThat(outcome.exit()).as(command).isEqualTo(69);
      assertThat(outcome.err().get(1)).startsWith(command + " is not applicable: ");
    }
  }

  @Test
  @MayflyOnly("RabbitMQ completes commands by another one")
  void writesCompletions(Target target) {
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("generate_completion").out())
        .startsWith("#!/usr/bin/env bash")
        .anyMatch(line -> line.contains("set_operator_policy"));
  }
}
