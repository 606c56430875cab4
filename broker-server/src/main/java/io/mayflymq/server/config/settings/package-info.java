/** The settings of a broker, typed: what the other packages use. */
package io.mayflymq.server.config.settings;
