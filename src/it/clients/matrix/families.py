"""Toolchains: what a language's clients need, how that is fetched and how the programs are built."""

import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from matrix.session import Outcome


@dataclass(frozen=True)
class Need:
    """Something that must be on the machine: `probe` ends with 0 if it is; Debian's `packages` bring
    it."""

    what: str
    probe: tuple
    packages: tuple


@dataclass(frozen=True)
class Family:
    """The clients of one language, in the folder of that name. `fetch` gets the libraries, and where
    that fails the clients are skipped; `build` compiles, and where that fails they have failed.
    Commands run in a copy of the folder. The heavier ones are prepared first."""

    name: str
    needs: tuple
    fetch: tuple = ()
    build: tuple = ()
    weight: int = 0


def at_least(command, version_line, version):
    """A probe for a tool that prints its version as `version_line`, a shell command."""
    check = f'[ "$(printf "%s\\n" {version} "$({version_line})" | sort -V | head -n 1)" = {version} ]'
    return ("sh", "-c", f"command -v {command} >/dev/null && {check}")


PYTHON = Family(
    "python",
    (Need("Python's module venv", (sys.executable, "-c", "import ensurepip"), ("python3-venv",)),),
    fetch=(
        (sys.executable, "-m", "venv", "venv"),
        ("venv/bin/pip", "install", "-q", "--disable-pip-version-check", "-r", "requirements.txt"),
    ),
)
NODE = Family(
    "node",
    (
        Need("Node.js 18", at_least("node", "node --version | tr -d v", "18"), ("nodejs",)),
        Need("npm", ("npm", "--version"), ("npm",)),
    ),
    fetch=(("npm", "install", "--silent", "--no-fund", "--no-audit", "--no-package-lock"),),
)
# Frameworks that want a newer Node.js than the libraries.
NODE_FRAMEWORKS = Family(
    "node-frameworks",
    (
        Need("Node.js 20", at_least("node", "node --version | tr -d v", "20"), ("nodejs",)),
        Need("npm", ("npm", "--version"), ("npm",)),
    ),
    fetch=NODE.fetch,
)
# What needs a newer Node.js than Debian has: npm brings it.
NODE_22 = Family("node-22", NODE.needs, NODE.fetch)
JAVA = Family(
    "java",
    (
        Need("javac", ("javac", "--version"), ("default-jdk-headless",)),
        Need("Maven", ("mvn", "--version"), ("maven",)),
    ),
    fetch=(
        # What is kept may have other versions beside those that are wanted now.
        ("rm", "-rf", "lib"),
        ("mvn", "-B", "-q", "-ntp", "dependency:copy-dependencies", "-DoutputDirectory=lib"),
    ),
    weight=1,
)
# Frameworks that bring older versions of the libraries.
JAVA_FRAMEWORKS = Family("java-frameworks", JAVA.needs, JAVA.fetch, weight=1)
GO = Family(
    "go",
    (Need("Go 1.25", at_least("go", "go env GOVERSION | tr -d go", "1.25"), ("golang-go",)),),
    fetch=(("go", "mod", "download"),),
    build=(("go", "build", "-o", "amqp091", "."),),
    weight=2,
)
RUST = Family(
    "rust",
    (Need("Cargo 1.88", at_least("cargo", "cargo --version | cut -d' ' -f2", "1.88"), ("cargo",)),),
    fetch=(("cargo", "fetch", "--quiet"),),
    build=(("cargo", "build", "--quiet", "--offline"),),
    weight=3,
)
C = Family(
    "c",
    (
        Need("a C compiler", ("cc", "--version"), ("gcc", "libc6-dev")),
        Need("pkg-config", ("pkg-config", "--version"), ("pkg-config",)),
        Need("librabbitmq", ("pkg-config", "--exists", "librabbitmq"), ("librabbitmq-dev",)),
        Need("amqp-tools", ("sh", "-c", "command -v amqp-publish"), ("amqp-tools",)),
    ),
    build=(
        (
            "sh",
            "-c",
            "cc -std=gnu11 -Wall -Wextra -Werror -o librabbitmq librabbitmq.c"
            " $(pkg-config --cflags --libs librabbitmq)",
        ),
    ),
)
RUBY = Family(
    "ruby",
    (Need("Ruby with bunny", ("ruby", "-r", "bunny", "-e", "0"), ("ruby-bunny",)),),
)
PHP = Family(
    "php",
    (
        Need("PHP", ("php", "--version"), ("php-cli",)),
        Need(
            "php-amqplib",
            ("php", "-r", "require 'PhpAmqpLib/autoload.php';"),
            ("php-amqplib",),
        ),
    ),
)
# The extension, which no other client needs.
PHP_EXTENSION = Family(
    "php-extension",
    (
        Need("PHP", ("php", "--version"), ("php-cli",)),
        Need("php-amqp", ("php", "-r", "exit(extension_loaded('amqp') ? 0 : 1);"), ("php-amqp",)),
    ),
)
# Symfony's framework for messages, on the extension.
PHP_SYMFONY = Family(
    "php-symfony",
    PHP_EXTENSION.needs
    + (
        Need(
            "Symfony Messenger",
            (
                "php",
                "-r",
                "require 'Symfony/Component/EventDispatcher/autoload.php';"
                "require 'Symfony/Component/Messenger/Bridge/Amqp/autoload.php';",
            ),
            ("php-symfony-messenger", "php-symfony-amqp-messenger", "php-symfony-event-dispatcher"),
        ),
    ),
)
PERL = Family(
    "perl",
    (
        Need(
            "Perl with AnyEvent::RabbitMQ",
            ("perl", "-MAnyEvent::RabbitMQ", "-e", "0"),
            ("libanyevent-rabbitmq-perl",),
        ),
    ),
)


