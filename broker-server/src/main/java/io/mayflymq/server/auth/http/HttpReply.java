package io.mayflymq.server.auth.http;

import io.mayflymq.server.auth.Answer;
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
  private static final Pattern CONTROL_CHARACTERS = Pattern.compile("[\\p{Cntrl}\u2028\u2029]+");
  private static final int MOST_CHARACTERS = 200;
  private static final String HIDDEN = "(not shown)";

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
   * Returns a text of the service as the log may have it: one short line, without the password,
   * which a service may repeat.
   */
  private static String shown(Question question, String text) {
    String open = text;
    if (question instanceof Question.Login login
        && login.password() != null
        && !login.password().isEmpty()) {
      String encoded = HttpForm.encode(login.password());
      open = open.replace(login.password(), HIDDEN).replace(encoded, HIDDEN);
    }
    String line = CONTROL_CHARACTERS.matcher(open).replaceAll(" ");
    return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "...";
  }
}
