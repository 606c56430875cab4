/** The programs of the page of recipes. */
package io.mayflymq.it.recipe;
