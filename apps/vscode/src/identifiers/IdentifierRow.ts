/** The row of an identifier, in every view. */
import { t } from "../words/Localisation.ts"
import { type Copied, Subject } from "../editor/Subject.ts"
import type { IdentifierEntry, Origin } from "../register/RegisterEntries.ts"

export class IdentifierSubject extends Subject {
  readonly identifier: IdentifierEntry

  constructor(identifier: IdentifierEntry) {
    super()
    this.identifier = identifier
  }

  override get copied(): Copied {
    return { id: String(this.identifier.id), json: this.identifier }
  }
}

/** How the extension learned of it. */
export const originText = (origin: Origin): string =>
  ({
    created: t("created here"),
    entered: t("entered by ID"),
    settings: t("listed in the settings"),
    assignment: t("seen in an assignment"),
    event: t("seen in an event")
  })[origin]
