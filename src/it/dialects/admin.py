#!/usr/bin/env python3
"""Runs the commands of rabbitmqadmin 2.35 with right and wrong arguments on two brokers, and prints those whose exit codes differ.

    src/it/dialects/admin.py --program rabbitmqadmin --http-port 15672 --other-http-port 45680      "rabbitmqadmin" of docs/compatibility.md
    src/it/dialects/admin.py --program rabbitmqadmin --http-port 15672                              all rows of one broker

Names of what is created begin with "dialect.", and it is deleted at the end. Commands for all virtual hosts change what others have, too: they are run with
--alone only.
"""

import argparse
import concurrent.futures
import json
import shlex
import subprocess
import tempfile

import requests

VHOST = "dialect.admin"
POLICY = "--pattern ^dialect --definition '{\"max-length\":7}'"
BETWEEN = "--source dialect.e --destination-type queue --destination dialect.q --routing-key k"
WRONG = "--source dialect.none --destination-type queue --destination dialect.q --routing-key k"
PEM = " ".join(f"--node-local-{each}-path /tmp/dialect.pem" for each in ("ca-certificate-bundle", "client-certificate-file", "client-private-key-file"))

# A line is a command; a part in braces stands for each of its alternatives, which bars separate.
COMMANDS = f"""
show {{overview|churn|endpoint|memory_breakdown_in_bytes|memory_breakdown_in_bytes --node NODE|memory_breakdown_in_bytes --node dialect@none}}
show {{memory_breakdown_in_percent --node NODE|memory_breakdown_in_percent --node dialect@none|nothing}}
auth_attempts {{stats|stats --node NODE|stats --node dialect@none}}
declare vhost {{--name dialect.w|--name dialect.w|--name dialect.x --default-queue-type quorum --description d --tracing|--name dialect.y --default-queue-type none|--name ''}}
vhosts declare {{--name dialect.z|--name dialect.z --default-queue-type none|}}
declare user {{--name dialect.u --password p --tags monitoring|--name dialect.u2 --password-hash x|--name dialect.u3 --password p --tags ''|--name dialect.u4}}
users declare {{--name dialect.u5 --password p|--name dialect.u6 --password p --hashing-algorithm SHA512|--name ''}}
declare permissions {{--username dialect.u --configure .* --read .* --write .*|--username dialect.none --configure .* --read .* --write .*|--username dialect.u --configure ( --read .* --write .*}}
permissions declare {{--username dialect.u --configure .* --read .* --write .*|--username dialect.u --configure .*}}
declare queue {{--name dialect.q|--name dialect.q|--name dialect.q --durable false|--name dialect.qq --type quorum|--name dialect.n --type none|--name dialect.a --arguments '{{"x-max-length":5}}'|--name dialect.b --arguments '{{"x-max-length":"x"}}'|--name dialect.c --arguments '['|--name amq.dialect}}
queues declare {{--name dialect.d --type classic --durable true --auto-delete false|--name dialect.d --type quorum|--name ''}}
declare stream {{--name dialect.s --expiration 7D|--name dialect.s2 --expiration x|--name dialect.s3}}
streams declare {{--name dialect.t --expiration 1h --max-length-bytes 1000000 --stream-max-segment-size-bytes 1000000|--name dialect.t --expiration 2h|--name dialect.q --expiration 1h}}
declare exchange {{--name dialect.e --type topic|--name dialect.e --type topic|--name dialect.e --type fanout|--name dialect.f --type none|--name amq.dialect|--name dialect.g --arguments '{{"alternate-exchange":"x"}}'}}
exchanges declare {{--name dialect.h --type headers --durable false --auto-delete true|--name ''}}
declare binding {{{BETWEEN}|{WRONG}|{BETWEEN} --arguments '{{"a":1}}'|{BETWEEN.replace("queue ", "nothing ", 1)}}}
bindings declare {{{BETWEEN}|{WRONG}|--source dialect.e --destination-type exchange --destination dialect.h --routing-key k}}
exchanges bind {{{BETWEEN}|{WRONG}}}
declare parameter {{--name dialect.p --component federation-upstream --value '{{"uri":"amqp://"}}'|--name dialect.p --component dialect --value 1|--name limits --component vhost-limits --value '{{"max-queues":100}}'|--name p --component x --value '['}}
parameters set {{--name dialect.p --component federation-upstream --value '{{}}'|--name dialect.p --component dialect --value '{{}}'}}
declare policy {{--name dialect.p --apply-to queues {POLICY}|--name dialect.p2 --apply-to nothing {POLICY}|--name dialect.p3 --apply-to queues --priority x {POLICY}|--name dialect.p4 --apply-to queues --pattern ( --definition '{{"max-length":7}}'|--name dialect.p5 --apply-to queues --pattern x --definition '{{"max-lenght":7}}'|--name dialect.p6 --apply-to queues --pattern x --definition '{{"max-length":"x"}}'|--name dialect.p7 --apply-to queues --pattern x --definition '['|--name dialect.p8 --apply-to queues --pattern x --definition '{{}}'}}
policies declare {{--name dialect.r --apply-to classic_queues --priority 3 {POLICY}|--name dialect.r2 --apply-to all --pattern x --definition '{{"ha-mode":"all"}}'}}
policies declare_override {{--name dialect.p --override-name dialect.o --definition '{{"max-length":3}}'|--name dialect.none --definition '{{"max-length":3}}'}}
policies declare_blanket {{--name dialect.bl --apply-to queues --definition '{{"max-length":900}}'|--name dialect.bl2 --apply-to queues --definition '{{"x":1}}'}}
declare operator_policy {{--name dialect.p --apply-to queues {POLICY}|--name dialect.p2 --apply-to queues --pattern x --definition '{{"dead-letter-exchange":"x"}}'|--name dialect.p3 --apply-to exchanges {POLICY}}}
operator_policies declare {{--name dialect.r --apply-to queues {POLICY}|--name dialect.r2 --apply-to queues --pattern x --definition x}}
declare vhost_limit {{--name max-queues --value 100|--name none --value 1|--name max-queues --value x}}
vhost_limits declare {{--name max-connections --value 100|--name max-connections --value -1}}
declare user_limit {{--username dialect.u --name max-channels --value 5|--username dialect.none --name max-channels --value 5|--username dialect.u --name none --value 5}}
user_limits declare {{--username dialect.u --name max-connections --value 5|--username dialect.u --name max-connections --value x}}
global_parameters set {{--name dialect.g --value '{{"a":1}}'|--name dialect.g2 --value 1|--name dialect.g3 --value '['|--name dialect.g}}
global_parameters {{list|clear --name dialect.g|clear --name dialect.g|clear --name dialect.g --idempotently}}
list {{nodes|users|users --page 1 --page-size 10|users --page 900 --page-size 10|users --page-size 501 --page 1|vhosts|permissions|connections|user_connections --username dialect.u|user_connections --username dialect.none|channels}}
list {{queues|queues --page 1|queues --page 99|exchanges|exchanges --page 1 --page-size 2|bindings|consumers|parameters --component dialect|parameters|policies|operator_policies|vhost_limits|user_limits}}
list {{feature_flags|deprecated_features|deprecated_features_in_use|nothing}}
nodes {{list|memory_breakdown_in_percent --node NODE|memory_breakdown_in_percent --node dialect@none|memory_breakdown_in_bytes --node NODE|memory_breakdown_in_bytes --node dialect@none}}
channels {{list|list --page 1}}
connections {{list|list --page 1|list_of_user --username dialect.none|close --name dialect.none|close --name dialect.none --idempotently|close_of_user --username dialect.none|close_of_user --username dialect.none --idempotently}}
close {{connection --name dialect.none|connection --name dialect.none --idempotently|user_connections --username dialect.none|user_connections --username dialect.none --idempotently}}
queues {{list|list --page 1|list --columns name,type|list --columns none|show --name dialect.q|show --name dialect.q --columns name|show --name dialect.none|rebalance}}
streams {{list|list --page 1|show --name dialect.s|show --name dialect.none}}
exchanges {{list|list --page 1 --page-size 3}}
bindings list
users {{list|list --page 1|permissions|permissions dialect.u|limits|limits --user dialect.u|connections --username dialect.u|connections --username dialect.none}}
permissions list
vhosts {{list|enable_deletion_protection --name dialect.w|disable_deletion_protection --name dialect.w|enable_deletion_protection --name dialect.none|disable_deletion_protection --name dialect.none}}
vhost_limits list
user_limits {{list|list --user dialect.u|list --user dialect.none}}
plugins {{list_all|list_on_node --node NODE|list_on_node --node dialect@none}}
parameters {{list_all|list --component vhost-limits|list --component none|list_in --component vhost-limits|list_in --component none}}
policies {{list|list_in|list_in --apply-to queues|list_in --apply-to none|list_conflicting|list_conflicting_in|list_matching_object --name dialect.q --type queues|list_matching_object --name dialect.q --type none|list_matching_object --name dialect.none --type queues}}
policies {{patch --name dialect.p --definition '{{"max-length":8}}'|patch --name dialect.none --definition '{{"max-length":8}}'|patch --name dialect.p --definition '{{"none":8}}'|update_definition --name dialect.p --definition-key max-length --new-value 9|update_definition --name dialect.p --definition-key none --new-value 9|update_definition --name dialect.none --definition-key max-length --new-value 9}}
policies {{update_definitions_of_all_in --definition-key max-length --new-value 9|update_definitions_of_all_in --definition-key none --new-value 9|delete_definition_keys --name dialect.p --definition-keys max-length|delete_definition_keys --name dialect.none --definition-keys max-length|delete_definition_keys_from_all_in --definition-keys none}}
operator_policies {{list|list_in|list_in --apply-to queues|list_matching_object --name dialect.q --type queues|patch --name dialect.p --definition '{{"max-length":8}}'|patch --name dialect.none --definition '{{"max-length":8}}'|update_definition --name dialect.p --definition-key max-length --new-value 9|update_definition --name dialect.p --definition-key none --new-value 9}}
operator_policies {{update_definitions_of_all_in --definition-key max-length --new-value 9|delete_definition_keys --name dialect.p --definition-keys none|delete_definition_keys_from_all_in --definition-keys none}}
feature_flags {{list|enable --name none|enable --name quorum_queue}}
deprecated_features {{list|list_used}}
health_check {{local_alarms|cluster_wide_alarms|node_is_quorum_critical|deprecated_features_in_use|port_listener --port HTTP|port_listener --port 1|protocol_listener --protocol http|protocol_listener --protocol amqp|protocol_listener --protocol mqtt|protocol_listener --protocol none}}
publish message {{--exchange dialect.e --routing-key k --payload x|--routing-key dialect.q --payload y|--exchange dialect.none --routing-key k --payload x|--routing-key dialect.q --payload z --properties '{{"content_type":"text/plain","headers":{{"a":1}}}}'|--routing-key dialect.q --payload z --properties '{{"none":1}}'|--routing-key dialect.q --payload z --properties '['|--routing-key dialect.none --payload x|--routing-key dialect.q --payload-file /dialect.none}}
get messages {{--queue dialect.q|--queue dialect.q --count 2 --ack-mode ack_requeue_true|--queue dialect.none|--queue dialect.q --ack-mode none|--queue dialect.q --count 0|--queue dialect.q --count x|--queue dialect.s}}
purge queue {{--name dialect.q|--name dialect.none|--name dialect.s}}
queues purge {{--name dialect.q|--name dialect.none}}
rebalance queues
definitions {{export --stdout|export --file EXPORT|export_from_vhost --stdout|export_from_vhost --file EXPORT|export --file /dialect/none|export_from_vhost --stdout --transformations prepare_for_quorum_queue_migration|export --stdout --transformations none}}
export {{definitions --stdout|definitions --file EXPORT}}
definitions {{import_into_vhost --file EXPORT|import_into_vhost --file /dialect.none|import_into_vhost --file BROKEN|import_into_vhost --file WRONG|import --file GOOD|import --file BROKEN|import --file WRONG|import --file MISSING}}
import definitions {{--file GOOD|--file BROKEN|--file /dialect.none}}
passwords {{salt_and_hash p|salt_and_hash p --hashing-algorithm SHA512|salt_and_hash p --hashing-algorithm none|salt_and_hash}}
shell completions {{--shell bash|--shell none}}
config_file {{show_path|show|show --reveal-passwords|add_node --node n1 --host h --port 1 --create-file-if-missing|add_node --node n1 --host h|update_node --node n1 --host i|delete_node --node n1|delete_node --node n2}}
federation {{list_all_upstreams|list_all_links|declare_upstream --name dialect.u --uri amqp://x|declare_upstream_for_queues --name dialect.u --uri amqp://x|declare_upstream_for_exchanges --name dialect.u --uri amqp://x|delete_upstream --name dialect.none|delete_upstream --name dialect.none --idempotently}}
shovels {{list_all|list|declare_amqp091 --name dialect.s --source-uri amqp:// --destination-uri amqp:// --source-queue a --destination-queue b|declare_amqp10 --name dialect.s --source-uri amqp:// --destination-uri amqp:// --source-address a --destination-address b|delete --name dialect.none|delete --name dialect.none --idempotently}}
tanzu {{sds status_on_node --node NODE|sds disable_on_node --node NODE|sds disable_cluster_wide|sds enable_on_node --node NODE|sds enable_cluster_wide|wsr status}}
exchanges unbind {{{BETWEEN}|{BETWEEN}|{BETWEEN} --idempotently}}
bindings delete {{{WRONG}|{WRONG} --idempotently|{BETWEEN} --arguments '{{"a":1}}'}}
delete binding {{{BETWEEN}|--source dialect.e --destination-type exchange --destination dialect.h --routing-key k}}
delete policy {{--name dialect.p|--name dialect.p|--name dialect.p --idempotently}}
policies delete {{--name dialect.r|--name dialect.r|--name dialect.r --idempotently}}
delete operator_policy {{--name dialect.p|--name dialect.p|--name dialect.p --idempotently}}
operator_policies delete {{--name dialect.r|--name dialect.r|--name dialect.r --idempotently}}
delete parameter {{--name dialect.none --component federation-upstream|--name dialect.none --component none --idempotently|--name limits --component vhost-limits}}
parameters clear {{--name dialect.none --component none|--name dialect.none --component none --idempotently}}
delete vhost_limit {{--name max-queues|--name none}}
vhost_limits delete {{--name max-connections|--name max-connections}}
delete user_limit {{--username dialect.u --name max-channels|--username dialect.none --name max-channels}}
user_limits delete {{--username dialect.u --name max-connections|--username dialect.none --name none}}
delete shovel {{--name dialect.none|--name dialect.none --idempotently}}
delete queue {{--name dialect.a|--name dialect.a|--name dialect.a --idempotently}}
queues delete {{--name dialect.d|--name dialect.d|--name dialect.d --idempotently}}
queues delete_multiple {{--name-pattern ^dialect.q --dry-run|--name-pattern ^dialect.q --approve|--name-pattern ( --approve|--name-pattern ^dialect.none --approve --strict|--name-pattern ^dialect.none --approve --strict --detailed-exit-codes}}
delete stream {{--name dialect.s|--name dialect.s|--name dialect.s --idempotently}}
streams delete {{--name dialect.t|--name dialect.t|--name dialect.t --idempotently}}
delete exchange {{--name dialect.e|--name dialect.e|--name dialect.e --idempotently|--name amq.direct}}
exchanges delete {{--name dialect.h|--name dialect.h|--name dialect.h --idempotently}}
delete permissions {{--username dialect.u|--username dialect.u|--username dialect.u --idempotently|--username dialect.none}}
permissions delete {{--username dialect.u|--username dialect.u --idempotently}}
delete user {{--name dialect.u|--name dialect.u|--name dialect.u --idempotently}}
users delete {{--name dialect.u5|--name dialect.u5|--name dialect.u5 --idempotently}}
delete vhost {{--name dialect.w|--name dialect.w|--name dialect.w --idempotently}}
vhosts delete {{--name dialect.z|--name dialect.z|--name dialect.z --idempotently}}
vhosts delete_multiple {{--name-pattern ^dialect.x --dry-run|--name-pattern ^dialect.x --approve|--name-pattern ^dialect.none --approve --strict}}
{{--password wrong show overview|--vhost dialect.none list queues|--vhost dialect.none declare queue --name q|--port 1 show overview}}
"""

