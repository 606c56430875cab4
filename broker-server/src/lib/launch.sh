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
  # In a pod of RabbitMQ's cluster operator, which mounts this file, the image has another one for the operator's paths.
  [ ! -e /etc/rabbitmq/conf.d/10-operatorDefaults.conf ] || config=/etc/rabbitmq/rabbitmq.conf
  MAYFLY_CACHE_DIR=${MAYFLY_CACHE_DIR:-/var/cache/mayflymq}
fi
if [ -z "${MAYFLY_CONFIG_FILE:-}" ] && [ -r "$config" ]; then
  MAYFLY_CONFIG_FILE=$config
  export MAYFLY_CONFIG_FILE
fi

# Prints the version of Java, such as 17.0.15. Fails if it is not told.
java_version() {
  release=$(dirname "$(dirname "$(readlink -f "$(command -v "$java")")")")/release
  [ -r "$release" ] && sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$release"
}

# Prints how many processors the process may use: those of the machine, or what its control group leaves of them.
count_processors() {
  processors=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
  group=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null || true)
  for limit in /sys/fs/cgroup/cpu.max "/sys/fs/cgroup$group/cpu.max"; do
    if [ -r "$limit" ] && read -r quota period <"$limit" && [ "$quota" != max ]; then
      allowed=$(((quota + period - 1) / period))
      [ "$allowed" -ge "$processors" ] || processors=$allowed
    fi
  done
  echo "$processors"
}

# Prints options for the heap of the broker, which holds little for long: contents of messages that wait are elsewhere. On few processors a
# small young generation is collected in one to three milliseconds, by one thread, with the least memory. On more the threads that allocate
# would wait for that one, so there it is G1, whose heap begins small, and grows for what it holds rather than to collect less often.
heap_options() {
  if [ "$(count_processors)" -le 2 ]; then
    echo "-XX:+UseSerialGC -Xms48m -Xmn16m -XX:SurvivorRatio=3 -XX:-ShrinkHeapInSteps -XX:MetaspaceSize=64m"
  else
    echo "-Xms64m -XX:GCTimeRatio=4"
  fi
}

# Prints the option by which Java gives memory that its compilers have freed back to the system, if it is known to have it.
trim_options() {
  case ${MAYFLY_JAVA_OPTS:-} in *TrimNativeHeap*) return 0 ;; esac
  version=$(java_version) || return 0
  # shellcheck disable=SC2046 # the numbers are meant to be split
  set -- $(echo "$version" | tr -c '0-9\n' ' ')
  case $1 in
    17) [ "${3:-0}" -ge 12 ] || return 0 ;;
    21) [ "${3:-0}" -ge 4 ] || return 0 ;;
    *) [ "$1" -ge 23 ] || return 0 ;;
  esac
  echo "-XX:TrimNativeHeapInterval=500"
}

# Names the archive of a program, without its ending: $stem. It belongs to one Java and one jar, so the name has the version of the one and a
# checksum of the size and time of the other; and of its path, which Java did not allow to change before version 25. Fails if there can be
# none: the options of Java are separated by spaces, and those of the user go first.
#
#   $1   the name of the program
find_archive() {
  directory=${MAYFLY_CACHE_DIR:-$home/lib}
  version=$(java_version) || return 1
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
