module amqp091

go 1.25

require github.com/rabbitmq/amqp091-go v1.16.0
