#!/usr/bin/env bash
# PyMongo 4.20.1 and MongoDB's parser for Node.js 7.0.2: one connection string has two passwords.
#
# Guess: both drivers are of one maker and follow one specification of connection strings, so they decode a password alike.
# Seen: PyMongo decodes a "+" in the user and the password to a blank, as in a form; the parser of the Node.js driver keeps
# it, as in a URI. Both decode %2B to "+" and %20 to a blank.
# For searches of leaked passwords: of such a string, both are possible; a password that is written with %2B has one reading.
source "$(dirname "$0")/lib.sh"
pypi pymongo==4.20.1
npmjs mongodb-connection-string-url@7.0.2

cat >strings <<'S'
mongodb://app:blue+whale@db.example.net/app
mongodb://app:blue%2Bwhale@db.example.net/app
mongodb://app:blue%20whale@db.example.net/app
S
cat >read.py <<'P'
from pymongo.uri_parser import parse_uri
for line in open("strings"):
    print("PyMongo:", parse_uri(line.strip())["password"])
P
cat >read.mjs <<'J'
import { readFileSync } from "node:fs"
import { ConnectionString } from "mongodb-connection-string-url"
for (const line of readFileSync("strings", "utf8").trim().split("\n"))
  console.log("Node.js:", decodeURIComponent(new ConnectionString(line).password))
J
{ venv/bin/python read.py; node read.mjs; } >seen
expect 'the password of blue+whale, blue%2Bwhale and blue%20whale:' <<'S'
PyMongo: blue whale
PyMongo: blue+whale
PyMongo: blue whale
Node.js: blue+whale
Node.js: blue+whale
Node.js: blue whale
S
