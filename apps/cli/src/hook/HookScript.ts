/** The scripts that git runs before a commit and before a push. */

export const hookNames = ["pre-commit", "pre-push"] as const
export type HookName = (typeof hookNames)[number]

/** Marks an installed hook. */
export const marker = "installed by threat-exposure hook install"

/** The name that an existing hook is kept under; it runs first. */
export const keptName = (name: HookName): string => `${name}.before-threat-exposure`

/** Both readers get what git wrote, to the byte: the dot keeps the shell from removing line breaks at the end. */
const replay = `printf %s "\${input%.}" | `

/** Any failure stops the commit or push: a check that did not run has not passed. */
export const hookScript = (name: HookName): string => {
  const what = name === "pre-commit" ? "commit" : "push"
  const check =
    name === "pre-commit"
      ? "threat-exposure check --staged"
      : `${replay}PRE_COMMIT_REMOTE_NAME="$1" threat-exposure check --push`
  const kept = `"$hooks/${keptName(name)}"`
  return `#!/bin/sh
# ${marker}; threat-exposure hook uninstall removes it.
hooks=$(dirname "$0")
${name === "pre-push" ? "input=$(cat && printf .)\n" : ""}if [ -x ${kept} ]; then
  ${name === "pre-push" ? replay : ""}${kept} "$@" || exit $?
fi
if ! command -v threat-exposure >/dev/null 2>&1; then
  echo "The ${what} was stopped: threat-exposure is not installed, so nothing was checked. Install it, or skip the check once with git ${what} --no-verify." >&2
  exit 1
fi
${check}
code=$?
if [ $code -ne 0 ]; then
  echo "The ${what} was stopped by threat-exposure (exit code $code, see above). Skip the check once with git ${what} --no-verify." >&2
fi
exit $code
`
}
