/** Looks for new events in the background while the view is visible, and shows at most one message at a time. */
import { isAtLeast } from "@threat-exposure/core/domain/Severity"
import { Duration, Effect, Option, Ref, type Scope, Stream } from "effect"
import { Profiles } from "../../connection/Profiles.ts"
import { Editor } from "../../editor/Editor.ts"
import { count, t } from "../../words/Localisation.ts"
import { Settings } from "../../editor/Settings.ts"
import type { ServiceView } from "../../connection/ServiceView.ts"
import { type AnyEvent, severityOf } from "../AnyEvent.ts"
import { severityText } from "../search/EventFilter.ts"
import * as eventSettings from "../EventSettings.ts"

/** `look` requests events, draws them, and returns the new ones. */
export const watchNews = (
  view: ServiceView,
  look: Effect.Effect<ReadonlyArray<AnyEvent>>
): Effect.Effect<void, never, Editor | Profiles | Scope.Scope | Settings> =>
  Effect.gen(function* () {
    const editor = yield* Editor
    const profiles = yield* Profiles
    const settings = yield* Settings
    const isToasting = yield* Ref.make(false)

    const lookIfWatched = Effect.gen(function* () {
      const connection = yield* profiles.now
      const isWatched = connection._tag === "SignedIn" && (yield* view.tree.visible) && (yield* editor.focused)
      if (!isWatched) return
      yield* toast(yield* look)
    })

    const toast = Effect.fnUntraced(function* (news: ReadonlyArray<AnyEvent>) {
      const least = yield* settings.get(eventSettings.notificationSeverity)
      const worthy = least === "off" ? [] : news.filter((event) => isAtLeast(severityOf(event), least))
      if (least === "off" || worthy.length === 0 || (yield* Ref.getAndSet(isToasting, true))) return
      yield* editor
        .notify(
          "info",
          `${count(worthy.length, "{0} new event", "{0} new events")} (${severityText(least)})`,
          t("Show"),
          t("Don't Show Again")
        )
        .pipe(
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.void,
              onSome: (answer) =>
                answer === t("Show")
                  ? Effect.asVoid(editor.execute("threatExposure.events.focus"))
                  : settings.set(eventSettings.notificationSeverity, "off")
            })
          ),
          Effect.ensuring(Ref.set(isToasting, false)),
          Effect.forkDetach
        )
    })

    yield* Stream.concat(Stream.make(undefined), settings.changesOf(eventSettings.refreshMinutes)).pipe(
      Stream.mapEffect(() => settings.get(eventSettings.refreshMinutes)),
      Stream.switchMap((minutes) =>
        minutes === 0 ? Stream.empty : Stream.tick(Duration.minutes(minutes)).pipe(Stream.drop(1))
      ),
      Stream.runForEach(() => lookIfWatched),
      Effect.forkScoped
    )
  })
