package io.mayflymq.server.logging;

import java.util.List;

/**
 * Lines of the log.
 *
 * @param lines the oldest first; an exception's stack trace belongs to its line
 * @param count how many lines there were so far, with these
 */
public record LogTail(List<String> lines, long count) {}
