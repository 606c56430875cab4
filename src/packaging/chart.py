"""Lints a packaged Helm chart, renders it with different values, and checks the result by Kubernetes' schemas."""

import collections
import pathlib
import sys

import helm_python
import kubernetes_validate
import yaml
from helm_python import chart as helm

KUBERNETES = ["1.25", "1.30", "1.34"]

PASSWORD = {"auth": {"password": "secret"}}
EVERYTHING = {
    "auth": {"existingSecret": "users", "vhost": "orders"},
    "tls": {"existingSecret": "certificate"},
    "definitions": {"existingSecret": "definitions"},
    "configuration": "heartbeat = 30\nloopback_users = none",
    "persistence": {"storageClass": "fast", "size": "100Gi"},
    "service": {"type": "LoadBalancer", "annotations": {"a": "b"}},
    "javaOptions": "-Xmx1g",
    "env": [{"name": "MAYFLY_SHARDS", "value": "2"}],
    "podAnnotations": {"a": "b"},
    "podLabels": {"a": "b"},
    "nodeSelector": {"a": "b"},
    "tolerations": [{"operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "priorityClassName": "high",
    "imagePullSecrets": [{"name": "registry"}],
}
WITHOUT_DISK = {**PASSWORD, "persistence": {"enabled": False}}
CLUSTER = {**PASSWORD, "replicas": 3, "cluster": {"secret": "4ad6c5f0e1"}}
KINDS = {"ConfigMap": 1, "Service": 2, "StatefulSet": 1, "Secret": 1}

WRONG = [
    ({}, "auth.password"),
    ({**PASSWORD, "persistance": {}}, "persistance"),
    ({**PASSWORD, "drainDelay": "long"}, "drainDelay"),
    ({**PASSWORD, "replicas": 3}, "cluster.secret"),
    ({**PASSWORD, "replicas": 0}, "replicas"),
]


def objects(chart, values):
    """The objects that the chart renders to."""
    chart.validate_schema(values)
    rendered = chart.render(values, name="mq", namespace="queues")
    for path, text in rendered.items():
        if not path.endswith("NOTES.txt"):
            yield from (thing for thing in yaml.safe_load_all(text) if thing)


def main(archive, work):
    helm.expand(work, archive)
    directory = pathlib.Path(work, "mayflymq")
    report = helm.lint(directory, PASSWORD, strict=True)
    found = [m for m in report["messages"] if m["severity"] >= 2] + report["errors"]
    assert not found, found

    chart = helm.Chart.load(archive)
    for values, kinds in (
        (PASSWORD, KINDS),
        (EVERYTHING, {**KINDS, "Secret": 0}),
        (WITHOUT_DISK, KINDS),
        (CLUSTER, {**KINDS, "Secret": 2, "PodDisruptionBudget": 1}),
    ):
        found = collections.Counter()
        for thing in objects(chart, values):
            found[thing["kind"]] += 1
            for version in KUBERNETES:
                kubernetes_validate.validate(thing, version, strict=True)
        assert found == collections.Counter(kinds), found

    [stateful] = [t for t in objects(chart, EVERYTHING) if t["kind"] == "StatefulSet"]
    pod = stateful["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["image"] == "mayflymq:" + chart.metadata["appVersion"], container["image"]
    assert {v["name"] for v in pod["volumes"]} == {"configuration", "tls", "definitions"}
    assert "tls.crt" in str([t for t in objects(chart, EVERYTHING) if t["kind"] == "ConfigMap"])

    [configuration] = [t for t in objects(chart, CLUSTER) if t["kind"] == "ConfigMap"]
    for pod in range(3):
        line = f"cluster_formation.classic_config.nodes.{pod + 1} = mayfly@mq-mayflymq-{pod}.mq-mayflymq-headless.queues.svc\n"
        assert line in configuration["data"]["10-chart.conf"], configuration
    [stateful] = [t for t in objects(chart, CLUSTER) if t["kind"] == "StatefulSet"]
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    [name] = [e["value"] for e in container["env"] if e["name"] == "MAYFLY_NODE_NAME"]
    assert name == "mayfly@$(POD_NAME).mq-mayflymq-headless.queues.svc", name

    for values, name in WRONG:
        try:
            list(objects(chart, values))
        except helm_python.HelmError as e:
            assert name in str(e), e
        else:
            raise AssertionError(f"{values} renders without an error about {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
