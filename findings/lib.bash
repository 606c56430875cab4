# Read by the scripts beside it: a temporary folder, packages in it, RabbitMQ of Debian sid, and the verdict.
# Exit codes: 0 as described, 1 it behaves otherwise, 2 not shown (another version, or something could not be had).
set -euo pipefail

work=$(mktemp -d)
in_background=()

finish() {
  local code=$? pid
  trap - EXIT
  for pid in ${in_background[@]+"${in_background[@]}"}; do
    kill -TERM -- "-$pid" 2>/dev/null || true
  done
  for pid in ${in_background[@]+"${in_background[@]}"}; do
    for _ in $(seq 100); do kill -0 -- "-$pid" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf --one-file-system "$work"
  exit "$code"
}
trap finish EXIT
trap 'exit 2' INT TERM

not_shown() {
  echo "not shown: $*" >&2
  exit 2
}

# run_in_background LOG COMMAND...: in a process group of its own, ended with the script.
run_in_background() {
  local log=$1
  shift
  setsid "$@" >"$log" 2>&1 </dev/null &
  in_background+=($!)
}

free_port() {
  python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# wait_for_port PORT SECONDS
wait_for_port() {
  for _ in $(seq $(($2 * 5))); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return 0; fi
    sleep 0.2
  done
  return 1
}

# python_packages NAME==VERSION...: $python has them afterwards.
python_packages() {
  python3 -m venv "$work/venv"
  python="$work/venv/bin/python"
  "$python" -m pip install --quiet --disable-pip-version-check --no-input "$@" || not_shown "pip could not install $*"
  echo "installed: $*"
}

# node_packages NAME@VERSION...: programs in $work/node find them.
node_packages() {
  mkdir "$work/node"
  echo '{"private": true}' >"$work/node/package.json"
  (cd "$work/node" && npm install --silent --no-audit --no-fund --ignore-scripts "$@") >/dev/null || not_shown "npm could not install $*"
  echo "installed: $*"
}

# java_packages GROUP:ARTIFACT:VERSION...: $work/lib has them, and all that they need.
java_packages() {
  local package
  {
    echo '<project><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>finding</groupId><artifactId>finding</artifactId><version>1</version><dependencies>'
    for package in "$@"; do
      IFS=: read -r group artifact version <<<"$package"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
    done
    echo '</dependencies></project>'
  } >"$work/pom.xml"
  mvn -B -q -ntp -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DoutputDirectory="$work/lib" >"$work/mvn.log" 2>&1 || not_shown "mvn could not fetch $*"
  echo "installed: $*"
}

# go_program MODULE@VERSION...: builds the program in $work/go with exactly these, as $work/program.
go_program() {
  local module used
  command -v go >/dev/null || not_shown "there is no go"
  (cd "$work/go" && go mod init finding && go mod edit "${@/#/-require=}" && go mod tidy) >"$work/go.log" 2>&1 ||
    not_shown "go could not fetch $*: $(tail -1 "$work/go.log")"
  for module in "$@"; do
    used=$(cd "$work/go" && go list -m "${module%@*}")
    [ "$used" = "${module/@/ }" ] || not_shown "go took $used"
  done
  echo "installed: $*"
  (cd "$work/go" && go build -o "$work/program" .) >"$work/go.log" 2>&1 || not_shown "go could not build: $(tail -1 "$work/go.log")"
}

# debian_packages NAME[=VERSION]...: unpacks these packages of Debian sid, and what they need, in $work/debian. Needs root.
debian_packages() {
  local packages
  packages=$(IFS=,; echo "base-files,libc-bin,$*")
  mmdebstrap --quiet --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --include="$packages" \
    sid "$work/debian" >"$work/debian.log" 2>&1 || not_shown "mmdebstrap could not unpack $*: $(tail -1 "$work/debian.log")"
  chroot "$work/debian" ldconfig
  [ -e "$work/debian/dev/null" ] || mknod -m 666 "$work/debian/dev/null" c 1 3
  echo '127.0.0.1 localhost' >"$work/debian/etc/hosts"
  echo "installed: $*"
}

# in_debian COMMAND...: runs a program of debian_packages.
in_debian() {
  LC_ALL=C chroot "$work/debian" "$@"
}

# oauth_key: makes $work/key.pem, a key to sign tokens with; RabbitMQ finds its public half in /etc/rabbitmq/key.pem.
# Programs in $work have token(KEY, NAME=CLAIM...) from the module tokens.
oauth_key() {
  rabbitmq_files=$work/files
  mkdir -p "$rabbitmq_files"
  openssl genrsa -out "$work/key.pem" 2048 2>/dev/null
  openssl rsa -in "$work/key.pem" -pubout -out "$rabbitmq_files/key.pem" 2>/dev/null
  chmod 644 "$rabbitmq_files/key.pem"
  cat >"$work/tokens.py" <<'PY'
import base64
import json
import subprocess
import time


def part(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(key, **claims):
    """Returns a token for the resource server shop that is valid for ten minutes."""
    claims = {"aud": ["shop"], "exp": int(time.time()) + 600, **claims}
    text = part(json.dumps({"alg": "RS256", "kid": "one", "typ": "JWT"}).encode()) + b"." + part(json.dumps(claims).encode())
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text, capture_output=True, check=True).stdout
    return (text + b"." + part(signature)).decode()
PY
}

# rabbitmq VERSION [PLUGIN...]: starts that version of Debian's package on 127.0.0.1, with one scheduler, and sets
# $amqp_port, and $http_port for the management plugin; the array rabbitmqctl is that command. The user is guest; what it logs is in
# $work/rabbitmq.log. Needs root.
# $rabbitmq_conf, if it is set, is added to its configuration, and the files of the directory $rabbitmq_files are beside that.
# With FINDINGS_RABBITMQ_TAR=FILE the installed system is kept in FILE, and taken from there the next time.
rabbitmq() {
  local version=$1 root="$work/rabbitmq" plugins epmd_port installed
  shift
  plugins=$(IFS=,; echo "$*")
  mkdir "$root"
  if [ -n "${FINDINGS_RABBITMQ_TAR:-}" ] && [ -s "$FINDINGS_RABBITMQ_TAR" ]; then
    tar -C "$root" -xf "$FINDINGS_RABBITMQ_TAR"
  else
    mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io \
      --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
      --dpkgopt='path-exclude=/usr/share/locale/*' --include=rabbitmq-server sid "$root" >"$work/mmdebstrap.log" 2>&1 ||
      not_shown "mmdebstrap could not install rabbitmq-server: $(tail -1 "$work/mmdebstrap.log")"
    if [ -n "${FINDINGS_RABBITMQ_TAR:-}" ]; then
      tar -C "$root" --exclude='./dev/*' -cf "$FINDINGS_RABBITMQ_TAR" .
    fi
  fi
  installed=$(chroot "$root" dpkg-query -W -f '${Version}' rabbitmq-server)
  echo "installed: rabbitmq-server $installed"
  [ "$installed" = "$version" ] || not_shown "another version than the one described, $version"
  amqp_port=$(free_port)
  http_port=$(free_port)
  epmd_port=$(free_port)
  mkdir -p "$root/etc/rabbitmq"
  echo "[$plugins]." >"$root/etc/rabbitmq/enabled_plugins"
  {
    echo 'listeners.tcp.1 = 127.0.0.1:'"$amqp_port"
    echo 'log.console = true'
    echo "${rabbitmq_conf:-}"
    case ",$plugins," in *,rabbitmq_management,*)
      echo 'management.tcp.ip = 127.0.0.1'
      echo 'management.tcp.port = '"$http_port" ;;
    esac
  } >"$root/etc/rabbitmq/rabbitmq.conf"
  if [ -n "${rabbitmq_files:-}" ]; then cp "$rabbitmq_files"/* "$root/etc/rabbitmq/"; fi
  echo '127.0.0.1 localhost' >"$root/etc/hosts"
  [ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
  rabbitmqctl=(env HOME=/var/lib/rabbitmq RABBITMQ_NODENAME=finding@localhost ERL_EPMD_PORT="$epmd_port" ERL_EPMD_ADDRESS=127.0.0.1
    chroot "$root" /usr/lib/rabbitmq/bin/rabbitmqctl)
  run_in_background "$work/epmd.log" chroot "$root" epmd -address 127.0.0.1 -port "$epmd_port"
  run_in_background "$work/rabbitmq.log" env HOME=/var/lib/rabbitmq ERL_EPMD_PORT="$epmd_port" ERL_EPMD_ADDRESS=127.0.0.1 \
    RABBITMQ_NODENAME=finding@localhost RABBITMQ_DIST_PORT="$(free_port)" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='+S 1:1 -kernel inet_dist_use_interface {127,0,0,1}' \
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/lib/rabbitmq/bin/rabbitmq-server' "$root"
  for _ in $(seq 500); do
    if grep -q 'Time to start RabbitMQ' "$work/rabbitmq.log"; then return 0; fi
    sleep 0.2
  done
  not_shown "RabbitMQ did not start: $(tail -3 "$work/rabbitmq.log")"
}

# stream_listener: sets $stream_port, and $rabbitmq_conf so that the plugin rabbitmq_stream listens there, on 127.0.0.1 only.
stream_listener() {
  stream_port=$(free_port)
  rabbitmq_conf="stream.listeners.tcp.1 = 127.0.0.1:$stream_port
stream.advertised_host = 127.0.0.1
stream.advertised_port = $stream_port"
}

# qpid VERSION: starts Qpid Broker-J of that version on 127.0.0.1 with AMQP 0-9-1 and a store in memory, and sets $amqp_port.
# The user is guest, the virtual host is called default.
qpid() {
  local version=$1
  java_packages "org.apache.qpid:qpid-broker-core:$version" "org.apache.qpid:qpid-broker-plugins-amqp-0-8-protocol:$version" \
    "org.apache.qpid:qpid-broker-plugins-memory-store:$version" org.slf4j:slf4j-nop:2.0.17
  amqp_port=$(free_port)
  cat >"$work/qpid.json" <<JSON
{"name": "broker", "modelVersion": "8.0",
 "authenticationproviders": [{"name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
   "users": [{"name": "guest", "type": "managed", "password": "guest"}]}],
 "ports": [{"name": "AMQP", "port": "$amqp_port", "bindingAddress": "127.0.0.1", "authenticationProvider": "plain",
   "protocols": ["AMQP_0_9_1"], "virtualhostaliases": [{"name": "byName", "type": "nameAlias"}]}],
 "virtualhostnodes": [{"name": "default", "type": "Memory", "defaultVirtualHostNode": "true",
   "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"}]}
JSON
  cat >"$work/Qpid.java" <<'JAVA'
import java.util.Map;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.model.ConfiguredObject;
import org.apache.qpid.server.model.SystemConfig;

public class Qpid {
  public static void main(String[] args) throws Exception {
    new SystemLauncher().startup(Map.of(
        SystemConfig.TYPE, "Memory",
        SystemConfig.INITIAL_CONFIGURATION_LOCATION, args[0],
        ConfiguredObject.CONTEXT, Map.of("qpid.work_dir", args[1])));
    Thread.sleep(170_000);
    System.exit(0);
  }
}
JAVA
  run_in_background "$work/qpid.log" java -Xmx256m -cp "$work/lib/*" "$work/Qpid.java" "$work/qpid.json" "$work/qpid"
  wait_for_port "$amqp_port" 100 || not_shown "Qpid Broker-J did not start: $(tail -3 "$work/qpid.log")"
}

# Every program of a finding prints what it saw, and ends with 0 if that is what is described, else with 1.
verdict() {
  if "$@"; then
    echo 'as described'
  else
    echo 'it behaves otherwise than described' >&2
    exit 1
  fi
}
