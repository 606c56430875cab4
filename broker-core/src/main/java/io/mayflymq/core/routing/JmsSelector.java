package io.mayflymq.core.routing;

import io.mayflymq.core.routing.ErlangTermReader.Atom;
import io.mayflymq.core.routing.ErlangTermReader.SyntaxException;
import io.mayflymq.core.routing.ErlangTermReader.Tuple;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.IntPredicate;

/**
 * A message selector of JMS: a condition for the headers of a message. RabbitMQ's JMS client
 * compiles its SQL to an Erlang term, the tree of its expressions.
 *
 * <p>The rules are those of RabbitMQ's plugin (sjx_evaluator.erl): a header that is absent is
 * unknown, and what is compared with it is unknown, too; only what is true matches. Numbers are
 * compared by value, texts by their characters, and values of different kinds are not equal.
 * Division by zero is unknown. Unlike the plugin, {@code _} of {@code LIKE} is a character, not a
 * byte, and a header of another type than text, number and truth value is unknown instead of an
 * error of the channel.
 */
final class JmsSelector {
  /** Part of a selector: its value for some headers, null if that is unknown. */
  private interface Expression {
    Object of(FieldTable headers);
  }

  private final Expression condition;

  private JmsSelector(Expression condition) {
    this.condition = condition;
  }

  /**
   * Reads a selector.
   *
   * @throws SyntaxException if it is none
   */
  static JmsSelector parse(String term) throws SyntaxException {
    return new JmsSelector(compile(ErlangTermReader.read(term)));
  }

  /** Whether it lets a message with these headers through. */
  boolean matches(FieldTable headers) {
    return Boolean.TRUE.equals(condition.of(headers));
  }

  // Compiling

  private static Expression compile(Object term) throws SyntaxException {
    if (!(term instanceof Tuple tuple)) {
      Object value = constant(term);
      return headers -> value;
    }
    List<Object> parts = tuple.elements();
    if (parts.isEmpty() || !(parts.get(0) instanceof Atom operator)) {
      throw new SyntaxException("expected an operator in a tuple of " + parts.size());
    }
    return switch (parts.size()) {
      case 2 -> unary(operator.name(), parts.get(1));
      case 3 -> binary(operator.name(), parts.get(1), parts.get(2));
      case 4 -> ternary(operator.name(), parts.get(1), parts.get(2), parts.get(3));
      default -> throw unknown(operator.name(), parts.size() - 1);
    };
  }

  private static Object constant(Object term) throws SyntaxException {
    if (!(term instanceof Atom atom)) {
      return term;
    }
    return switch (atom.name()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new SyntaxException("expected true or false, got " + atom.name());
    };
  }

  private static SyntaxException unknown(String operator, int operands) {
    return new SyntaxException("unknown operator '%s' of %d".formatted(operator, operands));
  }

  private static Expression unary(String operator, Object operand) throws SyntaxException {
    if (operator.equals("ident")) {
      if (!(operand instanceof String name)) {
        throw new SyntaxException("expected a name after ident");
      }
      return headers -> header(headers.get(name));
    }
    Expression value = compile(operand);
    return switch (operator) {
      case "not" -> headers -> not(value.of(headers));
      case "is_null" -> headers -> value.of(headers) == null;
      case "not_null" -> headers -> value.of(headers) != null;
      case "-" -> headers -> arithmetic('-', 0L, value.of(headers));
      case "+" -> headers -> arithmetic('+', 0L, value.of(headers));
      default -> throw unknown(operator, 1);
    };
  }

  private static Expression binary(String operator, Object left, Object right)
      throws SyntaxException {
    if (right instanceof Tuple range
        && range.elements().size() == 3
        && range.elements().get(0).equals(new Atom("range"))) {
      return ternary(operator, left, range.elements().get(1), range.elements().get(2));
    }
    Expression a = compile(left);
    Expression b = compile(right);
    return switch (operator) {
      case "and" -> headers -> and(a.of(headers), b.of(headers));
      case "or" -> headers -> not(and(not(a.of(headers)), not(b.of(headers))));
      case "=" -> comparison(a, b, order -> order == 0);
      case "<>" -> comparison(a, b, order -> order != 0);
      case "<" -> comparison(a, b, order -> order < 0);
      case ">" -> comparison(a, b, order -> order > 0);
      case "<=" -> comparison(a, b, order -> order <= 0);
      case ">=" -> comparison(a, b, order -> order >= 0);
      case "in" -> known(a, b, JmsSelector::isIn);
      case "not_in" -> known(a, b, (value, list) -> not(isIn(value, list)));
      case "+", "-", "*", "/" -> known(a, b, (x, y) -> arithmetic(operator.charAt(0), x, y));
      default -> throw unknown(operator, 2);
    };
  }

