#!/usr/bin/env bash
# Miller 6.6.0 (Debian 12): from CSV to JSON, some passwords make the document invalid.
#
# Guess: what is no JSON number is written as a string.
# Seen: Miller infers numbers in its own notation (hexadecimal, binary, octal with 0o, ".5", "5.") and writes each number as
# it stood in the CSV, without quotes. One such password in an export makes the whole document unreadable. 0012, Inf and +7
# are written as strings.
# For an export of leaked accounts: mlr -S, which infers nothing.
source "$(dirname "$0")/lib.sh"
apt-get download -qq miller=6.6.0-2+b3 2>install.log || { cat install.log >&2; exit 1; }
dpkg -x miller_*.deb miller
mlr=miller/usr/bin/mlr

printf 'user,password\nada,0012\nbob,0xff\ncy,5.\ndan,0o17\neve,Inf\nfay,+7\n' >accounts.csv
{
  "$mlr" --version
  "$mlr" --icsv --ojsonl cat accounts.csv
  "$mlr" --icsv --ojson cat accounts.csv | python3 -c 'import json, sys; json.load(sys.stdin)' 2>&1 | tail -n 1 || true
  "$mlr" -S --icsv --ojson cat accounts.csv | python3 -c 'import json, sys; print(len(json.load(sys.stdin)), "read with -S")'
} >seen 2>&1
expect "JSON of six passwords:" <<'S'
mlr 6.6.0
{"user": "ada", "password": "0012"}
{"user": "bob", "password": 0xff}
{"user": "cy", "password": 5.}
{"user": "dan", "password": 0o17}
{"user": "eve", "password": "Inf"}
{"user": "fay", "password": "+7"}
json.decoder.JSONDecodeError: Expecting ',' delimiter: line 8 column 16 (char 79)
6 read with -S
S
