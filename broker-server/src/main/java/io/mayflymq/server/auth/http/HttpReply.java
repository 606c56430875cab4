package io.mayflymq.server.auth.http;

import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.ForeignText;
import io.mayflymq.server.auth.Question;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What the reply of the service means. Its first word decides, in any case: {@code allow}, for a
 * login with the tags of the user behind it, or {@code deny} with a reason. Everything else is a
 * failure, as a status other than 200 and 201 is.
 */
final class HttpReply {
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern BETWEEN_TAGS = Pattern.compile("[\\s,]+");

  private HttpReply() {}

  /**
   * Returns the answer to a question.
   *
   * @param body in UTF-8
   */
  static Answer read(Question question, int status, byte[] body) {
    if (status != 200 && status != 201) {
      return Answer.failed("the service answered with status " + status);
    }
    String text = new String(body, StandardCharsets.UTF_8).strip();
    String[] parts = BLANKS.split(text, 2);
    String rest = parts.length == 1 ? "" : parts[1].strip();
    if (parts[0].equalsIgnoreCase("allow")) {
      if (question instanceof Question.Login) {
        return Answer.allowed(tags(rest));
      }
      return rest.isEmpty()
          ? Answer.ALLOWED
          : Answer.failed("the service answered 'allow' with a text behind it");
    }
    if (parts[0].equalsIgnoreCase("deny")) {
      return Answer.refused(shown(question, rest));
    }
    return Answer.failed(
        "the service answered neither 'allow' nor 'deny', but '%s'"
            .formatted(shown(question, text)));
  }

  private static List<String> tags(String text) {
    return Arrays.stream(BETWEEN_TAGS.split(text))
        .filter(tag -> !tag.isEmpty())
        .map(tag -> tag.toLowerCase(Locale.ROOT))
        .distinct()
        .toList();
  }

  /**
   * Returns a text of the service as the log may have it, without the password, which a service may
   * repeat.
   */
  private static String shown(Question question, String text) {
    if (question instanceof Question.Login login && login.password() != null) {
      return ForeignText.line(text, login.password(), HttpForm.encode(login.password()));
    }
    return ForeignText.line(text);
  }
}
