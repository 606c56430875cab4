package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients were told of the arguments of durable queues, which may adopt others: after a crash
 * a queue has those that were confirmed last, or some that were asked for meanwhile.
 */
final class AdoptedArguments {
  /** A declaration that may be in force, or come to be. */
  static final class Wanted {
    private final String name;
    private final FieldTable arguments;
    private boolean done;

    private Wanted(String name, FieldTable arguments) {
      this.name = name;
      this.arguments = arguments;
    }
  }

  private final List<Wanted> open = new ArrayList<>();

  /** What was confirmed last, by the numbers of the queues. */
  private final Map<Long, FieldTable> confirmed = new HashMap<>();

  /** A queue is about to be declared. */
  Wanted requested(QueueDeclaration declaration) {
    Wanted wanted = new Wanted(declaration.name(), declaration.arguments());
    open.add(wanted);
    return wanted;
  }

  /**
   * A declaration was confirmed; the queue has gone meanwhile if it is null. What is in force by
   * now may be that of another one, which is not written yet.
   */
  void confirmed(Wanted wanted, Queue queue) {
    wanted.done = true;
    if (queue != null
        && queue.definition().durable()
        && queue.definition().arguments().equals(wanted.arguments)) {
      confirmed.put(queue.id(), wanted.arguments);
      open.removeIf(each -> each.done && each.name.equals(wanted.name));
    }
  }

  /** Compares with what a broker has that was started on what a crash left. */
  void check(RoutingTable<Queue> found) {
    found.forEachQueue(
        (name, queue) -> {
          FieldTable arguments = queue.definition().arguments();
          FieldTable told = confirmed.get(queue.id());
          if (told != null && !arguments.equals(told)) {
            assertThat(open.stream().map(each -> each.arguments))
                .as("arguments of %s, which were confirmed as %s", name, told)
                .contains(arguments);
            confirmed.put(queue.id(), arguments);
          }
        });
    open.clear();
  }
}
