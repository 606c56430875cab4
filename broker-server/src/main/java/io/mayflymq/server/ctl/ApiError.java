package io.mayflymq.server.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.json.JsonReader;
import java.util.List;
import java.util.Map;

/** An answer of the management API that is an error. */
final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String answer;

  /**
   * @param status of HTTP
   * @param reason what the broker says
   * @param answer the body
   */
  ApiError(int status, String reason, String answer) {
    super(reason, null, false, false);
    this.status = status;
    this.answer = answer;
  }

  /** Returns a list of objects in the answer; an empty one if it has none of this name. */
  public List<Map<String, Object>> objects(String field) {
    try {
      return JsonReader.DEFAULT.read(answer) instanceof Map<?, ?> object
              && object.get(field) instanceof List<?> list
          ? Api.objects(list)
          : List.of();
    } catch (JsonProcessingException e) {
      return List.of();
    }
  }

  public int status() {
    return status;
  }

  public boolean isNotFound() {
    return status == 404;
  }
}
