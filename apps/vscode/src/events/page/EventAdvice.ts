/** Advises on the next steps for an event, depending on its type and its data. */
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import type { Detector } from "../../detection/Detector.ts"
import { t } from "../../words/Localisation.ts"
import { accountOf, pageOf } from "./EventData.ts"
import { type EventDocument, secretsOf } from "./EventDocument.ts"
import type { EventMessage } from "./EventMessage.ts"

export interface AdviceStep {
  readonly text: string
  /** An action of the page for this step. */
  readonly link?: { readonly label: string; readonly message: EventMessage }
}

type Kind = "account" | "cards" | "code" | "device" | "domain" | "offer" | "service" | "storage" | "token"

const kindsByType: ReadonlyMap<string, ReadonlyArray<Kind>> = new Map<string, ReadonlyArray<Kind>>(
  Object.entries({
    account: ["account"],
    bot: ["device", "account"],
    bucket: ["storage"],
    bucket_object: ["storage"],
    buckets: ["storage"],
    cc: ["cards"],
    ccbin: ["cards"],
    cookie: ["device", "account"],
    credit_card: ["cards"],
    docker: ["code"],
    docker_image: ["code"],
    docker_repository: ["code"],
    domain: ["domain"],
    financial_data: ["cards"],
    google: ["code"],
    infected_devices: ["device", "account"],
    invalid_credential: ["account"],
    leak: ["account"],
    leaked_credential: ["account"],
    leaked_data: ["account"],
    listing: ["offer"],
    lookalike: ["domain"],
    lookalike_domain: ["domain"],
    mitigated_credential: ["account"],
    paste: ["code"],
    ransomleak: ["offer"],
    ransom_leak: ["offer"],
    service: ["service"],
    social_media_account: ["domain"],
    source_code: ["code"],
    source_code_files: ["code"],
    source_code_secrets: ["code"],
    stack_exchange: ["code"],
    stealer_log: ["device", "account"],
    valid_credential: ["account"]
  } satisfies Readonly<Record<string, ReadonlyArray<Kind>>>)
)

export const adviceOf = (event: TypedEvent, document: EventDocument, detector: Detector): ReadonlyArray<AdviceStep> => {
  const kinds = new Set(kindsByType.get(event.event_type) ?? [])
  const tokens = tokenAdvice(document, detector)
  const account = accountOf(event)
  const page = kinds.has("code") || kinds.has("storage") ? pageOf(event) : undefined
  const steps: Array<AdviceStep> = []
  if (kinds.has("device")) {
    steps.push({
      text: t("If an event is a stealer log or an infected device, clean the device before its owner signs in again.")
    })
  }
  if (kinds.has("account") || account !== undefined) {
    steps.push({
      text: t("Reset the passwords of the accounts that leaked and end their sessions; require a second factor."),
      ...(account === undefined
        ? {}
        : { link: { label: t("Search This Account"), message: { _tag: "SearchAccount" } } })
    })
  }
  for (const text of tokens) steps.push({ text })
  if (kinds.has("code") || secretsOf(document).length > 0) {
    steps.push({
      text: t("Check whether your code has one of the values of this event; nothing is sent."),
      link: { label: t("Find These Values in My Code"), message: { _tag: "Run", command: "events.checkValues" } }
    })
  }
  if (kinds.has("code")) {
    steps.push({
      text: t(
        "If it is yours, replace each secret in it first, then have it removed from where it is public; a removal alone does not help."
      ),
      ...(page === undefined
        ? {}
        : {
            link: {
              label: /\/commit\//u.test(page) ? t("Open the Commit") : t("Open the Page"),
              message: { _tag: "OpenPage" }
            }
          })
    })
  }
  if (kinds.has("storage")) {
    steps.push({
      text: t("If the storage is yours, close it to the public, and replace the secrets in its files."),
      ...(page === undefined ? {} : { link: { label: t("Open the Page"), message: { _tag: "OpenPage" } } })
    })
  }
  if (kinds.has("cards"))
    steps.push({ text: t("Have the issuer block the cards, and look for payments that are not yours.") })
  if (kinds.has("domain")) {
    steps.push({
      text: t("If it imitates you, block it in your mail and web filters, and report it to its registrar or platform.")
    })
  }
  if (kinds.has("service")) {
    steps.push({ text: t("If the machine is yours, check whether the service must be public; close or update it.") })
  }
  if (steps.length === 0 || kinds.has("offer")) {
    steps.push({
      text: t(
        "Read whether it concerns you; if so, tell the people who handle incidents, and keep the page as evidence."
      )
    })
  }
  steps.push({
    text:
      document.state === undefined || document.state === "open"
        ? t("When it is done, mark the event as remediated; if it is not about you, ignore it.")
        : t("Nothing is left to do: the event is marked as dealt with.")
  })
  return steps
}

const rotateAny = () =>
  t("Create a new secret where this one was issued, start using the new one, then revoke this one.")

/** Steps of the providers for tokens in the event; the rule that finds a token determines its provider. */
const tokenAdvice = ({ details }: EventDocument, { providerOfRule, scanText }: Detector): ReadonlyArray<string> => {
  const texts = details.flatMap((section) =>
    section._tag === "Text"
      ? [section.content.text]
      : section.entries.flatMap((entry) => (entry._tag === "Field" ? [entry.value.text] : []))
  )
  const providers = texts
    .flatMap((text) => scanText(text, "event.txt", { isFile: false }).candidates)
    .flatMap(({ rule }) => providerOfRule(rule) ?? [])
  return [...new Map(providers.map((provider) => [provider.name, provider])).values()].map(({ advice, name }) =>
    t("{0}: {1}", name, advice === undefined ? rotateAny() : t(advice))
  )
}
