#!/usr/bin/env bash
# postgresql-client 15.20 (Debian 12): psql stops reading a CSV file inside a quoted cell.
#
# Guess: a quoted cell may hold any line; \copy reads what COPY reads.
# Seen: a line that is "\." ends \copy and COPY FROM STDIN, also within quotes: "unterminated CSV quoted field". COPY of the
# same file by the server reads it. Each table in a dump of PostgreSQL ends in that line, so that one leaked dump in an
# export is enough.
# For an export of leaks: COPY FROM a file of the server.
source "$(dirname "$0")/lib.sh"
apt-get download -qq postgresql-15=15.20-0+deb12u1 postgresql-client-15=15.20-0+deb12u1 libpq5=15.20-0+deb12u1 2>install.log ||
  { cat install.log >&2; exit 1; }
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu"
bin=$work/root/usr/lib/postgresql/15/bin

# The server refuses to run as root.
mkdir data
chmod 755 "$work"
as=()
if [ "$(id -u)" = 0 ]; then
  chown 65534:65534 data
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
"${as[@]}" "$bin/initdb" -D data -U test -A trust -E UTF8 --locale=C >install.log
"${as[@]}" "$bin/postgres" -D data -c listen_addresses= -k "$work/data" >server.log 2>&1 &
trap 'kill %1; wait; rm -rf "$work"' EXIT
sql() { "$bin/psql" -X -q -A -t -h "$work/data" -U test -d postgres -c "$1" 2>&1; }
until sql 'SELECT 1' >/dev/null; do sleep 0.2; done

cat >pastes.csv <<'C'
uid,content
1,"COPY accounts (name, password) FROM stdin;
ada	hunter2
\.
"
2,second
C
sql 'CREATE TABLE pastes (uid text, content text)'
{
  printf '\\copy: '
  sql '\copy pastes FROM pastes.csv CSV HEADER' | head -n 1 || true
  printf 'COPY FROM STDIN: '
  sql 'COPY pastes FROM STDIN CSV HEADER' <pastes.csv | head -n 1 || true
  sql "COPY pastes FROM '$work/pastes.csv' CSV HEADER"
  printf 'COPY FROM the file: %s rows\n' "$(sql 'SELECT count(*) FROM pastes')"
} >seen
expect "an export of two pastes, the first of which is a dump:" <<'S'
\copy: ERROR:  unterminated CSV quoted field
COPY FROM STDIN: ERROR:  unterminated CSV quoted field
COPY FROM the file: 2 rows
S
