package io.mayflymq.server.management.api;

import io.mayflymq.cluster.metadata.UnconfirmedChangeException;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.protocol.types.AmqpException;

/**
 * An error response to a request: its status, RabbitMQ's two fields, and perhaps a detail of ours.
 * Programs compare RabbitMQ's texts, so what more there is to say has a field of its own.
 */
public final class ApiException extends RuntimeException {
  private final int status;
  private final String error;
  private final transient Object reason;
  private final String detail;

  public ApiException(int status, String error, Object reason) {
    this(status, error, reason, null);
  }

  private ApiException(int status, String error, Object reason, String detail) {
    super(
        detail == null ? error + ": " + reason : error + ": " + reason + ": " + detail,
        null,
        false,
        false);
    this.status = status;
    this.error = error;
    this.reason = reason;
    this.detail = detail;
  }

  public int status() {
    return status;
  }

  String error() {
    return error;
  }

  /** Returns the reason: a text, or a list where RabbitMQ shows an Erlang tuple. */
  public Object reason() {
    return reason;
  }

  /** Returns what RabbitMQ does not say; null if there is nothing more. */
  String detail() {
    return detail;
  }

  /**
   * Returns the error for an object or a path that does not exist: RabbitMQ's text, and what is not
   * there as the detail.
   *
   * @param what completes a sentence, such as {@code there is no queue 'q' in vhost '/'}
   */
  public static ApiException notFound(String what) {
    return new ApiException(404, "Object Not Found", "Not Found", what);
  }

  /**
   * Returns the error for what a request names in order to put something there.
   *
   * @param code RabbitMQ's text, such as {@code vhost_not_found}
   * @param what as above
   */
  public static ApiException missing(String code, String what) {
    return new ApiException(404, "not_found", code, what);
  }

  public static ApiException badRequest(Object reason) {
    return new ApiException(400, "bad_request", reason);
  }

  /** Returns the error for a user who lacks the permission. */
  public static ApiException notAuthorised(String reason) {
    return new ApiException(401, "not_authorised", reason);
  }

  /** Returns the error for an administrative operation that was refused. */
  public static ApiException of(AdministrationException refused) {
    return switch (refused.reason()) {
      case NO_SUCH_VHOST, NO_SUCH_USER -> notFound(refused.getMessage());
      case NO_SUCH_PARAMETER -> notFound(Missing.other("parameter", refused.subject()));
      case PROTECTED -> new ApiException(412, "precondition_failed", refused.getMessage());
      default -> badRequest(refused.getMessage());
    };
  }

  /** Converts an AMQP error to the response of RabbitMQ's management API. */
  public static ApiException of(AmqpException refused) {
    if (refused instanceof UnconfirmedChangeException) {
      return new ApiException(503, "no_majority", refused.detail());
    }
    return switch (refused.code()) {
      case ACCESS_REFUSED -> notAuthorised(refused.detail());
      case NOT_FOUND -> new ApiException(404, "not_found", refused.detail());
      case INTERNAL_ERROR -> new ApiException(500, "internal_error", refused.detail());
      default -> badRequest(refused.detail());
    };
  }
}
