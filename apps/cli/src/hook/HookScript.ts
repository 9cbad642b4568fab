/** Shell scripts that git runs before a commit and before a push. */

export const hookNames = ["pre-commit", "pre-push"] as const
export type HookName = (typeof hookNames)[number]

/** A line that identifies an installed hook. */
export const marker = "installed by threat-exposure hook install"

/** File name of a hook that existed before; it runs first. */
export const keptName = (name: HookName): string => `${name}.before-threat-exposure`

/**
 * Passes git's input unchanged to both the earlier hook and the check. The appended dot preserves trailing line breaks,
 * which command substitution would remove.
 */
const replay = `printf %s "\${input%.}" | `

/** Every failure stops the commit or the push, including a check that could not run. */
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