  private static Expression ternary(String operator, Object operand, Object second, Object third)
      throws SyntaxException {
    Expression value = compile(operand);
    switch (operator) {
      case "between", "not_between" -> {
        Expression above = comparison(compile(second), value, order -> order <= 0);
        Expression below = comparison(value, compile(third), order -> order <= 0);
        Expression between = headers -> and(above.of(headers), below.of(headers));
        return operator.equals("between") ? between : headers -> not(between.of(headers));
      }
      case "like", "not_like" -> {
        LikePattern pattern = pattern(second, third);
        Expression like =
            headers -> value.of(headers) instanceof String text ? pattern.matches(text) : null;
        return operator.equals("like") ? like : headers -> not(like.of(headers));
      }
      default -> throw unknown(operator, 3);
    }
  }

  private static LikePattern pattern(Object pattern, Object escape) throws SyntaxException {
    if (pattern instanceof String text) {
      if (escape.equals(new Atom("no_escape"))) {
        return LikePattern.of(text, -1);
      }
      if (escape instanceof String character
          && character.codePointCount(0, character.length()) == 1) {
        return LikePattern.of(text, character.codePointAt(0));
      }
    }
    throw new SyntaxException("expected a pattern, and one character or no_escape, after like");
  }

  // Evaluating

  private static Object header(FieldValue value) {
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    if (value instanceof FieldValue.Bool bool) {
      return bool.value();
    }
    if (value instanceof FieldValue.Float32 number) {
      return (double) number.value();
    }
    if (value instanceof FieldValue.Float64 number) {
      return number.value();
    }
    if (value == null || !value.isInteger()) {
      return null;
    }
    return value.longValue();
  }

  private static Object not(Object value) {
    return value instanceof Boolean bool ? (Object) !bool : null;
  }

  private static Object and(Object a, Object b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
      return false;
    }
    boolean bothAreTrue = Boolean.TRUE.equals(a) && Boolean.TRUE.equals(b);
    return bothAreTrue ? true : null;
  }

  /** What is unknown if one of its operands is. */
  private static Expression known(Expression a, Expression b, BinaryOperator<Object> operator) {
    return headers -> {
      Object x = a.of(headers);
      Object y = b.of(headers);
      return x == null || y == null ? null : operator.apply(x, y);
    };
  }

  private static Expression comparison(Expression a, Expression b, IntPredicate wanted) {
    return known(a, b, (x, y) -> wanted.test(compare(x, y)));
  }

  /** As Erlang orders its terms: numbers, truth values, lists, texts. */
  private static int compare(Object a, Object b) {
    if (a instanceof Long x && b instanceof Long y) {
      return Long.compare(x, y);
    }
    if (a instanceof Number x && b instanceof Number y) {
      return Double.compare(x.doubleValue() + 0.0, y.doubleValue() + 0.0);
    }
    if (a instanceof Boolean x && b instanceof Boolean y) {
      return Boolean.compare(x, y);
    }
    if (a instanceof String x && b instanceof String y) {
      return x.compareTo(y);
    }
    return Integer.compare(rank(a), rank(b));
  }

  private static int rank(Object value) {
    if (value instanceof Number) {
      return 0;
    }
    if (value instanceof Boolean) {
      return 1;
    }
    return value instanceof List ? 2 : 3;
  }

  private static Object isIn(Object value, Object list) {
    return list instanceof List<?> values && values.contains(value);
  }

  private static Object arithmetic(char operator, Object a, Object b) {
    if (!(a instanceof Number x) || !(b instanceof Number y)) {
      return null;
    }
    if (operator != '/' && x instanceof Long i && y instanceof Long j) {
      try {
        return switch (operator) {
          case '+' -> Math.addExact(i, j);
          case '-' -> Math.subtractExact(i, j);
          default -> Math.multiplyExact(i, j);
        };
      } catch (ArithmeticException tooLarge) {
        // Goes on with floats.
      }
    }
    double left = x.doubleValue();
    double right = y.doubleValue();
    double result =
        switch (operator) {
          case '+' -> left + right;
          case '-' -> left - right;
          case '*' -> left * right;
          default -> left / right;
        };
    return Double.isFinite(result) ? (Object) result : null;
  }
}
