package io.mayflymq.core.deprecation;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which deprecated features may be used on this node, and how often each was since the start.
 * Thread-safe. None is used for each message.
 */
public final class DeprecatedFeatures {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeprecatedFeatures.class);

  private final Supplier<Set<DeprecatedFeature>> denied;
  private final Map<DeprecatedFeature, AtomicLong> uses = new EnumMap<>(DeprecatedFeature.class);
  private final Set<DeprecatedFeature> logged = ConcurrentHashMap.newKeySet();

  /**
   * Creates it without any use.
   *
   * @param denied gives those that may not be used
   */
  public DeprecatedFeatures(Supplier<Set<DeprecatedFeature>> denied) {
    this.denied = denied;
    for (DeprecatedFeature feature : DeprecatedFeature.values()) {
      uses.put(feature, new AtomicLong());
    }
  }

  /** Returns what permits the same and counts for itself, for checks of what may not come. */
  public DeprecatedFeatures uncounted() {
    return new DeprecatedFeatures(denied);
  }

  /** Returns whether a feature may be used. */
  public boolean permits(DeprecatedFeature feature) {
    return !denied.get().contains(feature);
  }

  /**
   * Notes that a client or an operator wants to use a feature.
   *
   * @return whether it may be used; if not, that is logged once and does not count as a use
   */
  public boolean use(DeprecatedFeature feature) {
    if (permits(feature)) {
      uses.get(feature).incrementAndGet();
      return true;
    }
    if (logged.add(feature)) {
      LOGGER.warn(
          "a client wanted the deprecated feature {}, which is denied by {} = false; further"
              + " attempts are not logged",
          feature.featureName(),
          feature.configurationKey());
    }
    return false;
  }

  /**
   * Notes the use of a feature.
   *
   * @param byClient whether a client wants it by AMQP; else an operator does by other means
   * @throws ConnectionException 541, as in RabbitMQ 4.3.6, if it is denied to a client
   * @throws ChannelException 406 if it is denied to an operator
   */
  public void require(DeprecatedFeature feature, boolean byClient) {
    if (use(feature)) {
      return;
    }
    if (byClient) {
      throw new ConnectionException(ReplyCode.INTERNAL_ERROR, feature.refusal());
    }
    throw new ChannelException(ReplyCode.PRECONDITION_FAILED, feature.refusal());
  }

  /** Returns how often a feature was used since the start. */
  public long uses(DeprecatedFeature feature) {
    return uses.get(feature).get();
  }
}
