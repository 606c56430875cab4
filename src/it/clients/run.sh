#!/usr/bin/env bash
# Tries the broker with clients of other languages: ./run.sh [HOST [PORT]], default 127.0.0.1 5672.
# Installs what they need into a temporary directory. Exit code 0: all that could run passed; 1: one
# failed; 2: none could run.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export AMQP_HOST=${1:-127.0.0.1} AMQP_PORT=${2:-5672}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

skip() {
  echo "SKIPPED $1: $2"
  [ -s "$work/log" ] && tail -n 3 "$work/log" | sed 's/^/    /'
  : >"$work/log"
}

result() {
  if [ "$2" -eq 0 ]; then
    echo "PASSED  $1"
    passed=$((passed + 1))
  else
    echo "FAILED  $1"
    failed=$((failed + 1))
  fi
}

pika() {
  command -v python3 >/dev/null || { skip pika "there is no python3"; return; }
  python3 -m venv "$work/venv" >"$work/log" 2>&1 ||
    { skip pika "python3 cannot make a virtual environment (package python3-venv?)"; return; }
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check pika >"$work/log" 2>&1 ||
    { skip pika "pip could not install pika"; return; }
  timeout 60 "$work/venv/bin/python" "$here/pika_check.py"
  result pika $?
}

amqplib() {
  command -v node >/dev/null && command -v npm >/dev/null ||
    { skip amqplib "there is no node with npm"; return; }
  mkdir "$work/node" && cp "$here/amqplib_check.js" "$work/node/"
  (cd "$work/node" && npm install --silent --no-fund --no-audit amqplib) >"$work/log" 2>&1 ||
    { skip amqplib "npm could not install amqplib"; return; }
  timeout 60 node "$work/node/amqplib_check.js"
  result amqplib $?
}

pika
amqplib
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 2
