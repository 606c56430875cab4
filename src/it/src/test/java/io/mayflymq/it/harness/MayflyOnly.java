package io.mayflymq.it.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The rule under test is ours (or newer than the broker it is compared with): skipped when the run
 * is against another broker.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TargetCondition.class)
public @interface MayflyOnly {
  /** In what the other broker differs. */
  String value();
}