ALONE = f"""
policies {{delete_definition_keys_from_all --definition-keys none|update_definitions_of_all --definition-key max-length --new-value 9}}
feature_flags enable_all
federation {{disable_tls_peer_verification_for_all_upstreams|enable_tls_peer_verification_for_all_upstreams {PEM}}}
shovels {{disable_tls_peer_verification_for_all_source_uris|disable_tls_peer_verification_for_all_destination_uris|enable_tls_peer_verification_for_all_source_uris {PEM}|enable_tls_peer_verification_for_all_destination_uris {PEM}}}
"""

FILES = {
    "GOOD": {"vhosts": [{"name": "dialect.x"}], "queues": [{"name": "dialect.q", "vhost": "dialect.x", "durable": True, "auto_delete": False, "arguments": {}}]},
    "WRONG": {"queues": [{"name": "dialect.q", "vhost": "dialect.x", "durable": 5, "auto_delete": False, "arguments": []}]},
    "MISSING": {"queues": [{"name": "dialect.q", "vhost": "dialect.none", "durable": True, "auto_delete": False, "arguments": {}}]},
    "BROKEN": None,
}


def rows(lines):
    """Each line is a prefix and alternatives in braces, of which some are JSON in braces and quotes."""
    for line in lines.strip().splitlines():
        prefix, brace, rest = line.partition("{")
        if not brace:
            yield line
            continue
        for each in rest.removesuffix("}").split("|"):
            yield (prefix + each).strip()


