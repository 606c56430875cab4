package io.mayflymq.server.definitions;

/**
 * Something that a lint of definitions has found.
 *
 * @param rule what it is
 * @param object what it is about, such as {@code queue 'orders' in vhost '/'}
 * @param sentence what is wrong there, and what would change it
 */
public record LintFinding(LintRule rule, String object, String sentence) {}
