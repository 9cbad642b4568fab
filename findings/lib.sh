# Sourced by the findings: a temporary folder that is removed at the end, the packages' installers, and the comparison.

set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# pypi NAME==VERSION…: installs into a virtual environment; its programs are in $work/venv/bin.
pypi() {
  python3 -m venv venv
  venv/bin/pip install --quiet --disable-pip-version-check "$@"
}

# npmjs NAME@VERSION…: installs into $work/node_modules, without scripts of packages.
npmjs() {
  npm install --silent --no-audit --no-fund --no-save --ignore-scripts "$@"
}

# golang PACKAGE@VERSION: builds a program into $work/bin.
golang() {
  GOBIN="$work/bin" GOFLAGS=-p=2 go install "$@" 2>install.log || { cat install.log >&2; return 1; }
}

# expect TITLE < expected: prints the title and what stands in the file "seen"; fails where the two differ.
expect() {
  cat >expected
  printf '%s\n' "$1"
  sed 's/^/  /' seen
  if ! diff -u expected seen >difference; then
    printf 'This has changed:\n' >&2
    cat difference >&2
    return 1
  fi
}
