/** The extension's read-only text pages: renders them, tracks revealed secrets, and opens them. */
import { Context, Effect, Layer, Option, PubSub, Schema, Stream } from "effect"
import { type Cancelled, Editor, type Lens, type Span } from "../Editor.ts"
import { t } from "../../words/Localisation.ts"
import { type Failure, needsSignIn, type Problem, problemOf, signInTitle } from "../Problem.ts"
import { masking, Settings } from "../Settings.ts"
import { PageWriter, type Reveals, spansOf, type Written } from "./PageWriter.ts"

export type PageKind = "event" | "eventJson" | "credential" | "credentialJson" | "credentials" | "intel"

export interface Page {
  readonly written: Written
  /** Terms to highlight. */
  readonly terms?: ReadonlyArray<string>
  readonly lenses?: ReadonlyArray<Lens>
}

export interface PageName {
  readonly kind: string
  readonly id: string
}

/** Message of a webview that reveals or hides the secret with this number. */
export const Reveal = Schema.TaggedStruct("Reveal", { secret: Schema.Int, isRevealed: Schema.Boolean })
export type Reveal = typeof Reveal.Type

export interface PageSecret extends PageName {
  readonly secret: number
}

type Render = (id: string, reveals: Reveals) => Effect.Effect<Page, Failure>

export class Pages extends Context.Service<
  Pages,
  {
    readonly renderedBy: (kind: PageKind, render: Render) => Effect.Effect<void>
    /** `title` becomes the title of the tab. */
    readonly open: (kind: PageKind, id: string, title: string) => Effect.Effect<void, Cancelled>
    /** Renders the open pages of this kind and id again. */
    readonly changed: (kind: PageKind, id: string) => Effect.Effect<void>
    /** Renders the page at this path again, with progress. */
    readonly again: (path: string) => Effect.Effect<void, Cancelled>
    /** Reveals or hides one secret of a page, or all secrets of the active page. Applies until the window closes. */
    readonly reveal: (one: Option.Option<PageSecret>, isRevealed: boolean) => Effect.Effect<void>
    /** State of a page's secrets, shared by all its views. */
    readonly reveals: (kind: PageKind, id: string) => Reveals
    /** Name of the active page; none if another document is active. */
    readonly active: Effect.Effect<Option.Option<PageName>>
    /** Emits the page when its secrets are revealed or hidden. */
    readonly revealed: Stream.Stream<PageName>
  }
