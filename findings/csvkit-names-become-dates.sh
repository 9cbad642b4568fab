#!/usr/bin/env bash
# csvkit 2.2.0, agate 1.14.2: user names, passwords and amounts change their type and value.
#
# Guess: the types of a column are numbers, booleans and ISO dates; april, june and may stay words.
# Seen: a column of words that a calendar knows becomes dates of the year 1, one of "5m" and "2h" becomes durations, and a
# currency or percent sign is dropped. One other value in the column is enough to keep all of them as text.
# For an export of leaked accounts: csvkit needs --no-inference.
source "$(dirname "$0")/lib.sh"
pypi csvkit==2.2.0 agate==1.14.2

{
  printf 'user\napril\njune\nmay\n' | venv/bin/csvjson
  printf 'user\napril\njune\nmaya\n' | venv/bin/csvjson
  printf 'id,password\n1,5m\n2,2h\n' | venv/bin/csvjson
  printf 'id,password\n1,$1.50\n2,7%%\n' | venv/bin/csvjson
  printf 'user\napril\njune\nmay\n' | venv/bin/csvjson --no-inference
} | sed 's/}\]\[{/}]\n[{/g' >seen
echo >>seen
expect "csvjson of columns that hold words, with inference and (last line) without:" <<'S'
[{"user": "0001-04-01"}, {"user": "0001-06-01"}, {"user": "0001-05-01"}]
[{"user": "april"}, {"user": "june"}, {"user": "maya"}]
[{"id": 1.0, "password": "0:05:00"}, {"id": 2.0, "password": "2:00:00"}]
[{"id": 1.0, "password": 1.5}, {"id": 2.0, "password": 7.0}]
[{"user": "april"}, {"user": "june"}, {"user": "may"}]
S
