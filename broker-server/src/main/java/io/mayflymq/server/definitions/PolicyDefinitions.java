package io.mayflymq.server.definitions;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where the policies of definitions come from and go to. */
public interface PolicyDefinitions {

  /** All policies and operator policies of this moment. */
  List<PolicyDefinition> export();

  /**
   * Why a policy would be passed over, though nothing is wrong with it; null if it would be set.
   *
   * @throws IllegalArgumentException if something is wrong with it; the message says what
   */
  String refusal(PolicyDefinition policy);

  /** Sets a policy for which {@link #refusal} had nothing to say; done when that is safe. */
  CompletableFuture<Void> set(PolicyDefinition policy);
}
