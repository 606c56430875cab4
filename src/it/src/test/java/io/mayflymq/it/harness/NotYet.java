package io.mayflymq.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A rule of RabbitMQ that our broker does not follow yet, and refuses in words: runs against other
 * brokers, so that the test is known to be right when the rule comes.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TargetCondition.class)
public @interface NotYet {
  /** What is missing. */
  String value();
}
