package io.mayflymq.server.ctl;

/** An answer of the management API that is an error. */
final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * @param status of HTTP
   * @param reason what the broker says
   */
  ApiError(int status, String reason) {
    super(reason, null, false, false);
    this.status = status;
  }

  public int status() {
    return status;
  }

  public boolean isNotFound() {
    return status == 404;
  }
}
