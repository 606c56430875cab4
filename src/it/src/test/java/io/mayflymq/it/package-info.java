/** Black-box tests against the packaged broker or RabbitMQ: a package per feature. */
package io.mayflymq.it;
