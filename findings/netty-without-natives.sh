#!/usr/bin/env bash
# Netty 4.2.19 and 4.2.20 cannot be used with native transports: the native libraries are missing.
#
# With:      Netty 4.2.18.Final, 4.2.19.Final, 4.2.20.Final from Maven's central repository
# Expected:  a patch release has the same artifacts as the one before, and netty-all and the BOM bring what fits together.
# Happens:   netty-transport-native-epoll 4.2.19.Final and 4.2.20.Final are there, but only the jar without a classifier, which has
#            no library in it; those with linux-x86_64, osx-aarch_64 and so on, which netty-all asks for, are not found.
#            Likewise kqueue and io_uring. What asks for them, netty-all with all that it needs among them, does not resolve.
# Who meets it: who lets a bot raise patch releases of Netty in a server that uses epoll: the build stops with "Could not find
#            artifact".
. "$(dirname "$0")/lib.bash"

# Without a settled answer (no network, say) there is nothing to tell.
available() {
  if mvn -B -U -ntp org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get -Dtransitive="${2:-false}" \
    -Dartifact="$1" >"$work/mvn.log" 2>&1; then
    echo yes
  elif grep -qi 'could not find artifact' "$work/mvn.log"; then
    echo no
  else
    echo unknown
  fi
}

same=true
check() {
  local seen
  seen=$(available "$1" "${3:-false}")
  [ "$seen" != unknown ] || not_shown "no answer about $1: $(grep -m1 ERROR "$work/mvn.log")"
  echo "$1: $seen"
  [ "$seen" = "$2" ] || same=false
}

check io.netty:netty-transport-native-epoll:4.2.18.Final:jar:linux-x86_64 yes
check io.netty:netty-transport-native-epoll:4.2.19.Final:jar:linux-x86_64 no
check io.netty:netty-transport-native-epoll:4.2.20.Final yes
check io.netty:netty-transport-native-epoll:4.2.20.Final:jar:linux-x86_64 no
check io.netty:netty-all:4.2.20.Final no true
verdict "$same"
