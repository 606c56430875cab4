package io.mayflymq.test.junit;

import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.test.MayflyBroker;
import io.mayflymq.test.MayflyClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives tests their brokers, as {@link MayflyTest} says. */
public final class MayflyExtension
    implements BeforeEachCallback, ParameterResolver, TestExecutionExceptionHandler {
  private static final Namespace NAMESPACE = Namespace.create(MayflyExtension.class);
  private static final String CONNECTION_FACTORY = "com.rabbitmq.client.ConnectionFactory";
  private static final Set<Class<?>> TYPES =
      Set.of(MayflyBroker.class, MayflyClock.class, Clock.class);

  /** What JUnit closes with the context that it belongs to. */
  @SuppressWarnings(
      "deprecation") // AutoCloseable will do from JUnit 5.13 on; tests have older ones
  private record Held(MayflyBroker broker)
      implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    @Override
    public void close() {
      broker.close();
    }
  }

  /** The broker is there although no parameter asks for it: a test may connect in other ways. */
  @Override
  public void beforeEach(ExtensionContext context) {
    broker(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return TYPES.contains(type) || type.getName().equals(CONNECTION_FACTORY);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    MayflyBroker broker = broker(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == MayflyBroker.class) {
      return broker;
    }
    if (type == MayflyClock.class) {
      return broker.clock();
    }
    return type == Clock.class ? broker.clock().asClock() : Amqp.connectionFactory(broker);
  }

  /** A class of its own, for applications without RabbitMQ's client. */
  private static final class Amqp {
    static Object connectionFactory(MayflyBroker broker) {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setHost(broker.host());
      factory.setPort(broker.port());
      factory.setUsername(broker.username());
      factory.setPassword(broker.password());
      return factory;
    }
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    try {
      failure.addSuppressed(new BrokerReport(broker(context).report()));
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
    throw failure;
  }

  private static MayflyBroker broker(ExtensionContext context) {
    MayflyTest asked =
        AnnotationSupport.findAnnotation(context.getTestClass(), MayflyTest.class)
            .or(
                () ->
                    context
                        .getTestClass()
                        .map(Class::getEnclosingClass)
                        .flatMap(
                            outer -> AnnotationSupport.findAnnotation(outer, MayflyTest.class)))
            .orElseThrow(() -> new ParameterResolutionException("expected @MayflyTest"));
    ExtensionContext owner =
        switch (asked.scope()) {
          case EACH -> context;
          case CLASS -> ofClass(context);
          case RUN -> context.getRoot();
        };
    if (asked.scope() == MayflyTest.Scope.EACH && context.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException(
          "there is a broker for each test: one for the class needs scope = CLASS or RUN");
    }
    Object key = asked.scope() == MayflyTest.Scope.RUN ? asked.toString() : MayflyBroker.class;
    return owner
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(
            key, any -> new Held(start(asked, context.getRequiredTestClass())), Held.class)
        .broker();
  }

  /** That of the class with the annotation, if a test is in a nested one. */
  private static ExtensionContext ofClass(ExtensionContext context) {
    ExtensionContext found = context;
    while (found.getTestMethod().isPresent()) {
      found = found.getParent().orElseThrow();
    }
    while (found.getTestClass().map(Class::getEnclosingClass).isPresent()
        && found.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      found = found.getParent().orElseThrow();
    }
    return found;
  }

  private static MayflyBroker start(MayflyTest asked, Class<?> test) {
    MayflyBroker.Builder builder = MayflyBroker.builder();
    for (String resource : asked.definitions()) {
      builder.definitions(text(test, resource));
    }
    for (String setting : asked.settings()) {
      int equals = setting.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("expected KEY=VALUE, found " + setting);
      }
      builder.set(setting.substring(0, equals).strip(), setting.substring(equals + 1).strip());
    }
    if (!asked.clockStart().isEmpty()) {
      builder.clockStart(Instant.parse(asked.clockStart()));
    }
    MayflyBroker broker = builder.start();
    try {
      for (MayflyTest.Policy policy : asked.policies()) {
        broker.api(
            "PUT",
            "policies/%2F/" + URLEncoder.encode(policy.name(), StandardCharsets.UTF_8),
            "{\"pattern\": %s, \"definition\": %s}"
                .formatted(quoted(policy.pattern()), policy.definition()));
      }
      return broker;
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String text(Class<?> test, String resource) {
    try (InputStream in = test.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException(
            "no resource '%s' with definitions for %s".formatted(resource, test.getName()));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
