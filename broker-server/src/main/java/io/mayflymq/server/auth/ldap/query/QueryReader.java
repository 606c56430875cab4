package io.mayflymq.server.auth.ldap.query;

import io.mayflymq.core.security.NamePattern;
import io.mayflymq.server.auth.ldap.query.Query.For.Branch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads queries as RabbitMQ's configuration has them: terms of Erlang, of any form at any level.
 * Source: rabbitmq.com/docs/ldap, "Query Types". Each error names its place in the text.
 */
public final class QueryReader {
  private static final String MEMBER = "member";
  private static final String FORMS =
      "constant, exists, in_group, in_group_nested, equals, match, 'not', 'and', 'or' or for";
  private static final Map<Variable, Set<String>> WORDS =
      Map.of(
          Variable.RESOURCE, Set.of("queue", "exchange", "topic"),
          Variable.PERMISSION, Set.of("configure", "write", "read"));

  private final TermReader terms;
  private final Set<Variable> variables;

  private QueryReader(String text, Set<Variable> variables) {
    this.terms = new TermReader(text);
    this.variables = variables;
  }

  /**
   * Reads a query.
   *
   * @param variables those that it can have
   * @throws QueryException if the text is none
   */
  public static Query query(String text, Set<Variable> variables) throws QueryException {
    QueryReader reader = new QueryReader(text, variables);
    return reader.query(reader.terms.read());
  }

  /**
   * Reads queries for tags: <code>[{administrator, {in_group, "cn=admins,dc=example"}}]</code>.
   *
   * @return the query of each tag, in their order
   * @throws QueryException if the text is none of that
   */
  public static Map<String, Query> tags(String text) throws QueryException {
    return new QueryReader(text, Variable.OF_TAGS).tags();
  }

  private Map<String, Query> tags() throws QueryException {
    Term list = terms.read();
    Map<String, Query> tags = new LinkedHashMap<>();
    for (Term item : items(list, "a list [{TAG, QUERY}, ...]")) {
      if (!(item instanceof Term.Tuple pair) || pair.items().size() != 2) {
        throw terms.problem(
            item.at(), "expected {TAG, QUERY}, found '%s'".formatted(terms.rest(item.at())));
      }
      String tag = word(pair.items().get(0), "the name of a tag");
      if (tags.putIfAbsent(tag, query(pair.items().get(1))) != null) {
        throw terms.problem(item.at(), "expected each tag once, found '%s' again".formatted(tag));
      }
    }
    return tags;
  }

  private Query query(Term term) throws QueryException {
    if (!(term instanceof Term.Tuple tuple)
        || tuple.items().isEmpty()
        || !(tuple.items().get(0) instanceof Term.Atom form)) {
      throw terms.problem(
          term.at(),
          "expected a query {FORM, ...}, where FORM is %s; found '%s'"
              .formatted(FORMS, terms.rest(term.at())));
    }
    List<Term> of = tuple.items().subList(1, tuple.items().size());
    return switch (form.name()) {
      case "constant" -> constant(tuple, of);
      case "exists" -> new Query.Exists(dn(sized(tuple, of, 1, 1, "{exists, DN}").get(0)));
      case "in_group" -> inGroup(tuple, of);
      case "in_group_nested" -> inGroupNested(tuple, of);
      case "equals" -> {
        sized(tuple, of, 2, 2, "{equals, VALUE, VALUE}");
        yield new Query.Equals(value(of.get(0)), value(of.get(1)));
      }
      case "match" -> {
        sized(tuple, of, 2, 2, "{match, VALUE, REGEX}");
        yield new Query.Match(value(of.get(0)), regex(of.get(1)));
      }
      case "not" -> new Query.Not(query(sized(tuple, of, 1, 1, "{'not', QUERY}").get(0)));
      case "and" -> new Query.And(queries(sized(tuple, of, 1, 1, "{'and', [QUERY, ...]}").get(0)));
      case "or" -> new Query.Or(queries(sized(tuple, of, 1, 1, "{'or', [QUERY, ...]}").get(0)));
      case "for" ->
          branches(sized(tuple, of, 1, 1, "{for, [{VARIABLE, VALUE, QUERY}, ...]}").get(0));
      case "string", "attribute" ->
          throw terms.problem(
              tuple.at(),
              "expected a query that is true or false, found a text; compare it by {equals, ...}"
                  + " or {match, ...}");
      default ->
          throw terms.problem(
              form.at(), "unknown query '%s': expected %s".formatted(form.name(), FORMS));
    };
  }

  private List<Term> sized(Term tuple, List<Term> of, int least, int most, String form)
      throws QueryException {
    if (of.size() < least || of.size() > most) {
      throw terms.problem(
          tuple.at(), "expected %s, found '%s'".formatted(form, terms.rest(tuple.at())));
    }
    return of;
  }

  private Query constant(Term tuple, List<Term> of) throws QueryException {
    if (sized(tuple, of, 1, 1, "{constant, true} or {constant, false}").get(0)
            instanceof Term.Atom atom
        && (atom.name().equals("true") || atom.name().equals("false"))) {
      return new Query.Constant(atom.name().equals("true"));
    }
    throw terms.problem(
        tuple.at(),
        "expected {constant, true} or {constant, false}, found '%s'"
            .formatted(terms.rest(tuple.at())));
  }

  private Query inGroup(Term tuple, List<Term> of) throws QueryException {
    sized(tuple, of, 1, 2, "{in_group, DN} or {in_group, DN, ATTRIBUTE}");
    return new Query.InGroup(dn(of.get(0)), attribute(of, 1));
  }

