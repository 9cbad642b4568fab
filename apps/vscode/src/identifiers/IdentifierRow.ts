import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import type { IdentifierGroup } from "../register/Register.ts"
import type { Origin } from "../register/RegisterEntries.ts"
import type { Row } from "../editor/tree/Row.ts"
import { type Copied, Subject } from "../editor/tree/Subject.ts"
import { count, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

export class IdentifierSubject extends Subject {
  readonly identifier: KnownIdentifier

  constructor(identifier: KnownIdentifier) {
    super()
    this.identifier = identifier
  }

  override get copied(): Copied {
    return { id: String(this.identifier.id), json: this.identifier.listed ?? this.identifier }
  }
}

export class GroupSubject extends Subject {
  readonly group: IdentifierGroup

  constructor(group: IdentifierGroup) {
    super()
    this.group = group
  }

  override get copied(): Copied {
    return { id: String(this.group.id), json: this.group }
  }
}

export const identifierRow = (
  identifier: KnownIdentifier,
  options: { readonly id: string; readonly hide: (name: string) => string }
): Row => {
  const { id, listed, type } = identifier
  const name = options.hide(identifier.name)
  const state = stateText(identifier)
  const matches = listed === undefined ? [] : limitsOf(listed)
  const facts = [...(type === undefined ? [] : [nameOfType(type)]), ...state, ...matches]
  const isDisabled = listed?.is_disabled === true
  return {
    id: options.id,
    label: name,
    // The type is not in the description, because the icon shows it.
    description: state.join(" · "),
    tooltip: () => [name, ...facts, t("ID {0}", id)].join("\n"),
    icon: isDisabled ? { ...iconOf(type), color: "disabledForeground" } : iconOf(type),
    isDimmed: isDisabled,
    state: "closed",
    kinds: [
      "identifier",
      "copyable",
      "exportable",
      ...(listed === undefined ? ["remembered"] : ["listed", isDisabled ? "disabled" : "enabled"])
    ],
    accessibleLabel: [name, ...facts].join(", ")
  }
}

/** The state at the service or, if it is unknown, the origin of the identifier. */
const stateText = ({ listed, origin }: KnownIdentifier): ReadonlyArray<string> => {
  if (listed === undefined) return [originText(origin)]
  const { enrichments, is_disabled } = listed
  const authorization = enrichments?.authorization_status
  return [
    ...(is_disabled ? [t("disabled")] : []),
    ...(enrichments === null ? [t("being matched")] : []),
    ...(enrichments?.event_count == null ? [] : [count(enrichments.event_count, "{0} event", "{0} events")]),
    ...(authorization === "pending" ? [t("authorization pending")] : []),
    ...(authorization === "rejected" ? [t("authorization rejected")] : [])
  ]
}

/** Severities and types of events that the identifier is limited to. */
export const limitsOf = ({
  categories,
  emerging_categories,
  severities
}: NonNullable<KnownIdentifier["listed"]>): ReadonlyArray<string> => {
  const types = [...categories, ...emerging_categories]
  return [
    ...(severities.length === 0 ? [] : [t("Only severity {0}", severities.map((each) => t(each)).join(", "))]),
    ...(types.length === 0 ? [] : [t("Only {0}", types.map(nameOfType).join(", "))])
  ]
}

export const originText = (origin: Origin): string =>
  ({
    service: t("listed by the service"),
    created: t("created here"),
    entered: t("entered by ID"),
    settings: t("listed in the settings"),
    assignment: t("seen in an assignment"),
    event: t("seen in an event")
  })[origin]
