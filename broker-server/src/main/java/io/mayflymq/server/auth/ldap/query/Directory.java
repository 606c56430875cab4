package io.mayflymq.server.auth.ldap.query;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * What queries look at. An entry that is missing, or that may not be seen, has nothing. Each method
 * throws {@link UndecidedException} if the directory says neither yes nor no, and {@link
 * IOException} if it says nothing: then the whole question has to be asked again elsewhere.
 */
public interface Directory {
  /** Returns whether there is an entry. */
  boolean exists(String dn) throws UndecidedException, IOException;

  /** Returns whether an attribute of an entry has a value, compared as the directory does. */
  boolean has(String dn, String attribute, String value) throws UndecidedException, IOException;

  /** Returns all values of an attribute of an entry. */
  List<String> values(String dn, String attribute) throws UndecidedException, IOException;

  /**
   * Returns the groups that have one of some members, in one form for each group.
   *
   * @param members distinguished names
   * @param attribute which has the members of a group
   * @param isOneLevel whether only groups right below the base of groups count
   */
  List<String> groupsOf(Collection<String> members, String attribute, boolean isOneLevel)
      throws UndecidedException, IOException;

  /** Returns the form of a distinguished name that {@link #groupsOf} has for it. */
  String normalized(String dn) throws UndecidedException;
}
