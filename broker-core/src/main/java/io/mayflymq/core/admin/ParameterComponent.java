package io.mayflymq.core.admin;

import java.util.List;
import java.util.function.Predicate;

/**
 * A part of the broker whose settings are parameters of virtual hosts, such as shovels. Values are
 * JSON in Java: maps from texts, lists, texts, numbers, truth values and null. Any thread may call.
 */
public interface ParameterComponent {
  /** Returns the name that its parameters have it by. */
  String name();

  /**
   * Checks a value.
   *
   * @param name the name of the parameter
   * @param mayUse whether who sets it may use a virtual host of this broker
   * @return what is wrong, a line for each; empty if nothing is
   */
  List<String> problems(String name, Object value, Predicate<String> mayUse);

  /** Returns a value, valid or not, as it is shown: without passwords. */
  Object masked(Object value);

  /**
   * Parameters may have changed, in which virtual host ever. Called under the lock of all changes,
   * so it may only note that.
   */
  void changed();
}
