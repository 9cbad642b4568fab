/**
 * Bundle part that the first closed or ignored leak loads. A leak can be closed once its value is no longer in the
 * code: its events and credentials are marked as remediated at the service, and the ignore file gets an entry, because
 * the history still has the value. A question explains this first.
 */
import { isUnknownResource } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { maxEventTargets } from "@threat-exposure/core/domain/Event"
import { Clock, DateTime, Effect, Option, type Scope, Stream } from "effect"
import { Connections } from "../../connection/Connections.ts"
import { Profiles } from "../../connection/Profiles.ts"
import { type Call, ofKind } from "../../editor/Commands.ts"
import { type Cancelled, Editor } from "../../editor/Editor.ts"
import { type Failure, NotPossible, problemOf } from "../../editor/Problem.ts"
import { EventCache } from "../../events/EventCache.ts"
import { applyChange } from "../../events/triage/TriageChange.ts"
import { count, t } from "../../words/Localisation.ts"
import { LeakChecks } from "../check/LeakChecks.ts"
import { nameOfLeak, type ReplacedLeak } from "../LeakFinding.ts"
import { LeakSubject } from "../LeakTree.ts"

export { ignoreLeak } from "./LeakIgnoring.ts"

/** Maximum number of pages (of a hundred credentials) in the search for the value. */
const maxPages = 10

/** Days until the entry expires. The history keeps the value, so the entry is renewed each year. */
const ignoredDays = 365

type Services = Connections | Editor | EventCache | LeakChecks | Profiles

/** Closes the leak of a row or with a fingerprint; `scope` interrupts the background work. */
export const closeLeak = Effect.fnUntraced(function* (
  { subjects, args: [given] }: Call,
  scope: Scope.Scope
): Effect.fn.Return<void, Failure | Cancelled, Services> {
  const checks = yield* LeakChecks
  const fingerprint = ofKind(subjects, LeakSubject)[0]?.finding.leak.fingerprint ?? given
  const found = checks.replaced().find(({ finding }) => finding.leak.fingerprint === fingerprint)
  if (found === undefined) {
    return yield* new NotPossible({
      message: t("The code still has the value, or it was checked again since: replace it, then check again.")
    })
  }
  yield* close(found, scope)
})

const close = Effect.fnUntraced(function* (
  replaced: ReplacedLeak,
  scope: Scope.Scope
): Effect.fn.Return<void, Failure | Cancelled, Services> {
  const cache = yield* EventCache
  const checks = yield* LeakChecks
  const connections = yield* Connections
  const editor = yield* Editor
  const { finding } = replaced
  const { leak, profile, repository } = finding
  if (checks.isClosing(leak.fingerprint)) return
  const connection = yield* (yield* Profiles).now
  if (profile !== undefined && connection._tag === "SignedIn" && connection.profile.name !== profile) {
    return yield* new NotPossible({
      message: t("This check was made with the profile “{0}”. Switch to it first, or check again.", profile)
    })
  }
  const { work } = yield* connections.asNow
  yield* editor.confirm(t("Close the leak of {0}?", nameOfLeak(finding)), planText(replaced), t("Close Leak"))
  const now = yield* Clock.currentTimeMillis
  const uids = leak.events.map(({ uid }) => uid)
  const amend = (uid: string) => (event: Parameters<typeof applyChange>[0]) =>
    applyChange(event, { uid, action: "remediate" }, now)
  // Show the result at once; it is undone if the service refuses it.
  yield* checks.setClosing(leak.fingerprint, true)
  yield* cache.amend(new Map(uids.map((uid) => [uid, amend(uid)])))
  const closing = Effect.gen(function* () {
    const done = yield* work(closeAtService(replaced))
    for (const uid of done.events) yield* cache.confirm(uid, amend(uid), undefined)
    if (repository !== undefined) {
      const on = DateTime.formatIso(DateTime.makeUnsafe(now)).slice(0, 10)
      yield* checks.ignore({ ...finding, repository }, `Replaced in the code and remediated on ${on}`, ignoredDays)
    }
    return doneText(finding.leak, done)
  }).pipe(
    Effect.ensuring(
      Effect.andThen(
        cache.amend(new Map(uids.map((uid) => [uid, undefined]))),
        checks.setClosing(leak.fingerprint, false)
      )
    ),
    Effect.matchEffect({
      onSuccess: (text) => Effect.asVoid(editor.notify("info", text)),
      onFailure: Effect.fnUntraced(function* (failure) {
        yield* editor.log("error", `leaks.close: ${failure._tag}: ${failure.message}`)
        const text = t("The leak of {0} was not closed: {1}", nameOfLeak(finding), problemOf(failure).message)
        const answer = yield* editor.notify("error", text, t("Retry"), t("Show Log"))
        if (Option.isNone(answer)) return
        yield* answer.value === t("Retry")
          ? editor.execute("threatExposure.leaks.close", leak.fingerprint)
          : editor.showLog
      })
    })
  )
  // Runs in the background, so that the person does not wait for a slow service.
  yield* Effect.forkIn(closing, scope)
})

