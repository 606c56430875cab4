/**
 * The management page: its files and sessions by plain requests, and its views in Chromium, which
 * tests drive without a display.
 */
package io.mayflymq.it.page;
