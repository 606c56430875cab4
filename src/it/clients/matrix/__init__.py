"""The machinery of `run`: brokers to talk to, toolchains to talk with, and one session of a client."""
