package io.mayflymq.shovel;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.InnerEntrance;
import io.mayflymq.shovel.parameter.Adjustments;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shovels of a broker: one for each parameter of the component {@code shovel}. They are started
 * and stopped by a thread that is there only as long as it has something to do; without parameters
 * there is no thread, and no class of the client is loaded. Any thread may call.
 */
public final class Shovels implements ParameterComponent, AutoCloseable {
  /** The name of the component. */
  public static final String COMPONENT = "shovel";

  private static final Logger LOGGER = LoggerFactory.getLogger(Shovels.class);

  /**
   * What they need of the broker.
   *
   * @param administration has the parameters
   * @param json reads JSON as Java has it
   * @param inner leads to the broker itself
   * @param cluster the name of the cluster
   * @param isHere whether this node of a cluster is the one that they run on
   * @param events is told of their states
   * @param threads makes their threads
   */
  public record Surroundings(
      Administration administration,
      Function<String, Object> json,
      InnerEntrance inner,
      Supplier<String> cluster,
      BooleanSupplier isHere,
      BrokerEvents events,
      BrokerThreads threads) {}

  private record Key(String vhost, String name) {}

  /** A shovel, and the value of the parameter that it was made from. */
  private record Running(String json, Shovel shovel) {}

  private final Map<Key, Running> running = new ConcurrentHashMap<>();

  /** Those that are being stopped: one of the same name is not started before. */
  private final Map<Key, Shovel> ending = new ConcurrentHashMap<>();

  private final Adjustments adjustments = new Adjustments("shovels");

  /** Null before the first shovel. For the thread of adjustments. */
  private BrokerConnections connections;

  @Override
  public String name() {
    return COMPONENT;
  }

  @Override
  public List<String> problems(String name, Object value, Predicate<String> mayUse) {
    ShovelParser.Parsed parsed = ShovelParser.parse(name, value);
    return parsed.definition() == null
        ? parsed.problems()
        : parsed.definition().localVhosts().stream()
            .filter(mayUse.negate())
            .map("there is no vhost \"%s\" that you may use"::formatted)
            .toList();
  }

  @Override
  public Object masked(Object value) {
    return ShovelParser.masked(value);
  }

  /** Begins to run shovels. */
  public void start(Surroundings broker) {
    adjustments.start(broker.threads(), () -> adjust(broker));
    if (broker.administration().parameters().any(COMPONENT)) {
      changed();
    }
  }

  /** Parameters, or the node that shovels run on, may have changed. Does not block. */
  @Override
  public void changed() {
    adjustments.changed();
  }

  /** Has what is not wanted any more stop, and starts what is missing. */
  private void adjust(Surroundings broker) {
    Map<Key, Parameter> wanted = new LinkedHashMap<>();
    if (broker.isHere().getAsBoolean()) {
      for (Parameter parameter : broker.administration().parameters().list()) {
        if (parameter.component().equals(COMPONENT)) {
          wanted.put(new Key(parameter.vhost(), parameter.name()), parameter);
        }
      }
    }
    Map<Key, Shovel> unwanted = new LinkedHashMap<>();
    running.forEach(
        (key, shovel) -> {
          Parameter parameter = wanted.get(key);
          if (parameter == null || !parameter.json().equals(shovel.json)) {
            unwanted.put(key, shovel.shovel);
          }
        });
    if (!unwanted.isEmpty()) {
      ending.putAll(unwanted);
      running.keySet().removeAll(unwanted.keySet());
      unwanted.values().forEach(Shovel::end);
      // One that does not get an answer takes seconds, for which the others do not wait.
      broker.threads().auxiliary("shovels-end", () -> finish(unwanted, broker.events())).start();
    }
    wanted.forEach(
        (key, parameter) -> {
          if (!running.containsKey(key) && !ending.containsKey(key)) {
            start(key, parameter, broker);
          }
        });
  }

  /** Waits until shovels have stopped. */
  private void finish(Map<Key, Shovel> unwanted, BrokerEvents events) {
    unwanted.forEach(
        (key, shovel) -> {
          try {
            shovel.stop();
            LOGGER.info("{} has stopped", shovel);
            events.happened(ShovelEvent.removed(shovel.vhost(), shovel.name()));
          } catch (RuntimeException e) {
            LOGGER.error("{} has not stopped in order", shovel, e);
          } finally {
            ending.remove(key, shovel);
            changed();
          }
        });
  }

  private void start(Key key, Parameter parameter, Surroundings broker) {
    ShovelParser.Parsed parsed =
        ShovelParser.parse(key.name, broker.json().apply(parameter.json()));
    if (parsed.definition() == null) {
      LOGGER.warn(
          "shovel '{}' in vhost '{}' does not run: {}",
          key.name,
          key.vhost,
          String.join("; ", parsed.problems()));
      return;
    }
    if (connections == null) {
      connections = new BrokerConnections(broker.threads(), broker.inner());
    }
    Shovel shovel =
        new Shovel(
            key.vhost,
            key.name,
            parsed.definition(),
            connections,
            broker.cluster(),
            broker.events(),
            () -> remove(key, broker),
            broker.threads());
    running.put(key, new Running(parameter.json(), shovel));
    shovel.start();
  }

  /** Removes the parameter of a shovel that has moved all it was to move. */
  private static void remove(Key key, Surroundings broker) {
    try {
      broker
          .administration()
          .parameters()
          .clear(key.vhost, COMPONENT, key.name)
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  notRemoved(key, Causes.of(failure));
                }
              });
    } catch (AdministrationException e) {
      notRemoved(key, e);
    }
  }

  private static void notRemoved(Key key, Throwable why) {
    LOGGER.warn(
        "the parameter of shovel '{}' in vhost '{}', which is done, was not removed: {}",
        key.name,
        key.vhost,
        why.getMessage());
  }

  /** Returns what the shovels of this node do, by virtual host and name. */
  public List<ShovelStatus> statuses() {
    return running.values().stream()
        .map(each -> each.shovel.status())
        .sorted(Comparator.comparing(ShovelStatus::vhost).thenComparing(ShovelStatus::name))
        .toList();
  }

  /** Stops a shovel and starts it anew, if it runs on this node. */
  public void restart(String vhost, String name) {
    Key key = new Key(vhost, name);
    Running shovel = running.get(key);
    if (shovel != null && ending.putIfAbsent(key, shovel.shovel) == null) {
      running.remove(key, shovel);
      shovel.shovel.stop();
      ending.remove(key, shovel.shovel);
      changed();
    }
  }

  /** Stops all shovels in order. */
  @Override
  public void close() {
    if (!adjustments.stop()) {
      return;
    }
    // All at once, then each.
    running.values().forEach(each -> each.shovel.end());
    running.values().forEach(each -> each.shovel.stop());
    ending.values().forEach(Shovel::stop);
    running.clear();
    if (connections != null) {
      connections.close();
    }
  }
}
