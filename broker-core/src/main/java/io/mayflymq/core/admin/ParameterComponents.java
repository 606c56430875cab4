package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.ParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.ParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The parts of the broker that have parameters. Thread-safe. */
final class ParameterComponents {
  private final List<ParameterComponent> all = new CopyOnWriteArrayList<>();

  void add(ParameterComponent component) {
    all.add(component);
  }

  Optional<ParameterComponent> find(String name) {
    return all.stream().filter(component -> component.name().equals(name)).findFirst();
  }

  /** Tells those whose parameters a change is about that it is in force. */
  void inForce(MetadataCommand command) {
    if (command instanceof ParameterSet set) {
      find(set.component()).ifPresent(ParameterComponent::changed);
    } else if (command instanceof ParameterCleared cleared) {
      find(cleared.component()).ifPresent(ParameterComponent::changed);
    } else if (command instanceof VhostDeleted) {
      all.forEach(ParameterComponent::changed);
    }
  }
}
