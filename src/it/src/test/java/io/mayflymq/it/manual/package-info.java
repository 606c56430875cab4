/**
 * The pages of {@code docs}, {@code README.md} and {@code CONTRIBUTING.md}: what they show is run,
 * page by page and block by block.
 */
package io.mayflymq.it.manual;
