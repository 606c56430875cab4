package io.mayflymq.server.ctl;

/** RabbitMQ's commands that have nothing to do here: they are refused, with the reason. */
final class NotApplicable {
  private NotApplicable() {}

  /**
   * Returns such a command.
   *
   * @param reason why, as the end of a sentence
   */
  public static Command command(String name, String reason) {
    return Command.named(name, "Not applicable: " + reason)
        .takesMany("argument")
        .action(
            invocation -> {
              throw ControlException.error(
                  Sysexits.UNAVAILABLE, name + " is not applicable: " + reason);
            });
  }
}
