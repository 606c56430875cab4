package io.mayflymq.it.harness;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests an {@link Amqp}, closed after the test, or the {@link Target} itself. The broker is
 * started by the first test that needs it and stopped, and judged, after the last.
 */
public final class BrokerExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(BrokerExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Amqp.class || type == Target.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Target target = target(context);
    if (parameter.getParameter().getType() == Target.class) {
      return target;
    }
    return context
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(Amqp.class, key -> new Amqp(target, hint(context)), Amqp.class);
  }

  static Target target(ExtensionContext context) {
    Store shared = context.getRoot().getStore(NAMESPACE);
    return isRemote(context)
        ? shared
            .getOrComputeIfAbsent(
                RemoteQueues.class, key -> RemoteQueues.start(), RemoteQueues.class)
            .clients()
        : shared.getOrComputeIfAbsent(Target.class, key -> Target.open(), Target.class);
  }

  /** Whether queues are on another node than their clients. */
  static boolean isRemote(ExtensionContext context) {
    return context.getConfigurationParameter(RemoteQueues.PARAMETER).isPresent();
  }

  private static String hint(ExtensionContext context) {
    return context.getRequiredTestClass().getSimpleName()
        + "."
        + context.getTestMethod().map(method -> method.getName()).orElse("all");
  }
}
