"""The clients, by name: which family each belongs to and how its program is started."""

from dataclasses import dataclass

from matrix import families
from matrix.families import Family


@dataclass(frozen=True)
class Client:
    """`words` is the command, in the family's directory; `areas` what the program must have checked,
    whatever its library does beyond that."""

    name: str
    family: Family
    words: tuple
    areas: tuple = ("declare", "confirms", "prefetch", "ttl", "dead-letter", "restart")

    def command(self, directory):
        # A program that was built or installed there is named relative to the directory.
        first, *rest = self.words
        return [str(directory / first) if (directory / first).exists() else first, *rest]


def java(name, program, family=families.JAVA, **areas):
    options = ("-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp", "lib/*:.")
    return Client(name, family, ("java", *options, program), **areas)


def python(name, program, **areas):
    return Client(name, families.PYTHON, ("venv/bin/python", program), **areas)


def node(name, program, family=families.NODE, **areas):
    return Client(name, family, ("node", program), **areas)


CELERY = ("retry", "eta", "ttl", "dead-letter", "chord", "restart")
DRAMATIQ = ("confirms", "retry", "delay", "dead-letter", "restart")
JMS = ("queue", "transaction", "topic", "selector", "request", "ttl", "restart")
NESTJS = ("request", "error", "prefetch", "restart")
MOLECULER = ("request", "balance", "broadcast", "restart")
PERL = ("declare", "confirms", "prefetch", "ttl", "restart")
SYMFONY = ("declare", "confirms", "worker", "ttl", "retry", "dead-letter", "restart")
OSLO = ("notifications", "rpc", "fanout", "timeout", "quorum", "stream", "restart")

CLIENTS = {
    client.name: client
    for client in (
        java("amqp-client", "AmqpClient.java"),
        java("spring-amqp", "SpringAmqp.java"),
        java("vertx-rabbitmq", "VertxRabbitmq.java"),
        java("reactor-rabbitmq", "ReactorRabbitmq.java"),
        java("rabbitmq-jms", "RabbitmqJms.java", areas=JMS),
        java("smallrye", "SmallRyeRabbitmq.java", families.JAVA_FRAMEWORKS),
        java("camel", "CamelRabbitmq.java", families.JAVA_FRAMEWORKS),
        java("perf-test", "PerfTestClient.java", families.JAVA_FRAMEWORKS),
        python("pika", "pika_client.py"),
        python("aio-pika", "aio_pika_client.py"),
        python("kombu", "kombu_client.py"),
        python("celery", "celery_client.py", areas=CELERY),
        python("amqpstorm", "amqpstorm_client.py"),
        python("rabbitpy", "rabbitpy_client.py"),
        python("aioamqp", "aioamqp_client.py"),
        python("faststream", "faststream_client.py"),
        python("dramatiq", "dramatiq_client.py", areas=DRAMATIQ),
        python("oslo.messaging", "oslo_messaging_client.py", areas=OSLO),
        node("amqplib", "amqplib_client.js"),
        node("amqp-connection-manager", "connection_manager_client.js"),
        node("rascal", "rascal_client.js"),
        node("nestjs", "nestjs_client.mjs", families.NODE_FRAMEWORKS, areas=NESTJS),
        Client(
            "moleculer",
            families.NODE_22,
            ("node_modules/.bin/node", "moleculer_client.js"),
            MOLECULER,
        ),
        Client("amqp091-go", families.GO, ("amqp091",)),
        Client("lapin", families.RUST, ("target/debug/lapin-client",)),
        Client("amqprs", families.RUST, ("target/debug/amqprs-client",)),
        Client("librabbitmq", families.C, ("librabbitmq",)),
        Client("bunny", families.RUBY, ("ruby", "bunny_client.rb")),
        Client("php-amqp", families.PHP_EXTENSION, ("php", "php_amqp_client.php")),
        Client(
            "symfony-messenger",
            families.PHP_SYMFONY,
            ("php", "symfony_messenger_client.php"),
            SYMFONY,
        ),
        Client("anyevent-rabbitmq", families.PERL, ("perl", "anyevent_rabbitmq_client.pl"), PERL),
        Client("php-amqplib", families.PHP, ("php", "php_amqplib_client.php")),
    )
}