  private Query inGroupNested(Term tuple, List<Term> of) throws QueryException {
    sized(tuple, of, 1, 3, "{in_group_nested, DN [, ATTRIBUTE [, subtree or onelevel]]}");
    boolean isOneLevel = false;
    if (of.size() == 3) {
      String scope = word(of.get(2), "subtree or onelevel");
      isOneLevel =
          switch (scope) {
            case "onelevel", "singlelevel", "single_level" -> true;
            case "subtree" -> false;
            default ->
                throw terms.problem(
                    of.get(2).at(), "expected subtree or onelevel, found '%s'".formatted(scope));
          };
    }
    return new Query.InGroupNested(dn(of.get(0)), attribute(of, 1), isOneLevel);
  }

  private String attribute(List<Term> of, int index) throws QueryException {
    return of.size() <= index ? MEMBER : attribute(of.get(index));
  }

  private String attribute(Term term) throws QueryException {
    String name = word(term, "the name of an attribute");
    if (name.isEmpty() || !name.matches("[A-Za-z0-9.;-]+")) {
      throw terms.problem(
          term.at(),
          "expected the name of an attribute, such as member, found '%s'".formatted(name));
    }
    return name;
  }

  private Query branches(Term list) throws QueryException {
    List<Branch> branches = new ArrayList<>();
    for (Term item : items(list, "a list [{VARIABLE, VALUE, QUERY}, ...]")) {
      if (!(item instanceof Term.Tuple branch) || branch.items().size() != 3) {
        throw terms.problem(
            item.at(),
            "expected {VARIABLE, VALUE, QUERY}, found '%s'".formatted(terms.rest(item.at())));
      }
      branches.add(branch(branch.items()));
    }
    if (branches.isEmpty()) {
      throw terms.problem(list.at(), "expected at least one branch {VARIABLE, VALUE, QUERY}");
    }
    return new Query.For(branches);
  }

  private Branch branch(List<Term> of) throws QueryException {
    String word = word(of.get(0), "the name of a variable");
    Variable variable =
        Variable.of(word, variables)
            .orElseThrow(
                () ->
                    terms.problem(
                        of.get(0).at(),
                        "unknown variable '%s': expected one of %s"
                            .formatted(word, Variable.words(variables))));
    String value = word(of.get(1), "a value");
    Set<String> words = WORDS.getOrDefault(variable, Set.of(value));
    if (!words.contains(value)) {
      throw terms.problem(
          of.get(1).at(),
          "expected %s, found '%s'"
              .formatted(String.join(", ", words.stream().sorted().toList()), value));
    }
    return new Branch(variable, value, query(of.get(2)));
  }

  private Value value(Term term) throws QueryException {
    if (term instanceof Term.Text) {
      return new Value.Text(template(term));
    }
    if (term instanceof Term.Tuple tuple
        && !tuple.items().isEmpty()
        && tuple.items().get(0) instanceof Term.Atom form) {
      List<Term> of = tuple.items().subList(1, tuple.items().size());
      if (form.name().equals("string")) {
        return new Value.Text(template(sized(tuple, of, 1, 1, "{string, TEXT}").get(0)));
      }
      if (form.name().equals("attribute")) {
        sized(tuple, of, 2, 2, "{attribute, DN, NAME}");
        return new Value.Attribute(dn(of.get(0)), attribute(of.get(1)));
      }
    }
    throw terms.problem(
        term.at(),
        "expected a text, {string, TEXT} or {attribute, DN, NAME}, found '%s'"
            .formatted(terms.rest(term.at())));
  }

  private Value regex(Term term) throws QueryException {
    Value value = value(term);
    if (!(value instanceof Value.Text text) || !text.template().isFixed()) {
      return value;
    }
    try {
      return new Value.Regex(NamePattern.of(text.template().toString()));
    } catch (IllegalArgumentException e) {
      throw terms.problem(
          term.at(),
          "expected a regular expression, found '%s': %s"
              .formatted(text.template(), e.getMessage()));
    }
  }

  private List<Query> queries(Term list) throws QueryException {
    List<Query> queries = new ArrayList<>();
    for (Term item : items(list, "a list [QUERY, ...]")) {
      queries.add(query(item));
    }
    return queries;
  }

  private List<Term> items(Term term, String expected) throws QueryException {
    if (term instanceof Term.Sequence list) {
      return list.items();
    }
    throw terms.problem(
        term.at(), "expected %s, found '%s'".formatted(expected, terms.rest(term.at())));
  }

  private Template dn(Term term) throws QueryException {
    Template template = template(term);
    if (!template.mayBeDn()) {
      throw terms.problem(
          term.at(),
          "expected a distinguished name such as cn=users,dc=example,dc=com, found '%s'"
              .formatted(template));
    }
    return template;
  }

  private Template template(Term term) throws QueryException {
    if (!(term instanceof Term.Text text)) {
      throw terms.problem(
          term.at(), "expected a text in \"...\", found '%s'".formatted(terms.rest(term.at())));
    }
    try {
      return Template.of(text.text(), variables);
    } catch (QueryException e) {
      throw terms.problem(term.at(), e.getMessage());
    }
  }

  private String word(Term term, String expected) throws QueryException {
    if (term instanceof Term.Atom atom) {
      return atom.name();
    }
    if (term instanceof Term.Text text) {
      return text.text();
    }
    throw terms.problem(
        term.at(), "expected %s, found '%s'".formatted(expected, terms.rest(term.at())));
  }
}
