/** Names that people type: which known one a mistyped one probably means. */
package io.mayflymq.core.naming;
