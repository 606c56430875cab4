package io.mayflymq.server.alarm;

/** What an operator must know of. Two alarms are the same if they are equal. */
public sealed interface Alarm {
  /** How it opens a line in the log. */
  String title();

  /** Whether publishers have to wait as long as it is raised. */
  default boolean blocksPublishers() {
    return true;
  }

  /** What it is about: the word for a resource, or what does not work. */
  String source();

  /** Something of which there is too little left. */
  enum Resource implements Alarm {
    DISK("disk"),
    MEMORY("memory");

    private final String word;

    Resource(String word) {
      this.word = word;
    }

    /** Its name, also in the reason that clients are told. */
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
   * A resource that an operator says is scarce, whatever the monitors find, until he says
   * otherwise. Clients are told what they would be told if it were.
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
   * Something that has failed, and that waiting does not mend: publishers are not made to wait, as
   * what they publish there is refused.
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
   * Something that does not work, for as long as it does not.
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
