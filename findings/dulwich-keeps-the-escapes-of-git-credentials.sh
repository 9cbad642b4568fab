#!/usr/bin/env bash
# dulwich 1.2.21 and git: one line of ~/.git-credentials, two user names and passwords.
#
# Guess: dulwich, which reads the file for programs in Python, decodes its URLs as git does, which percent-encodes what it
# stores.
# Seen: dulwich gives user name and password as they stand in the file, and does not find the line by the name of its
# user.
# For whoever looks for the password of such a file in leaked data, or rotates it: the server has the decoded value.
source "$(dirname "$0")/lib.sh"
pypi dulwich==1.2.21

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
store() { git -c credential.helper= -c credential.helper="store --file=$work/credentials" credential "$1"; }
printf 'protocol=https\nhost=git.example.com\nusername=app@example.com\npassword=blue/whale%%\n\n' | store approve
{
  cat credentials
  printf 'protocol=https\nhost=git.example.com\n\n' | store fill | grep -E '^(username|password)='
  venv/bin/python - <<'P'
from dulwich.client import get_credentials_from_store
for name in (None, "app@example.com"):
    print("dulwich,", name, list(get_credentials_from_store("https", "git.example.com", name, ["credentials"])))
P
} >seen
expect 'what git stores, what it reads of that, and what dulwich reads of that:' <<'S'
https://app%40example.com:blue%2fwhale%25@git.example.com
username=app@example.com
password=blue/whale%
dulwich, None [('app%40example.com', 'blue%2fwhale%25')]
dulwich, app@example.com []
S
