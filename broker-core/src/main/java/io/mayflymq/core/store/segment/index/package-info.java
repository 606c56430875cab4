/** The index of a segment: which records it has and which of them are settled. */
package io.mayflymq.core.store.segment.index;
