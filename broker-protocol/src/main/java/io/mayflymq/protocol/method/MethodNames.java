package io.mayflymq.protocol.method;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the methods are called in AMQP's specification, {@code queue.declare-ok}: read off the
 * records that stand for them, so that none is missing.
 */
public final class MethodNames {
  private static final String SUFFIX = "Method";
  private static final Map<Integer, String> BY_ID = new HashMap<>();

  static {
    for (Class<?> amqpClass : Method.class.getPermittedSubclasses()) {
      for (Class<?> method : amqpClass.getPermittedSubclasses()) {
        BY_ID.put(
            id(constant(amqpClass, "CLASS_ID"), constant(method, "METHOD_ID")),
            name(amqpClass).replace("-" + lowerCase(SUFFIX), "") + "." + name(method));
      }
    }
  }

  private MethodNames() {}

  /** Returns the name of a method by its numbers; {@code none} if there is no such method. */
  public static String of(int classId, int methodId) {
    return BY_ID.getOrDefault(id(classId, methodId), "none");
  }

  private static int id(int classId, int methodId) {
    return classId << Short.SIZE | methodId;
  }

  private static int constant(Class<?> type, String name) {
    try {
      return type.getField(name).getInt(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " has no " + name, e);
    }
  }

  /** {@code DeclareOk} is {@code declare-ok}. */
  private static String name(Class<?> type) {
    return lowerCase(type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-"));
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
