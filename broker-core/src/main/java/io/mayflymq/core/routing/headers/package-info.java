/** Headers exchanges: which headers a binding asks for. */
package io.mayflymq.core.routing.headers;
