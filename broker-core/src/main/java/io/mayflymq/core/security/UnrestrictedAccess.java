package io.mayflymq.core.security;

/** Access to all of a virtual host. */
final class UnrestrictedAccess extends VhostAccess {
  UnrestrictedAccess(String name, String vhost) {
    super(name, vhost);
  }

  @Override
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    return true;
  }

  @Override
  public boolean allowsTopic(String exchange, String routingKey, Permission permission) {
    return true;
  }

  /** Every tag that permits something. */
  @Override
  public boolean hasTag(String tag) {
    return true;
  }
}
