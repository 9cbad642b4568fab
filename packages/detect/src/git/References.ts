/** The parts of a repository that no branch reaches: the messages of tags, what they name without a commit, stashes and notes. */
import { Effect, Stream } from "effect"
import { maxFileSize } from "../files/Files.ts"
import { decode } from "../text/Bytes.ts"
import type { Git } from "./Git.ts"
import { readObjects } from "./GitObjects.ts"
import { placeOfReference } from "./GitPlaces.ts"

export const besideBranches = Effect.fnUntraced(function* (git: Git["Service"], root: string) {
  const all = yield* git.text(root, ["for-each-ref", "--format=%(objecttype) %(objectname) %(refname)"])
  const references = Array.from(all.matchAll(reference), ([, type, id = "", name = ""]) => ({ type, id, name }))
  const { messages, objects } = yield* readTags(
    git,
    root,
    references.filter(({ type }) => type === "tag")
  )
  const unread = [...references, ...objects].filter(({ type }) => type === "tree" || type === "blob")
  return {
    messages,
    patches: unread.map(({ id, name, type }) => (type === "tree" ? patchOfTree(git, root, id) : patchOfBlob(id, name))),
    places: yield* besidePlaces(
      git,
      root,
      references.filter(({ name }) => name === stash || name.startsWith(notes))
    )
  }
})

/** The commits of stashes and notes, and where their files are. Only the newest stash has a reference; the others are in its log. */
const besidePlaces = Effect.fnUntraced(function* (
  git: Git["Service"],
  root: string,
  references: ReadonlyArray<Reference>
) {
  const places = new Map<string, (path: string) => string>()
  for (const { id, name } of references) {
    const entries = name === stash ? yield* git.text(root, ["log", "--walk-reflogs", "--format=%H", stash]) : ""
    const tips = new Set([id, ...entries.split("\n").filter((line) => line !== "")])
    const found = yield* git.text(root, ["rev-list", ...tips, "--not", ...branches])
    const folder = placeOfReference(name)
    for (const commit of found.split("\n").filter((line) => line !== "" && !places.has(line))) {
      // A tree of many notes has them in folders by the first digits of the objects' ids.
      places.set(commit, (path) => `${folder}/${name === stash ? path : path.replaceAll("/", "")}`)
    }
  }
  return places
})

/** The messages of annotated tags, and what those name in the end: a tag may name another one. */
const readTags = Effect.fnUntraced(function* (git: Git["Service"], root: string, tags: ReadonlyArray<Reference>) {
  const messages: Array<Message> = []
  const objects: Array<Reference> = []
  let next = tags
  for (let depth = 0; depth < deepestTag && next.length > 0; depth++) {
    const contents = yield* Stream.runCollect(
      readObjects(
        git,
        root,
        next.map(({ id }) => id),
        maxFileSize,
        "tag"
      )
    )
    const deeper: Array<Reference> = []
    for (const [at, { content }] of contents.entries()) {
      const [, id = "", type = "", own] = tagHeader.exec(decode(content?.subarray(0, maxTagHeader) ?? noBytes)) ?? []
      const name = next[at]?.name || `refs/tags/${own ?? next[at]?.id}`
      const header = content?.findIndex((byte, index) => byte === lineFeed && content[index + 1] === lineFeed) ?? -1
      if (content !== undefined && header >= 0) {
        messages.push({ path: placeOfReference(name), content: content.subarray(header + 2) })
      }
      if (type === "tag") deeper.push({ type, id, name })
      else if (type !== "commit" && type !== "") objects.push({ type, id, name })
    }
    next = deeper
  }
  return { messages, objects }
})

/** The messages of the tag that a range was named by. */
export const messagesOf = (
  git: Git["Service"],
  root: string,
  { folder, tag }: { readonly folder: string; readonly tag?: string | undefined }
) =>
  tag === undefined || folder !== ""
    ? Effect.succeed<ReadonlyArray<Message>>([])
    : Effect.map(readTags(git, root, [{ type: "tag", id: tag, name: "" }]), ({ messages }) => messages)

const patchOfTree = (git: Git["Service"], root: string, id: string) =>
  git.output(root, ["hash-object", "-t", "tree", "--stdin"]).pipe(
    Stream.decodeText(),
    Stream.flatMap((empty) => git.output(root, ["diff", ...patch, "-U3", empty.trim(), id]))
  )

/** The form in which git names a binary file; its content is read by its id. */
const patchOfBlob = (id: string, name: string) => {
  const path = placeOfReference(name)
  return Stream.succeed(
    new TextEncoder().encode(
      `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${"0".repeat(id.length)}..${id}\nBinary files /dev/null and b/${path} differ\n`
    )
  )
}

interface Reference {
  readonly type: string | undefined
  readonly id: string
  readonly name: string
}

/** The message of a tag, and the place that a report shows. */
export interface Message {
  readonly path: string
  readonly content: Uint8Array
}

/** The type and the id of what a reference names. */
const reference = /^(\w+) ([\da-f]+) (.+)$/gm
/** The name is taken where it is one that git would give a reference. */
const tagHeader = /^object ([\da-f]+)\ntype (\w+)\n(?:tag (?!\S*\.\.)([\w/.-]+)\n)?/
const maxTagHeader = 1024
/** Tags that name tags. */
const deepestTag = 8
const noBytes = new Uint8Array()

const stash = "refs/stash"
const notes = "refs/notes/"
/** Everything but stashes and notes, whose commits have places of their own. */
export const branches = [`--exclude=${stash}`, `--exclude=${notes}*`, "--all"]

export const nothingBeside = {
  messages: new Array<Message>(),
  patches: [],
  places: new Map<string, (path: string) => string>()
}

const lineFeed = 10

/** Options of every command whose patches are read. */
export const patch: ReadonlyArray<string> = [
  "--patch",
  "--no-color",
  "--no-color-moved",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--full-index",
  "--find-renames=50%",
  "-l2000",
  "--diff-algorithm=myers",
  "--inter-hunk-context=0",
  "--submodule=short",
  "--ws-error-highlight=none",
  "--output-indicator-new=+",
  "--relative",
  "-O/dev/null"
]
