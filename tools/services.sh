#!/usr/bin/env bash
# What the checks need from the system: a PostgreSQL server to start. Installed only where it
# is missing and we are root; the tests start and stop the server themselves.
set -euo pipefail
shopt -s nullglob

servers=(/usr/lib/postgresql/*/bin/postgres)
if [ ${#servers[@]} -eq 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "services: no PostgreSQL server; install Debian's postgresql or set ASSAY_TEST_POSTGRES" >&2
    exit 0
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends postgresql >/dev/null
fi
