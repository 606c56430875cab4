package io.mayflymq.server.auth;

import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;

/** What a user was allowed last: most messages of a channel need the same. For one thread. */
public final class LastAllowed {
  private ResourceKind kind;
  private String name;
  private Permission permission;
  private String exchange;
  private String routingKey;
  private Permission topicPermission;

  /** Returns whether it was this. */
  public boolean is(ResourceKind askedKind, String askedName, Permission asked) {
    return asked == permission && askedKind == kind && askedName.equals(name);
  }

  /** Notes that it was this. */
  public void was(ResourceKind allowedKind, String allowedName, Permission allowed) {
    kind = allowedKind;
    name = allowedName;
    permission = allowed;
  }

  /** The same for routing keys of topic exchanges. */
  public boolean isTopic(String askedExchange, String askedKey, Permission asked) {
    return asked == topicPermission
        && askedKey.equals(routingKey)
        && askedExchange.equals(exchange);
  }

  /** Notes a routing key. */
  public void wasTopic(String allowedExchange, String allowedKey, Permission allowed) {
    exchange = allowedExchange;
    routingKey = allowedKey;
    topicPermission = allowed;
  }

  /** Forgets all. */
  public void forget() {
    permission = null;
    topicPermission = null;
  }
}