class Admin:
    """The program against one broker, with files of its own."""

    def __init__(self, given, port):
        self.given, self.port = given, port
        self.directory = tempfile.mkdtemp(prefix="dialect.")
        self.api = f"http://127.0.0.1:{port}/api/"
        self.auth = (given.user, given.password)
        self.node = requests.get(self.api + "overview", auth=self.auth, timeout=30).json()["node"]
        for name, content in FILES.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("{" if content is None else json.dumps(content))

    def path(self, name):
        return f"{self.directory}/{name}"

    def run(self, row):
        words = shlex.split(row)
        names = {"NODE": self.node, "HTTP": str(self.port), "EXPORT": self.path("EXPORT"), **{name: self.path(name) for name in FILES}}
        words = [names.get(word, word) for word in words]
        options = {"--host": "127.0.0.1", "--port": str(self.port), "--username": self.given.user, "--password": self.given.password, "--vhost": VHOST}
        if words[0] == "config_file":
            options = {}
        elif words[:2] == ["health_check", "port_listener"]:
            del options["--port"]
            options["--base-uri"] = f"http://127.0.0.1:{self.port}/api"
        before = [part for option, value in options.items() if option not in words or words[:2] in (["declare", "user"], ["users", "declare"]) for part in (option, value)]
        done = subprocess.run(
            [self.given.program, *(["--config", self.path("config")] if words[0] == "config_file" else []), *before, *words], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        said = [line for line in done.stderr.splitlines() if line.strip("`│╭╰─ ")]
        return done.returncode, " / ".join(said[:3])[:160]

    def all(self, wanted):
        requests.put(self.api + "vhosts/" + VHOST, auth=self.auth, timeout=30)
        try:
            return [self.run(row) for row in wanted]
        finally:
            for kind, names in (("vhosts", [VHOST, *(f"dialect.{each}" for each in "wxyz")]), ("users", [f"dialect.u{each}" for each in ["", *"23456"]])):
                for name in names:
                    requests.delete(self.api + f"{kind}/{name}", auth=self.auth, timeout=30)
            for each in ("g", "g2", "g3"):
                requests.delete(self.api + f"global-parameters/dialect.{each}", auth=self.auth, timeout=30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="rabbitmqadmin")
    parser.add_argument("--http-port", type=int, default=15672)
    parser.add_argument("--other-http-port", type=int, help="of the broker to compare with")
    parser.add_argument("--alone", action="store_true", help="also what changes the objects of all virtual hosts")
    parser.add_argument("--user", default="guest")
    parser.add_argument("--password", default="guest")
    given = parser.parse_args()
    wanted = list(rows(COMMANDS)) + (list(rows(ALONE)) if given.alone else [])
    ports = [given.http_port] + ([given.other_http_port] if given.other_http_port else [])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda port: Admin(given, port).all(wanted), ports))
    shown = 0
    for row, *of_brokers in zip(wanted, *results):
        codes = {code for code, _ in of_brokers}
        if len(of_brokers) == 1 or len(codes) > 1:
            shown += 1
            print(row, *(f"{code}: {said}" for code, said in of_brokers), sep=" | ", flush=True)
    print(f"{len(wanted)} calls, {shown} shown")


if __name__ == "__main__":
    main()
