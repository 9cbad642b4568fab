#!/usr/bin/env bash
# asyncpg 0.32.0 and libpq (Debian's psql): one line of .pgpass, two passwords.
#
# Guess: asyncpg reads the file as libpq does, whose documentation says that ":" and "\" are written "\:" and "\\".
# Seen: asyncpg sends the password with its backslashes, and without blanks at the end of the line; libpq sends it without
# the backslashes, and with the blanks.
# For whoever looks for the password of such a file in leaked data, or rotates it: the server has the value without escapes.
source "$(dirname "$0")/lib.sh"
pypi asyncpg==0.32.0

cat >server.py <<'P'
"""Answers every start of a session with a request for the password in clear, and prints what it gets."""
import socket, struct, sys
def exactly(peer, size):
    data = b""
    while len(data) < size:
        more = peer.recv(size - len(data))
        if not more: raise EOFError
        data += more
    return data
listener = socket.create_server(("127.0.0.1", 0))
open("port", "w").write(str(listener.getsockname()[1]))
while True:
    peer, _ = listener.accept()
    try:
        while True:
            (size,) = struct.unpack("!i", exactly(peer, 4))
            (code,) = struct.unpack("!i", exactly(peer, size - 4)[:4])
            if code >> 16 != 1234: break
            peer.sendall(b"N")
        peer.sendall(struct.pack("!cii", b"R", 8, 3))
        _, size = struct.unpack("!ci", exactly(peer, 5))
        print(exactly(peer, size - 4)[:-1].decode() + "|", flush=True)
        refusal = b"SFATAL\0C28P01\0Mrefused\0\0"
        peer.sendall(struct.pack("!ci", b"E", len(refusal) + 4) + refusal)
    except EOFError:
        pass
    peer.close()
P
python3 server.py >seen &
trap 'kill %1; rm -rf "$work"' EXIT
until [ -s port ]; do sleep 0.1; done
printf '127.0.0.1:*:app:app:blue\\:whale\\\\x  \n' >pass
chmod 600 pass
export PGPASSFILE="$work/pass" PORT="$(cat port)"
psql "host=127.0.0.1 port=$PORT dbname=app user=app sslmode=disable" >psql.log 2>&1 || true
cat >connect.py <<'P'
import asyncio, asyncpg, os
async def main():
    await asyncpg.connect(host="127.0.0.1", port=int(os.environ["PORT"]), database="app", user="app", ssl=False)
try: asyncio.run(main())
except Exception: pass
P
venv/bin/python connect.py >asyncpg.log 2>&1
expect 'what psql and asyncpg send of 127.0.0.1:*:app:app:blue\:whale\\x with two blanks after it:' <<'S'
blue:whale\x  |
blue\:whale\\x|
S
