# What the tests of packages have in common.

export LC_ALL=C
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$repository/broker-server/target/packages
work=$(mktemp -d)
# The user of the broker in a root directory must be able to reach it.
chmod 755 "$work"
broker=

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

fail() {
  echo "$test: FAILED: $*" >&2
  [ ! -e "$work/log" ] || tail -n 40 "$work/log" >&2
  exit 1
}

pass() {
  echo "$test: $*"
}

cleanup() {
  [ -z "$broker" ] || as_root kill -KILL "$broker" 2>/dev/null || true
  local job
  for job in $(jobs -p); do
    as_root kill -TERM "$job" 2>/dev/null || true
  done
  as_root rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 143' TERM INT HUP

# Installs Debian packages for the commands that are missing.
#
#   $@   COMMAND=PACKAGE...
need() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  as_root apt-get update -q >/dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
}

# Waits for a condition, for two minutes.
#
#   $1   what is waited for
#   $@   a command
await() {
  local what=$1
  shift
  for _ in $(seq 1200); do
    if "$@"; then
      return
    fi
    sleep 0.1
  done
  fail "$what: still not after two minutes"
}

# Ends the broker and checks that it ends as it should.
stop_broker() {
  local code=0 child=$broker
  as_root kill -TERM "$child"
  ( sleep 60; as_root kill -KILL "$child" ) 2>/dev/null &
  local killer=$!
  wait "$launched" || code=$?
  kill "$killer" 2>/dev/null || true
  broker=
  [ "$code" -eq 0 ] || fail "exit code $code after SIGTERM"
  grep -q ' stopped$' "$work/log" || fail "the log does not end with 'stopped'"
}
