package io.mayflymq.testing;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyAttributes;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives every property the same seed in every build, so that a build does not fail by chance. {@code
 * -Drandom.seed=new} searches with new seeds, {@code -Drandom.seed=N} repeats one, and {@code
 * -Drandom.tries=N} makes N times as many tries. A failure that is found becomes a test case of its
 * own.
 */
public final class FixedSeeds implements AroundPropertyHook {
  private static final String SEED = System.getProperty("random.seed", "20261122");
  private static final int TRIES_FACTOR = Integer.getInteger("random.tries", 1);

  /** The number of tries of a property that does not name one, as in the root's pom.xml. */
  private static final int DEFAULT_TRIES = 300;

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    PropertyAttributes attributes = context.attributes();
    if (!SEED.equals("new") && attributes.seed().isEmpty()) {
      attributes.setSeed(SEED);
    }
    if (TRIES_FACTOR > 1) {
      attributes.setTries(attributes.tries().orElse(DEFAULT_TRIES) * TRIES_FACTOR);
    }
    return property.execute();
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }
}
