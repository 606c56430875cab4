/**
 * The image for containers as the pods of RabbitMQ's cluster operator: what that does to a pod is
 * done to the unpacked image, without Kubernetes.
 */
package io.mayflymq.it.pod;
