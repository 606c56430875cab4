"""What the scripts of this directory share: a broker that is asked by AMQP and by the HTTP API, and their command line."""

import argparse
from urllib.parse import quote

import pika
import requests


class Broker:
    """Runs each case on a connection of its own, since an error closes it."""

    def __init__(self, given):
        self.port, self.vhost, self.user, self.password = given.port, given.vhost, given.user, given.password
        self.url = f"http://127.0.0.1:{given.http_port or given.port + 10000}/api/"
        self.ctl = given.ctl
        self.parameters = pika.ConnectionParameters(
            "127.0.0.1", given.port, given.vhost, pika.PlainCredentials(given.user, given.password))
        self.session = requests.Session()
        self.session.auth = (given.user, given.password)

    def connect(self):
        return pika.BlockingConnection(self.parameters)

    def run(self, case, *given):
        """What the case returns, or in short the error that it ends with."""
        connection = self.connect()
        try:
            return case(connection.channel(), *given)
        except (pika.exceptions.AMQPError, ValueError) as error:
            if hasattr(error, "reply_code"):
                kind = "connection" if isinstance(error, pika.exceptions.ConnectionClosed) else "channel"
                return f"{error.reply_code} {error.reply_text.split(' - ', 1)[-1][:150].splitlines()[0]} ({kind})"
            return type(error).__name__
        finally:
            if connection.is_open:
                connection.close()

    def http(self, method, path, body=None, **options):
        """The response. {vhost} in the path stands for the virtual host."""
        if body is not None:
            options["json"] = body
        return self.session.request(method, self.url + path.replace("{vhost}", quote(self.vhost, safe="")), timeout=60, **options)

    def told(self, method, path, body=None, **options):
        """The status, and the reason if there is one."""
        response = self.http(method, path, body, **options)
        try:
            reason = response.json().get("reason", "")
        except (ValueError, AttributeError):
            reason = response.text if response.status_code >= 400 else ""
        return f"{response.status_code} {reason}".strip().replace("\n", " ")[:200]


def main(doc, groups, clean=lambda broker: None):
    """Prints a line for each row of each group that the command line names, or of all."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="of " + ", ".join(groups))
    parser.add_argument("--port", type=int, default=5672)
    parser.add_argument("--http-port", type=int, help="10,000 above the port unless it is given")
    parser.add_argument("--vhost", default="/")
    parser.add_argument("--user", default="guest")
    parser.add_argument("--password", default="guest")
    parser.add_argument("--ctl", help="the broker's rabbitmqctl or mayflyctl")
    given = parser.parse_args()
    for name in given.groups:
        if name not in groups:
            parser.error(f"no group {name!r}: expected {', '.join(groups)}")
    broker = Broker(given)
    try:
        for name in given.groups or groups:
            for row in groups[name](broker):
                print(name, *row, sep=" | ", flush=True)
    finally:
        clean(broker)
