/** Who belongs to the cluster: how nodes find one another, join, and are let in. */
package io.mayflymq.server.cluster.membership;
