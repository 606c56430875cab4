package io.mayflymq.server.alarm;

/** A condition that needs the operator's attention. Two alarms are the same if they are equal. */
public sealed interface Alarm {
  /** Returns the text that begins a line in the log. */
  String title();

  /** Returns whether publishers have to wait as long as it is raised. */
  default boolean blocksPublishers() {
    return true;
  }

  /** Returns its subject: the word for a resource, or what does not work. */
  String source();

  /** A resource that is scarce. */
  enum Resource implements Alarm {
    DISK("disk"),
    MEMORY("memory");

    private final String word;

    Resource(String word) {
      this.word = word;
    }

    /** Returns its name, also used in the reason for clients. */
    public String word() {
      return word;
    }

    @Override
    public String source() {
      return word;
    }

    @Override
    public String title() {
      return word + " resource limit alarm";
    }
  }

  /**
   * A resource alarm that an operator has raised manually. It is independent of the monitors, and
   * stays until the operator clears it. Clients get the same reason as for a real one.
   */
  record ByHand(Resource resource) implements Alarm {
    @Override
    public String title() {
      return resource.title() + " (set by hand)";
    }

    @Override
    public String source() {
      return resource.source();
    }
  }

  /**
   * A resource that is scarce on another node of the cluster. Clients get the same reason as for
   * one of this node.
   *
   * @param node the name of that node
   */
  record OfNode(String node, Resource resource) implements Alarm {
    @Override
    public String title() {
      return "%s on node %s".formatted(resource.title(), node);
    }

    @Override
    public String source() {
      return resource.source();
    }
  }

  /**
   * A permanent failure. Publishers are not blocked, as messages to the failed part are refused.
   *
   * @param description what, in a few words, such as "message log 0 has failed"
   */
  record Failure(String description) implements Alarm {
    @Override
    public boolean blocksPublishers() {
      return false;
    }

    @Override
    public String title() {
      return "failure '" + description + "'";
    }

    @Override
    public String source() {
      return description;
    }
  }

  /**
   * A fault that may pass; the alarm is cleared when it has passed.
   *
   * @param description what, in a few words that clients are told, such as "message log of shard 0
   *     cannot be written"
   */
  record Fault(String description) implements Alarm {
    @Override
    public String title() {
      return "alarm '" + description + "'";
    }

    @Override
    public String source() {
      return description;
    }
  }
}
