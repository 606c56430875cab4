/** Where messages are kept so that they outlive the process. */
package io.mayflymq.core.store;
