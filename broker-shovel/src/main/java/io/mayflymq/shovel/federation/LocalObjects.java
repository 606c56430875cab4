package io.mayflymq.shovel.federation;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** What federation sees of the exchanges and queues of this broker. Any thread may call. */
public interface LocalObjects {
  /**
   * The routing key and arguments of bindings from an exchange, whatever these lead to.
   *
   * @param identity two are the same if these are equal
   * @param key the routing key
   * @param arguments the arguments, as the client has them
   */
  record Binding(Object identity, String key, Map<String, Object> arguments) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Binding binding && identity.equals(binding.identity);
    }

    @Override
    public int hashCode() {
      return identity.hashCode();
    }
  }

  /**
   * Returns something that is equal to what an earlier call has returned if no exchange, queue,
   * binding or policy has changed since. Cheap.
   */
  Object version();

  /**
   * Returns the exchanges and queues that policies federate, and queues that upstreams name
   * themselves; also those of other nodes.
   *
   * @param queuePatterns returns the patterns of the queues that upstreams of a virtual host name
   */
  List<Federated> federated(Function<String, Collection<Pattern>> queuePatterns);

  /** Returns the bindings from an exchange; none if it is gone. */
  Set<Binding> bindings(String vhost, String exchange);

  /**
   * Returns whether the consumers of a queue have nothing to do: it has some, and no message is
   * ready. May wait a moment.
   */
  boolean wantsMessages(String vhost, String queue);
}
