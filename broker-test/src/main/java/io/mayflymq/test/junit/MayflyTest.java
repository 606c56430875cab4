package io.mayflymq.test.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a broker. Tests, and methods that run before or after them, may have
 * parameters of these types: {@code MayflyBroker}, {@code MayflyClock}, {@code java.time.Clock},
 * and {@code com.rabbitmq.client.ConnectionFactory} if the application has RabbitMQ's client.
 *
 * <p>When a test fails, its exception has a report of the broker as a suppressed one: queues,
 * bindings, deaths of messages, and who has not acknowledged.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(MayflyExtension.class)
public @interface MayflyTest {
  /** For how long a broker is there. */
  enum Scope {
    /** Each test has its own. */
    EACH,
    /** The tests of the class have one together, also in their constructor. */
    CLASS,
    /** All classes with the same annotation have one together, until the last test has run. */
    RUN
  }

  /** Returns for how long a broker is there. */
  Scope scope() default Scope.EACH;

  /**
   * Returns resources with definitions to import, such as {@code /rabbit.json}; a name without a
   * slash is looked for beside the class.
   */
  String[] definitions() default {};

  /** Returns policies of the virtual host {@code /}. */
  Policy[] policies() default {};

  /** Returns keys of the configuration, such as {@code consumer_timeout=60000}. */
  String[] settings() default {};

  /** Returns where the clock stands first, such as {@code 2026-01-01T00:00:00Z}. */
  String clockStart() default "";

  /** A policy. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target({})
  @interface Policy {
    /** Returns its name. */
    String name();

    /** Returns the regular expression of the names that it is for. */
    String pattern();

    /** Returns what it sets, as JSON: <code>{"message-ttl": 60000}</code>. */
    String definition();
  }
}
