/** The message in place of content that could not be loaded, with possible next steps. */
import { t } from "../../words/Localisation.ts"
import { type Action, button } from "./DocumentHtml.ts"
import { html, type Html } from "./Html.ts"
import { needsSignIn, type Problem, type Remedy, signInTitle } from "../Problem.ts"

export const problemHtml = (problem: Problem): Html =>
  html`<p role="alert" class="problem">${problem.message}</p>
    <div class="toolbar">
      ${
        needsSignIn(problem)
          ? action(signInTitle(problem), { _tag: "SignIn" }, "primary")
          : [action(t("Retry"), { _tag: "Retry" }, "primary"), action(t("Show Log"), { _tag: "ShowLog" })]
      }
    </div>`

const action: Action<Remedy> = button
