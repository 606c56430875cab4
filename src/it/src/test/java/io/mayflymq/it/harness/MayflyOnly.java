package io.mayflymq.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The test checks a rule of MayflyMQ, or one newer than the compared broker. It is skipped against
 * another broker.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TargetCondition.class)
public @interface MayflyOnly {
  /** How the other broker differs. */
  String value();
}
