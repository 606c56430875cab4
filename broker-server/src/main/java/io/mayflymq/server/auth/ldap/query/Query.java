package io.mayflymq.server.auth.ldap.query;

import io.mayflymq.core.security.NamePattern;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A question that has the answer yes or no for each subject. Immutable.
 *
 * <p>What cannot be decided is never a yes, also not in a {@link Not}: {@link UndecidedException}
 * goes through to the outside, but for an {@link Or} of which another part is a yes, and an {@link
 * And} of which an earlier part is a no.
 */
public sealed interface Query {
  /**
   * Returns the answer.
   *
   * @throws UndecidedException if there is neither a yes nor a no
   * @throws IOException if the directory gives no answer
   */
  boolean holds(Subject subject, Directory directory) throws UndecidedException, IOException;

  /** Returns whether the directory may be needed for an answer. */
  boolean needsDirectory();

  /** Returns the queries that it consists of. */
  default List<Query> parts() {
    return List.of();
  }

  /** A fixed answer. */
  record Constant(boolean value) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory) {
      return value;
    }

    @Override
    public boolean needsDirectory() {
      return false;
    }
  }

  /** Is there an entry? */
  record Exists(Template dn) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      return directory.exists(dn.fillDn(subject));
    }

    @Override
    public boolean needsDirectory() {
      return true;
    }
  }

  /**
   * Is the user a member of a group?
   *
   * @param attribute which has the members
   */
  record InGroup(Template dn, String attribute) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      return directory.has(dn.fillDn(subject), attribute, subject.value(Variable.USER_DN));
    }

    @Override
    public boolean needsDirectory() {
      return true;
    }
  }

  /**
   * Is the user a member of a group, or of a member of that, and so on?
   *
   * @param isOneLevel whether only groups right below the base of groups count
   */
  record InGroupNested(Template dn, String attribute, boolean isOneLevel) implements Query {
    private static final int MOST_GROUPS = 10_000;

    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      String wanted = directory.normalized(dn.fillDn(subject));
      Set<String> seen = new HashSet<>();
      Collection<String> members = List.of(subject.value(Variable.USER_DN));
      while (!members.isEmpty()) {
        List<String> further = new ArrayList<>();
        for (String group : directory.groupsOf(members, attribute, isOneLevel)) {
          if (group.equals(wanted)) {
            return true;
          }
          if (seen.add(group)) {
            further.add(group);
          }
        }
        if (seen.size() > MOST_GROUPS) {
          throw new UndecidedException("the user is in more than %d groups".formatted(MOST_GROUPS));
        }
        members = further;
      }
      return false;
    }

    @Override
    public boolean needsDirectory() {
      return true;
    }
  }

  /** Is a value of one side a value of the other? */
  record Equals(Value left, Value right) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      List<String> values = left.values(subject, directory);
      return !values.isEmpty()
          && right.values(subject, directory).stream().anyMatch(values::contains);
    }

    @Override
    public boolean needsDirectory() {
      return left.needsDirectory() || right.needsDirectory();
    }
  }

  /** Is a regular expression found in a value? */
  record Match(Value value, Value regex) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      List<String> values = value.values(subject, directory);
      if (values.isEmpty()) {
        return false;
      }
      for (NamePattern pattern : regex.patterns(subject, directory)) {
        if (values.stream().anyMatch(pattern::matches)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public boolean needsDirectory() {
      return value.needsDirectory() || regex.needsDirectory();
    }
  }

  /** The opposite. */
  record Not(Query query) implements Query {
    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      return !query.holds(subject, directory);
    }

    @Override
    public boolean needsDirectory() {
      return query.needsDirectory();
    }

    @Override
    public List<Query> parts() {
      return List.of(query);
    }
  }

  /** Do all hold? The rest is not asked after the first that does not. */
  record And(List<Query> parts) implements Query {
    public And {
      parts = List.copyOf(parts);
    }

    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      for (Query part : parts) {
        if (!part.holds(subject, directory)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public boolean needsDirectory() {
      return parts.stream().anyMatch(Query::needsDirectory);
    }
  }

  /** Does one hold? The rest is not asked after the first that does. */
  record Or(List<Query> parts) implements Query {
    public Or {
      parts = List.copyOf(parts);
    }

    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      UndecidedException undecided = null;
      for (Query part : parts) {
        try {
          if (part.holds(subject, directory)) {
            return true;
          }
        } catch (UndecidedException e) {
          undecided = undecided == null ? e : undecided;
        }
      }
      if (undecided != null) {
        throw undecided;
      }
      return false;
    }

    @Override
    public boolean needsDirectory() {
      return parts.stream().anyMatch(Query::needsDirectory);
    }
  }

  /**
   * The first branch whose variable has its value decides. Without such a branch nothing is
   * decided.
   */
  record For(List<Branch> branches) implements Query {
    public For {
      branches = List.copyOf(branches);
    }

    /** What decides for one value of a variable. */
    public record Branch(Variable variable, String value, Query query) {}

    @Override
    public boolean holds(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      for (Branch branch : branches) {
        if (branch.value().equals(subject.value(branch.variable()))) {
          return branch.query().holds(subject, directory);
        }
      }
      throw new UndecidedException(
          branches.isEmpty()
              ? "a 'for' of the query has no branches"
              : "a 'for' of the query has no branch for %s = '%s'"
                  .formatted(
                      branches.get(0).variable().word(),
                      subject.value(branches.get(0).variable())));
    }

    @Override
    public boolean needsDirectory() {
      return parts().stream().anyMatch(Query::needsDirectory);
    }

    @Override
    public List<Query> parts() {
      return branches.stream().map(Branch::query).toList();
    }
  }
}
