/** The extension's read-only pages: who writes which, what was revealed, and opening them. */
import { Context, Effect, Layer, Option } from "effect"
import { Editor, type Lens, type Span } from "../Editor.ts"
import { t } from "../Localisation.ts"
import { type Failure, problemOf } from "../Problem.ts"
import { PageWriter, spansOf, type Written } from "./PageWriter.ts"

export type PageKind = "event" | "identifier" | "policy" | "credential" | "credentials"

export interface Page {
  readonly written: Written
  /** What to mark wherever it stands. */
  readonly terms?: ReadonlyArray<string>
  readonly lenses?: ReadonlyArray<Lens>
}

type Render = (id: string, isRevealed: boolean) => Effect.Effect<Page, Failure>

export class Pages extends Context.Service<
  Pages,
  {
    readonly renderedBy: (kind: PageKind, render: Render) => Effect.Effect<void>
    /** `title` names the tab. */
    readonly open: (kind: PageKind, id: string, title: string) => Effect.Effect<void>
    /** Writes the open pages of this kind and id again. */
    readonly changed: (kind: PageKind, id: string) => Effect.Effect<void>
    /** Writes one page again, by its path. */
    readonly again: (path: string) => Effect.Effect<void>
    /** Of the given page, or of the active one; until the window closes. */
    readonly reveal: (path: Option.Option<string>, isRevealed: boolean) => Effect.Effect<void>
    /** Kind and id of the active page. */
    readonly active: Effect.Effect<Option.Option<{ readonly kind: string; readonly id: string }>>
  }
>()("threat-exposure/pages/Pages") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.gen(function* () {
      const editor = yield* Editor
      const renders = new Map<string, Render>()
      const revealed = new Set<string>()
      const drawn = new Map<string, { readonly lenses: ReadonlyArray<Lens>; readonly marks: ReadonlyArray<Span> }>()

      const text = Effect.fnUntraced(function* (path: string) {
        const { kind, id } = parse(path)
        const render = renders.get(kind)
        const page = yield* (render === undefined ? Effect.succeed(unknownPage) : render(id, revealed.has(path))).pipe(
          Effect.catch((failure) =>
            Effect.as(
              editor.log("error", `${kind} page: ${failure._tag}: ${failure.message}`),
              failurePage(path, problemOf(failure).message)
            )
          )
        )
        const secrets = page.written.secretLines.map((line): Lens => ({
          line,
          command: revealed.has(path)
            ? { name: "hideSecret", title: `$(eye-closed) ${t("Hide")}`, args: [path] }
            : { name: "revealSecret", title: `$(eye) ${t("Reveal")}`, args: [path] }
        }))
        drawn.set(path, {
          lenses: [...(page.lenses ?? []), ...secrets],
          marks: spansOf(page.written.text, page.terms ?? [])
        })
        return page.written.text
      })

      const { changed } = yield* editor.pages({
        text,
        lenses: (path) => Effect.sync(() => drawn.get(path)?.lenses ?? []),
        marks: (path) => Effect.sync(() => drawn.get(path)?.marks ?? [])
      })

      return Pages.of({
        renderedBy: (kind, render) => Effect.sync(() => renders.set(kind, render)),
        open: Effect.fnUntraced(function* (kind, id, title) {
          const path = pathOf(kind, id, title)
          yield* changed(path)
          yield* editor.openPage(path)
        }),
        changed: (kind, id) =>
          Effect.forEach(
            [...drawn.keys()].filter((path) => {
              const page = parse(path)
              return page.kind === kind && page.id === id
            }),
            changed,
            { discard: true }
          ),
        again: changed,
        reveal: Effect.fnUntraced(function* (given, isRevealed) {
          const path = Option.orElse(given, () => active)
          const found = Option.isSome(path) ? path : yield* editor.activePage
          if (Option.isNone(found)) return
          if (isRevealed) revealed.add(found.value)
          else revealed.delete(found.value)
          yield* changed(found.value)
        }),
        active: Effect.map(editor.activePage, Option.map(parse))
      })
    })
  )
}

const active: Option.Option<string> = Option.none()

const pathOf = (kind: PageKind, id: string, title: string) =>
  `/${kind}/${encodeURIComponent(id)}/${
    title
      .replaceAll(/[\\/:*?"<>|\p{Cc}\p{Cf}]/gu, " ")
      .trim()
      .slice(0, 60) || kind
  }.md`

const parse = (path: string) => {
  const [, kind = "", id = ""] = path.split("/")
  return { kind, id: decoded(id) }
}

const decoded = (id: string) => {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

const unknownPage: Page = { written: new PageWriter(false).paragraph("").done() }

const failurePage = (path: string, message: string): Page => ({
  written: new PageWriter(false).heading(1, t("This page could not be loaded")).paragraph(message).done(),
  lenses: [
    { line: 0, command: { name: "retry", title: `$(refresh) ${t("Retry")}`, args: [path] } },
    { line: 0, command: { name: "showLog", title: `$(output) ${t("Show Log")}`, args: [] } }
  ]
})
