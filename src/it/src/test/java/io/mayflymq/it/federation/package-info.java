/** Federation: what links take from upstreams, what they leave there, and what is shown of them. */
package io.mayflymq.it.federation;