/** Returns the marked items, and whether further credentials have the value. */
const closeAtService = ({ finding, value }: ReplacedLeak) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const events = yield* Events
    const uids = finding.leak.events.map(({ uid }) => uid)
    const pages =
      value === undefined || finding.leak.credentials.length === 0
        ? []
        : yield* credentials
            .pages({ query: { type: "secret", secret: value }, size: 100 })
            .pipe(Stream.take(maxPages), Stream.runCollect)
    const hashes = [
      ...new Set(
        pages.flatMap(({ items }) => items.flatMap(({ credential_hash: hash }) => (hash === null ? [] : [hash])))
      )
    ]
    const hasMore = (pages.at(-1)?.next ?? null) !== null
    if (hashes.length > 0) yield* credentials.act(hashes, "remediate")
    // The service only changes events that match an identifier of the tenant, and rejects a whole batch if one does
    // not.
    const own: Array<string> = []
    for (let start = 0; start < uids.length; start += maxEventTargets) {
      const batch = uids.slice(start, start + maxEventTargets)
      own.push(
        ...(yield* events.act(batch, "remediate").pipe(
          Effect.as(batch),
          Effect.catchIf(isUnknownResource, () =>
            Effect.filter(batch, (uid) =>
              events.act([uid], "remediate").pipe(
                Effect.as(true),
                Effect.catchIf(isUnknownResource, () => Effect.succeed(false))
              )
            )
          )
        ))
      )
    }
    return { credentials: hashes.length, hasMore, events: own, foreign: uids.length - own.length }
  })

const planText = ({ finding, value }: ReplacedLeak): string => {
  const { leak, repository } = finding
  return [
    t(
      "The value is no longer in the code. Before you close the leak, replace the secret at its provider: anyone who has the leaked value can still use it."
    ),
    ...(leak.events.length === 0
      ? []
      : [
          count(
            leak.events.length,
            "{0} event is marked as remediated, if it matches an identifier of your tenant.",
            "{0} events are marked as remediated, those that match an identifier of your tenant."
          )
        ]),
    ...(leak.moreEvents ? [moreEventsText()] : []),
    ...(leak.credentials.length === 0
      ? []
      : [
          value === undefined
            ? t("Its credentials stay as they are: the value that would find them is not stored.")
            : t("The credentials with this value are marked as remediated: a search finds them, which uses your quota.")
        ]),
    ...(repository === undefined
      ? []
      : [t("The ignore file gets an entry for {0} days, because the history still has the value.", ignoredDays)])
  ].join("\n\n")
}

/** A check reads a single page of events per value. */
const moreEventsText = () => t("More events have the value: only those that the check has listed are marked.")

const doneText = (
  leak: ReplacedLeak["finding"]["leak"],
  done: {
    readonly credentials: number
    readonly hasMore: boolean
    readonly events: ReadonlyArray<string>
    readonly foreign: number
  }
): string =>
  [
    t("The leak is closed."),
    ...(leak.events.length === 0
      ? []
      : [count(done.events.length, "{0} event is marked as remediated.", "{0} events are marked as remediated.")]),
    ...(leak.moreEvents ? [moreEventsText()] : []),
    ...(done.foreign === 0
      ? []
      : [count(done.foreign, "{0} event is not of your tenant.", "{0} events are not of your tenant.")]),
    ...(done.credentials === 0
      ? []
      : [
          count(
            done.credentials,
            "{0} credential is marked as remediated.",
            "{0} credentials are marked as remediated."
          )
        ]),
    ...(done.hasMore ? [t("More credentials have the value: only the first ones are marked.")] : [])
  ].join(" ")
