#!/usr/bin/env bash
# netrc-parser 3.1.6 and netrc 0.1.4 (npm) beside Python 3's netrc: one .netrc has other passwords, and other machines.
#
# Guess: "#" begins a comment where a machine may begin, and belongs to a password within one, as in Python and curl.
# Seen: both packages end the password at "#" and ignore the rest of its line. netrc-parser also reads a machine in a line
# that begins with "#": the old password that somebody commented out is the one which is used for that host.
# For searches of leaked passwords: the file's value and the value that such a program sends are two.
source "$(dirname "$0")/lib.sh"
npmjs netrc-parser@3.1.6 netrc@0.1.4

cat >file <<'N'
machine db.example.net login app password blue#whale
# machine old.example.net login app password red-whale
N
cat >read.js <<'J'
const { Netrc } = require("netrc-parser")
const parsed = new Netrc("file")
parsed.loadSync()
const show = (name, machines) =>
  Object.keys(machines).forEach((host) => console.log(`${name}: ${host} ${machines[host].password}`))
show("netrc-parser", { ...parsed.machines })
show("netrc", require("netrc")("./file"))
J
cat >read.py <<'P'
import netrc
for host, (_, _, password) in netrc.netrc("file").hosts.items():
    print("Python:", host, password)
P
{ node read.js; python3 read.py; } >seen
expect 'the passwords of a machine, and of one that is commented out:' <<'S'
netrc-parser: db.example.net blue
netrc-parser: old.example.net red-whale
netrc: db.example.net blue
Python: db.example.net blue#whale
S