>()("threat-exposure/editor/page/Pages") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.gen(function* () {
      const editor = yield* Editor
      const settings = yield* Settings
      const renders = new Map<string, Render>()
      const revealed = new Map<string, Set<number>>()
      const drawn = new Map<
        string,
        { readonly lenses: ReadonlyArray<Lens>; readonly marks: ReadonlyArray<Span>; readonly secrets: number }
      >()

      const revealing = yield* PubSub.unbounded<PageName>()
      const nameOf = ({ id, kind }: PageName) => `${kind} ${id}`

      const revealsOf =
        (page: PageName): Reveals =>
        (secret) =>
          revealed.get(nameOf(page))?.has(secret) ?? false

      /** Rendered pages by path that the editor has not asked for yet. */
      const prepared = new Map<string, Page>()

      const render = Effect.fnUntraced(function* (path: string) {
        const { kind, id } = parse(path)
        const renderer = renders.get(kind)
        return yield* (
          renderer === undefined ? Effect.succeed(unknownPage) : renderer(id, revealsOf({ kind, id }))
        ).pipe(
          Effect.catch((failure) =>
            Effect.as(
              editor.log("error", `${kind} page: ${failure._tag}: ${failure.message}`),
              failurePage(path, problemOf(failure))
            )
          )
        )
      })

      const text = Effect.fnUntraced(function* (path: string) {
        const page = prepared.get(path) ?? (yield* render(path))
        prepared.delete(path)
        const { kind, id } = parse(path)
        const reveals = revealsOf({ kind, id })
        const secrets = page.written.secretLines.map((line, secret): Lens => ({
          line,
          command: reveals(secret)
            ? { name: "hideSecret", title: `$(eye-closed) ${t("Hide")}`, args: [kind, id, secret] }
            : { name: "revealSecret", title: `$(eye) ${t("Reveal")}`, args: [kind, id, secret] }
        }))
        drawn.set(path, {
          lenses: [...(page.lenses ?? []), ...secrets],
          marks: spansOf(page.written.text, page.terms ?? []),
          secrets: secrets.length
        })
        return page.written.text
      })

      const { changed } = yield* editor.pages({
        text,
        lenses: (path) => Effect.sync(() => drawn.get(path)?.lenses ?? []),
        marks: (path) => Effect.sync(() => drawn.get(path)?.marks ?? [])
      })

      /** Renders a page with progress before the editor asks for it: while it waits, the editor would show nothing. */
      const prepare = Effect.fnUntraced(function* (path: string, title: string) {
        prepared.set(path, yield* editor.progress(title, () => render(path)))
        yield* changed(path)
      })

      const changedPages = ({ id, kind }: PageName) =>
        Effect.forEach(
          [...drawn.keys()].filter((path) => {
            const page = parse(path)
            return page.kind === kind && page.id === id
          }),
          changed,
          { discard: true }
        )

      yield* settings.changesOf(masking).pipe(
        Stream.runForEach(() => Effect.forEach(drawn.keys(), changed, { discard: true })),
        Effect.forkScoped
      )

      return Pages.of({
        renderedBy: (kind, render) => Effect.sync(() => renders.set(kind, render)),
        open: Effect.fnUntraced(function* (kind, id, title) {
          const path = pathOf(kind, id, title)
          yield* prepare(path, t("Opening {0}", title))
          yield* editor.openPage(path)
        }),
        changed: (kind, id) => changedPages({ kind, id }),
        again: (path) => prepare(path, t("Loading…")),
        reveal: Effect.fnUntraced(function* (one, isRevealed) {
          const active = yield* editor.activePage
          const page = Option.getOrUndefined(Option.isSome(one) ? one : Option.map(active, parse))
          if (page === undefined) return
          const all = Array.from(
            { length: Option.match(active, { onNone: () => 0, onSome: (path) => drawn.get(path)?.secrets ?? 0 }) },
            (_, secret) => secret
          )
          const shown = revealed.get(nameOf(page)) ?? new Set()
          for (const secret of Option.isSome(one) ? [one.value.secret] : all) {
            if (isRevealed) shown.add(secret)
            else shown.delete(secret)
          }
          revealed.set(nameOf(page), shown)
          yield* changedPages(page)
          yield* PubSub.publish(revealing, page)
        }),
        reveals: (kind, id) => revealsOf({ kind, id }),
        revealed: Stream.fromPubSub(revealing),
        active: Effect.map(editor.activePage, Option.map(parse))
      })
    })
  )
}

/** Replaces lone surrogates, which a URI cannot encode. */
const pathOf = (kind: PageKind, id: string, title: string) =>
  `/${kind}/${encodeURIComponent(id.toWellFormed())}/${
    title
      .slice(0, 60)
      .replaceAll(/[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}]/gu, " ")
      .trim() || kind
  }.${kind.endsWith("Json") ? "json" : "md"}`

const parse = (path: string): PageName => {
  const [, kind = "", id = ""] = path.split("/")
  return { kind, id: decodeId(id) }
}

const decodeId = (id: string) => {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

const unknownPage: Page = { written: new PageWriter().paragraph("").done() }

const failurePage = (path: string, problem: Problem): Page => ({
  written: new PageWriter().heading(1, t("This page could not be loaded")).paragraph(problem.message).done(),
  lenses: [
    ...(needsSignIn(problem)
      ? [{ line: 0, command: { name: "signIn", title: `$(sign-in) ${signInTitle(problem)}`, args: [] } }]
      : []),
    { line: 0, command: { name: "retry", title: `$(refresh) ${t("Retry")}`, args: [path] } },
    { line: 0, command: { name: "showLog", title: `$(output) ${t("Show Log")}`, args: [] } }
  ]
})
