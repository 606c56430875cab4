"""What the measurements ask of MayflyMQ by HTTP, as the control command does."""

import json
import urllib.request


def put_policy(broker, name, pattern, definition):
    """Sets a policy of queues, and returns once it applies."""
    control = json.loads((broker.data / "mayfly.control").read_text())
    body = {"pattern": pattern, "definition": definition, "apply-to": "queues"}
    request = urllib.request.Request(
        f"{control['url']}/api/policies/%2F/{name}",
        data=json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + control["token"]},
        method="PUT",
    )
    urllib.request.urlopen(request).close()
