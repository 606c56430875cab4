# What the scripts in bin have in common. They set $name, their own name, and $home, the directory of the distribution, and
# read this file; it sets $java, exports MAYFLY_CONFIG_FILE, and has archive_options.

if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
  java=$JAVA_HOME/bin/java
elif command -v java >/dev/null 2>&1; then
  java=java
else
  echo "$name: no Java found: install a JDK 17 or later, or set JAVA_HOME" >&2
  exit 1
fi

# An installed package has its files where the system has such files.
config=$home/config/mayfly.conf
if [ "$home" = /usr/share/mayflymq ]; then
  config=/etc/mayflymq/mayflymq.conf
  MAYFLY_CACHE_DIR=${MAYFLY_CACHE_DIR:-/var/cache/mayflymq}
fi
if [ -z "${MAYFLY_CONFIG_FILE:-}" ] && [ -r "$config" ]; then
  MAYFLY_CONFIG_FILE=$config
  export MAYFLY_CONFIG_FILE
fi

# Prints the options for an archive of the classes of a program, which halves the time of its start. If there is none, Java writes it
# when the program ends. An archive belongs to one Java and one jar, so its name has the version of the one and the size of the other.
# Java writes to a file with the number of the process in its name: the next start finds it complete, or not at all.
#
#   $1   the name of the archive
archive_options() {
  directory=${MAYFLY_CACHE_DIR:-$home/lib}
  release=$(dirname "$(dirname "$(readlink -f "$(command -v "$java")")")")/release
  [ -r "$release" ] || return 0
  version=$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$release")
  archive=$directory/$1-$version-$(wc -c <"$home/lib/mayfly.jar").jsa
  # The options are separated by spaces, and a program may have an archive of its own.
  case $archive in *[[:space:]]*) return 0 ;; esac
  case ${MAYFLY_JAVA_OPTS:-} in *Archive* | *AOT*) return 0 ;; esac
  for made in "$archive".*; do
    process=${made##*.}
    if [ -f "$made" ] && { [ "$process" = $$ ] || ! kill -0 "$process" 2>/dev/null; }; then
      mv -f "$made" "$archive" 2>/dev/null || true
    fi
  done
  if [ -r "$archive" ]; then
    echo "-XX:SharedArchiveFile=$archive -Xlog:cds=off -Xlog:cds+dynamic=off"
  elif [ -w "$directory" ]; then
    rm -f "$directory/$1"-*.jsa
    echo "-XX:ArchiveClassesAtExit=$archive.$$ -Xlog:cds=off -Xlog:cds+dynamic=off"
  fi
}
