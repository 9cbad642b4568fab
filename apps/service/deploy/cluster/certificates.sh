#!/bin/sh
# Makes a certificate authority and the certificates of the cluster in the folder $1, unless they are there. Nodes and
# services, which run as user 1000, can read their own keys, and not those of the authority and the administrator. See
# docs/opensearch.md.
set -eu
cd "$1"
[ ! -e authority.pem ] || exit 0
umask 077

openssl req -x509 -newkey rsa:3072 -nodes -sha256 -days 3650 -subj "/CN=Threat Exposure cluster" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
  -keyout authority.key -out authority.draft

# NAME, then the names that it is reached by.
certificate() {
  name=$1
  shift
  printf 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth,clientAuth\n' > "$name.extensions"
  [ $# = 0 ] || printf 'subjectAltName=%s\n' "$*" >> "$name.extensions"
  openssl req -new -newkey rsa:3072 -nodes -sha256 -subj "/CN=$name" -keyout "$name.key" -out "$name.request"
  openssl x509 -req -sha256 -days 365 -in "$name.request" -CA authority.draft -CAkey authority.key -CAcreateserial \
    -extfile "$name.extensions" -out "$name.pem"
  rm "$name.request" "$name.extensions"
}
certificate node DNS:node1,DNS:node2,DNS:node3,DNS:localhost,IP:127.0.0.1
certificate threat-exposure
certificate admin
certificate proxy DNS:localhost,IP:127.0.0.1

chmod 644 ./*.pem
[ "$(id -u)" != 0 ] || chown 1000:1000 node.key threat-exposure.key
# Last: without it, an interrupted run begins again.
chmod 644 authority.draft
mv authority.draft authority.pem
