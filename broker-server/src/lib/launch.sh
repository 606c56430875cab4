# What the scripts in bin have in common. They set $name, their own name, and $home, the directory of the distribution, and
# read this file; it sets $java, exports MAYFLY_CONFIG_FILE, and has archive_options and train.

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

# Names the archive of a program, without its ending: $stem. It belongs to one Java and one jar, so the name has the version of the one and a
# checksum of the size and time of the other; and of its path, which Java did not allow to change before version 25. Fails if there can be
# none: the options of Java are separated by spaces, and those of the user go first.
#
#   $1   the name of the program
find_archive() {
  directory=${MAYFLY_CACHE_DIR:-$home/lib}
  release=$(dirname "$(dirname "$(readlink -f "$(command -v "$java")")")")/release
  [ -r "$release" ] || return 1
  version=$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$release")
  jar=$home/lib/mayfly.jar place=$home
  [ "${version%%.*}" -lt 25 ] || place=
  stem=$directory/$1-$version-$({ echo "$place"; stat -c '%s %Y' "$jar" 2>/dev/null || wc -c <"$jar"; } | checksum)
  case $stem in *[[:space:]]*) return 1 ;; esac
  case ${MAYFLY_JAVA_OPTS:-} in *Archive* | *AOT*) return 1 ;; esac
}

# Not every system has both.
checksum() {
  { md5sum 2>/dev/null || cksum; } | cut -d ' ' -f 1
}

# Removes those of other versions, of which each takes 20 to 40 MB.
remove_archives() {
  rm -f "$directory/$1"-*.jsa "$directory/$1"-*.aot
}

# Prints the options for an archive of the classes of a program, which halves the time of its start: an ahead-of-time cache that train has
# made, or class data. If there is none, Java writes class data when the program ends, to a file with the number of the process in its name:
# the next start finds it complete, or not at all. A Java that cannot use an archive ignores it.
#
#   $1   the name of the program
archive_options() {
  find_archive "$1" || return 0
  quiet="-Xlog:cds=off -Xlog:cds+dynamic=off"
  if [ -r "$stem.aot" ]; then
    echo "-XX:AOTCache=$stem.aot -Xlog:aot=off $quiet"
    return 0
  fi
  for made in "$stem.jsa".*; do
    process=${made##*.}
    if [ -f "$made" ] && { [ "$process" = $$ ] || ! kill -0 "$process" 2>/dev/null; }; then
      mv -f "$made" "$stem.jsa" 2>/dev/null || true
    fi
  done
  if [ -r "$stem.jsa" ]; then
    echo "-XX:SharedArchiveFile=$stem.jsa $quiet"
  elif [ -w "$directory" ]; then
    remove_archives "$1"
    echo "-XX:ArchiveClassesAtExit=$stem.jsa.$$ $quiet"
  fi
}

# Runs the broker with a load of some seconds and makes the archive from that: an ahead-of-time cache from Java 25 on, which has profiles of
# the code too, and class data before.
#
#   $1   the name of the program; further ones are options of Java that the program is started with
train() {
  find_archive "$1" || { echo "$name: no archive can be made with this Java and these options" >&2; return 1; }
  [ -w "$directory" ] || { echo "$name: cannot write to $directory: run this as its owner, or set MAYFLY_CACHE_DIR" >&2; return 1; }
  program=$1
  if [ "${version%%.*}" -ge 25 ]; then
    archive=$stem.aot option=AOTCacheOutput
  else
    archive=$stem.jsa option=ArchiveClassesAtExit
  fi
  shift
  # Java says much while it makes one, which only matters if it fails.
  log=$(mktemp)
  if "$java" "$@" "-XX:$option=$archive.$$" -jar "$home/lib/mayfly.jar" train >"$log" 2>&1 && [ -r "$archive.$$" ]; then
    remove_archives "$program"
    mv -f "$archive.$$" "$archive"
    rm -f "$log"
    echo "$archive"
  else
    cat "$log" >&2
    rm -f "$log" "$archive.$$" "$archive.$$.config"
    return 1
  fi
}
