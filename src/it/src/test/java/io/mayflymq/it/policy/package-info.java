/** Policies and operator policies: how they are set, and their effect. */
package io.mayflymq.it.policy;
