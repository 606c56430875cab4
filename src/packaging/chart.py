"""Lints a packaged Helm chart, renders it with different values, and checks the result by Kubernetes' schemas."""

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

WRONG = [
    ({}, "auth.password"),
    ({**PASSWORD, "persistance": {}}, "persistance"),
    ({**PASSWORD, "drainDelay": "long"}, "drainDelay"),
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
    for values in (PASSWORD, EVERYTHING, WITHOUT_DISK):
        kinds = []
        for thing in objects(chart, values):
            kinds.append(thing["kind"])
            for version in KUBERNETES:
                kubernetes_validate.validate(thing, version, strict=True)
        expected = ["ConfigMap", "Service", "Service", "StatefulSet"]
        expected += [] if values is EVERYTHING else ["Secret"]
        assert sorted(kinds) == sorted(expected), kinds

    [stateful] = [t for t in objects(chart, EVERYTHING) if t["kind"] == "StatefulSet"]
    pod = stateful["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["image"] == "mayflymq:" + chart.metadata["appVersion"], container["image"]
    assert {v["name"] for v in pod["volumes"]} == {"configuration", "tls", "definitions"}
    assert "tls.crt" in str([t for t in objects(chart, EVERYTHING) if t["kind"] == "ConfigMap"])

    for values, name in WRONG:
        try:
            list(objects(chart, values))
        except helm_python.HelmError as e:
            assert name in str(e), e
        else:
            raise AssertionError(f"{values} renders without an error about {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
