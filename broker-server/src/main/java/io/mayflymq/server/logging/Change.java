package io.mayflymq.server.logging;

/**
 * A change that the audit category of the log has.
 *
 * @param atMillis when it was made, since 1970
 * @param text who made it, from where, and what it is
 * @param forAdministrators whether it tells of what only administrators see
 */
public record Change(long atMillis, String text, boolean forAdministrators) {}
