package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Annotation;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/**
 * The tests of a class restart one broker together. Each is written as if the broker were its own:
 * it fills queues, calls {@link RestartedBroker#restart}, and looks at them. All tests of a class
 * run at once, each in a thread and in a virtual host of its own; the broker ends when all of them
 * have got to their next restart, or are done, and starts when all want it to. So a class costs as
 * many starts as its longest test has, rather than as all of them have.
 *
 * <p>There is one broker for each {@link Ending} that the tests have: that of a parameter, else
 * that of {@link By}, else a kill. Brokers that are killed are processes, others are embedded.
 *
 * <p>The class has one field of type {@link RestartedBroker}, which is set. All of it happens
 * before JUnit calls the first test; a call of a test then gives its result, by its own name.
 * Arguments may come from {@link EnumSource}, {@link ValueSource} with strings, and {@link
 * CsvSource}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({TargetCondition.class, RestartedTogether.Extension.class})
@OwnBroker
public @interface RestartedTogether {
  /** How a test without a parameter for it ends the broker. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface By {
    /** The ending. */
    Ending value();
  }

  /** Runs the tests, and gives JUnit their results. */
  final class Extension implements BeforeAllCallback, InvocationInterceptor {
    private final Map<List<Object>, Case> cases = new ConcurrentHashMap<>();

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
      Class<?> type = context.getRequiredTestClass();
      Map<Ending, List<Case>> groups = new EnumMap<>(Ending.class);
      for (Method method : methods(type, Test.class)) {
        add(new Case(type, method, List.of()), groups);
      }
      for (Method method : methods(type, ParameterizedTest.class)) {
        for (List<Object> arguments : arguments(method)) {
          add(new Case(type, method, arguments), groups);
        }
      }
      List<Group> running = new ArrayList<>();
      for (Map.Entry<Ending, List<Case>> group : groups.entrySet()) {
        running.add(Group.start(type, group.getKey(), group.getValue()));
      }
      for (Group group : running) {
        group.finish();
      }
    }

    private void add(Case added, Map<Ending, List<Case>> groups) {
      cases.put(List.of(added.method, added.arguments), added);
      groups.computeIfAbsent(added.ending(), any -> new ArrayList<>()).add(added);
    }

    private static List<Method> methods(Class<?> type, Class<? extends Annotation> annotation) {
      return AnnotationSupport.findAnnotatedMethods(
          type, annotation, HierarchyTraversalMode.TOP_DOWN);
    }

    private static List<List<Object>> arguments(Method method) {
      Class<?>[] types = method.getParameterTypes();
      EnumSource constants = method.getAnnotation(EnumSource.class);
      ValueSource values = method.getAnnotation(ValueSource.class);
      CsvSource rows = method.getAnnotation(CsvSource.class);
      if (constants != null) {
        return Stream.of(Ending.values()).map(List::<Object>of).toList();
      }
      String[] lines = values != null ? values.strings() : rows.value();
      return Stream.of(lines)
          .map(
              line -> {
                String[] cells = values != null ? new String[] {line} : line.split(", *");
                List<Object> converted = new ArrayList<>();
                for (int i = 0; i < cells.length; i++) {
                  converted.add(types[i] == Ending.class ? Ending.valueOf(cells[i]) : cells[i]);
                }
                return converted;
              })
          .toList();
    }

    @Override
    public void interceptBeforeEachMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> called,
        ExtensionContext context) {
      invocation.skip(); // Each case has called it.
    }

    @Override
    public void interceptTestMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> called,
        ExtensionContext context)
        throws Throwable {
      tell(invocation, called);
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> called,
        ExtensionContext context)
        throws Throwable {
      tell(invocation, called);
    }

    private void tell(Invocation<Void> invocation, ReflectiveInvocationContext<Method> called)
        throws Throwable {
      invocation.skip();
      Case found = cases.get(List.of(called.getExecutable(), called.getArguments()));
      if (found == null) {
        throw new IllegalStateException("no run of " + called.getExecutable());
      }
      found.tell();
    }
  }

  /** One test with its arguments. */
  final class Case {
    private final Class<?> type;
    private final Method method;
    private final List<Object> arguments;
    private volatile boolean done;
    private volatile Throwable failure;

    private Case(Class<?> type, Method method, List<Object> arguments) {
      this.type = type;
      this.method = method;
      this.arguments = arguments;
    }

    private Ending ending() {
      By by = method.getAnnotation(By.class);
      Ending without = by == null ? Ending.KILL : by.value();
      return arguments.stream()
          .filter(Ending.class::isInstance)
          .map(Ending.class::cast)
          .findAny()
          .orElse(without);
    }

    private String vhost() {
      StringBuilder name = new StringBuilder(method.getName());
      arguments.forEach(argument -> name.append('-').append(argument));
      return name.toString();
    }

    private void run(RestartedBroker broker) {
      try (broker) {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object test = constructor.newInstance();
        Field field =
            Arrays.stream(type.getDeclaredFields())
                .filter(any -> any.getType() == RestartedBroker.class)
                .findFirst()
                .orElseThrow();
        field.setAccessible(true);
        field.set(test, broker);
        for (Method before : Extension.methods(type, BeforeEach.class)) {
          before.setAccessible(true);
          before.invoke(test);
        }
        method.setAccessible(true);
        method.invoke(test, arguments.toArray());
        broker.deleteVhost();
        done = true;
      } catch (InvocationTargetException e) {
        failure = e.getCause();
      } catch (Exception | Error e) {
        failure = e;
      }
    }

    private void tell() throws Throwable {
      if (failure != null) {
        throw failure;
      }
      assertThat(done).as("%s has come to its end", vhost()).isTrue();
    }
  }

  /** The cases that end the broker in the same way, and their broker. */
  final class Group {
    private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(4);

    private final SharedRestarts restarts;
    private final List<Thread> threads = new ArrayList<>();

    private Group(SharedRestarts restarts) {
      this.restarts = restarts;
    }

    private static Group start(Class<?> type, Ending ending, List<Case> cases) throws Exception {
      SharedRestarts restarts =
          new SharedRestarts(
              ending,
              Files.createTempDirectory(Broker.workRoot(), type.getSimpleName()),
              cases.size());
      Group group = new Group(restarts);
      for (Case each : cases) {
        RestartedBroker view = RestartedBroker.shared(restarts, each.vhost());
        Thread thread = new Thread(() -> each.run(view), each.vhost());
        thread.setDaemon(true);
        group.threads.add(thread);
        thread.start();
      }
      return group;
    }

    /** Waits for all, and fails if the broker had thrown, leaked, or did not stop as it should. */
    private void finish() throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      }
      List<Thread> hanging = threads.stream().filter(Thread::isAlive).toList();
      hanging.forEach(Thread::interrupt);
      restarts.close();
      assertThat(hanging).as("tests that have not come to their end").isEmpty();
    }
  }
}
