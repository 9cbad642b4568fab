/** The word in the status bar that says who one is. */
import { Effect, Layer, Stream } from "effect"
import { Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { type Connection, Profiles } from "./Profiles.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const profiles = yield* Profiles
    const show = yield* editor.status

    const draw = Effect.fnUntraced(function* (connection: Connection) {
      yield* editor.setContext("signedIn", connection._tag === "SignedIn")
      const isMasked = (yield* editor.setting("masking")) === true
      const masked = isMasked ? ` $(eye-closed)` : ""
      const also = isMasked ? `\n${t("Names are masked for screen sharing")}` : ""
      switch (connection._tag) {
        case "SignedOut":
          return yield* show({
            text: `$(shield) ${t("Sign In")}${masked}`,
            tooltip: t("Threat Exposure: you are not signed in") + also,
            command: "signIn",
            accessibleLabel: t("Threat Exposure: you are not signed in") + also
          })
        case "Expired":
          return yield* show({
            text: `$(warning) ${connection.profile.name}${masked}`,
            tooltip: t("Threat Exposure: your sign-in has expired") + also,
            command: "signIn",
            accessibleLabel: t("Threat Exposure: your sign-in has expired") + also
          })
        case "SignedIn":
          return yield* show({
            text: `$(shield) ${connection.profile.name}${masked}`,
            tooltip: t("Threat Exposure: signed in to {0}", connection.profile.baseUrl) + also,
            command: "switchProfile",
            accessibleLabel: t("Threat Exposure: signed in to {0}", connection.profile.name) + also
          })
      }
    })
    yield* draw(yield* profiles.now)
    yield* profiles.changes.pipe(Stream.runForEach(draw), Effect.forkScoped)
    yield* editor.settingsChanged(["masking"]).pipe(
      Stream.runForEach(() => Effect.flatMap(profiles.now, draw)),
      Effect.forkScoped
    )
  })
)
