/** Black-box tests, one class per feature, against the packaged broker or RabbitMQ. */
package io.mayflymq.it;
