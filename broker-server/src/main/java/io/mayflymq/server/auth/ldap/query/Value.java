package io.mayflymq.server.auth.ldap.query;

import io.mayflymq.core.security.NamePattern;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A side of a comparison: a text, or what an attribute has. Immutable. */
public sealed interface Value {
  /** Returns its values; none if the attribute or its entry is missing. */
  List<String> values(Subject subject, Directory directory) throws UndecidedException, IOException;

  /** Returns its values as regular expressions. */
  List<NamePattern> patterns(Subject subject, Directory directory)
      throws UndecidedException, IOException;

  /** Returns whether the directory is needed for them. */
  boolean needsDirectory();

  /** A text. */
  record Text(Template template) implements Value {
    @Override
    public List<String> values(Subject subject, Directory directory) throws UndecidedException {
      return List.of(template.fill(subject));
    }

    @Override
    public List<NamePattern> patterns(Subject subject, Directory directory)
        throws UndecidedException {
      return List.of(pattern(template.fillRegex(subject)));
    }

    @Override
    public boolean needsDirectory() {
      return false;
    }
  }

  /** A regular expression that is the same for every subject. */
  record Regex(NamePattern pattern) implements Value {
    @Override
    public List<String> values(Subject subject, Directory directory) {
      return List.of(pattern.source());
    }

    @Override
    public List<NamePattern> patterns(Subject subject, Directory directory) {
      return List.of(pattern);
    }

    @Override
    public boolean needsDirectory() {
      return false;
    }
  }

  /** What an attribute of an entry has. */
  record Attribute(Template dn, String name) implements Value {
    @Override
    public List<String> values(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      return directory.values(dn.fillDn(subject), name);
    }

    @Override
    public List<NamePattern> patterns(Subject subject, Directory directory)
        throws UndecidedException, IOException {
      List<NamePattern> patterns = new ArrayList<>();
      for (String value : values(subject, directory)) {
        patterns.add(pattern(value));
      }
      return patterns;
    }

    @Override
    public boolean needsDirectory() {
      return true;
    }
  }

  private static NamePattern pattern(String regex) throws UndecidedException {
    try {
      return NamePattern.of(regex);
    } catch (IllegalArgumentException e) {
      throw new UndecidedException("'%s' is no regular expression".formatted(regex));
    }
  }
}