class Workshop:
    """Prepares each family once, in a directory that is kept. Thread-safe."""

    def __init__(self, sources, work, install):
        self.sources = sources
        self.work = work
        self.install = install
        self.lock = threading.Lock()
        self.apt = threading.Lock()
        self.updated = False
        self.locks = {}
        self.reasons = {}

    def directory(self, family):
        return self.work / family.name

    def prepare(self, family):
        """Returns None when the family's clients can run, or else the outcome of each of them."""
        with self.lock:
            lock = self.locks.setdefault(family.name, threading.Lock())
        with lock:
            if family.name not in self.reasons:
                self.reasons[family.name] = self.make(family)
            return self.reasons[family.name]

    def make(self, family):
        for need in family.needs:
            if not succeeds(need.probe):
                if not self.install:
                    packages = " ".join(need.packages)
                    reason = f"{need.what} is missing (apt-get install {packages}, or --install)"
                    return Outcome(Outcome.SKIPPED, reason)
                output = self.apt_get(need.packages)
                if not succeeds(need.probe):
                    reason = f"{need.what} is missing and could not be installed"
                    return Outcome(Outcome.SKIPPED, reason, transcript=output)
        directory = self.directory(family)
        shutil.copytree(self.sources / family.name, directory, dirs_exist_ok=True)
        for step in family.fetch:
            code, output = output_of(step, directory)
            if code:
                reason = f"'{step[0]}' could not fetch the libraries: {last_line(output)}"
                return Outcome(Outcome.SKIPPED, reason, transcript=output)
        for step in family.build:
            code, output = output_of(step, directory)
            if code:
                return Outcome(Outcome.FAILED, "it does not compile", transcript=output)
        return None

    def apt_get(self, packages):
        sudo = () if os.geteuid() == 0 else ("sudo", "-n")
        apt = (*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y")
        with self.apt:
            output = ""
            if not self.updated:
                self.updated = True
                output = output_of((*apt, "update"), Path.cwd())[1]
            install = (*apt, "install", "--no-install-recommends", *packages)
            return output + output_of(install, Path.cwd())[1]


def output_of(command, directory):
    """The exit code and everything that was printed."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        return done.returncode, done.stdout
    except FileNotFoundError as error:
        return 127, str(error)
    except subprocess.TimeoutExpired:
        return 124, "not done in 600 s"


def succeeds(command):
    return output_of(command, Path.cwd())[0] == 0


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
