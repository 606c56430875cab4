"""What the measurements ask of MayflyMQ by HTTP, as the control command does."""

import json
import urllib.request


def request(broker, method, path, body=None, root="api"):
    """Sends a request to the API, or below another path, and returns what the answer has, or None."""
    control = json.loads((broker.data / "mayfly.control").read_text())
    asked = urllib.request.Request(
        f"{control['url']}/{root}/{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + control["token"], "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(asked) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def put_policy(broker, name, pattern, definition):
    """Sets a policy of queues, and returns once it applies."""
    body = {"pattern": pattern, "definition": definition, "apply-to": "queues"}
    request(broker, "PUT", f"policies/%2F/{name}", body)
