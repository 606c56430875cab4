package io.mayflymq.server.auth.http;

import io.mayflymq.server.auth.Question;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The fields of a request, in RabbitMQ's order, as {@code application/x-www-form-urlencoded} in
 * UTF-8. Source: RabbitMQ 4.3.6.
 */
final class HttpForm {
  private final StringBuilder text = new StringBuilder();

  private HttpForm() {}

  /** Returns the text of a question. */
  static String of(Question question) {
    HttpForm form = new HttpForm();
    if (question instanceof Question.Login login) {
      form.add("username", login.username());
      if (login.password() != null) {
        form.add("password", login.password());
      }
    } else if (question instanceof Question.Vhost vhost) {
      form.add("username", vhost.username())
          .add("vhost", vhost.vhost())
          .add("ip", vhost.ip())
          .add("tags", String.join(" ", vhost.user().tags()));
    } else if (question instanceof Question.Resource resource) {
      form.add("username", resource.username())
          .add("vhost", resource.vhost())
          .add("resource", word(resource.kind()))
          .add("name", resource.name())
          .add("permission", word(resource.permission()))
          .add("tags", String.join(" ", resource.user().tags()));
    } else if (question instanceof Question.Topic topic) {
      form.add("username", topic.username())
          .add("vhost", topic.vhost())
          .add("resource", "topic")
          .add("name", topic.exchange())
          .add("permission", word(topic.permission()))
          .add("tags", String.join(" ", topic.user().tags()))
          .add("routing_key", topic.routingKey())
          .add("variable_map.username", topic.username())
          .add("variable_map.vhost", topic.vhost());
    }
    return form.text.toString();
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private HttpForm add(String name, String value) {
    if (text.length() > 0) {
      text.append('&');
    }
    text.append(name).append('=').append(encode(value));
    return this;
  }

  /** Encodes a value: a blank is a plus sign. */
  static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
