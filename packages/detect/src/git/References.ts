/** Reads what no branch reaches: messages of tags, trees and blobs that a reference names, stashes and notes. */
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

/**
 * Maps the commits of stashes and notes to the paths of their files. Only the newest stash has a reference; the older
 * ones are in its reflog.
 */
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
      // git sorts many notes into folders by the first digits of the object ids.
      places.set(commit, (path) => `${folder}/${name === stash ? path : path.replaceAll("/", "")}`)
    }
  }
  return places
})

/** Messages of annotated tags, and the objects that they finally name: a tag may name another tag. */
const readTags = Effect.fnUntraced(function* (git: Git["Service"], root: string, tags: ReadonlyArray<Reference>) {
  const messages: Array<Message> = []
  const objects: Array<Reference> = []
  let next = tags
  for (let depth = 0; depth < maxTagDepth && next.length > 0; depth++) {
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

/** Messages of the tag that names the head of a range. */
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

/** A patch in the form that git prints for a binary file; the content is then read by its id. */
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

/** The message of a tag, with the path that a report shows. */
export interface Message {
  readonly path: string
  readonly content: Uint8Array
}

/** Matches a line with type, id and name of a reference. */
const reference = /^(\w+) ([\da-f]+) (.+)$/gm
/** The tag's own name is only captured if git would accept it for a reference. */
const tagHeader = /^object ([\da-f]+)\ntype (\w+)\n(?:tag (?!\S*\.\.)([\w/.-]+)\n)?/
const maxTagHeader = 1024
/** Maximum length of a chain of tags that name tags. */
const maxTagDepth = 8
const noBytes = new Uint8Array()

const stash = "refs/stash"
const notes = "refs/notes/"
/** All references but stashes and notes, whose commits have their own paths. */
export const branches = [`--exclude=${stash}`, `--exclude=${notes}*`, "--all"]

export const nothingBeside = {
  messages: new Array<Message>(),
  patches: [],
  places: new Map<string, (path: string) => string>()
}

const lineFeed = 10

/** Options of every command that prints a patch. */
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
