import type { Credential } from "@threat-exposure/core/domain/Credential"
import { writeSection } from "../editor/page/DocumentMarkdown.ts"
import { PageWriter, type Reveals, type Written } from "../editor/page/PageWriter.ts"
import { masked as hidden } from "../editor/page/Secrets.ts"
import type { Listed } from "../listing/Listing.ts"
import { localDate } from "../words/Dates.ts"
import { count, t } from "../words/Localisation.ts"
import { accountName } from "../words/Mask.ts"
import { type CredentialDocument, hostsOf, kindOf } from "./CredentialDocument.ts"

export const credentialMarkdown = ({ account, sections }: CredentialDocument, reveals: Reveals): Written => {
  const page = new PageWriter(reveals)
  page.heading(1, account)
  for (const section of sections) writeSection(page, section)
  return page.done()
}

export const credentialsMarkdown = (
  title: string,
  { hasMore, items }: Listed<Credential>,
  masked: boolean
): Written => {
  const page = new PageWriter()
  page.heading(1, title)
  page.paragraph(
    items.length === 0
      ? t("No credential matches.")
      : [
          hasMore
            ? count(items.length, "The first one is shown; there are more.", "The first {0} are shown; there are more.")
            : count(items.length, "{0} credential matches.", "{0} credentials match."),
          t("Secrets are masked here: open a credential to reveal its own.")
        ].join(" ")
  )
  if (items.length === 0) return page.done()
  const hasHosts = items.some(({ auth_domains }) => auth_domains !== undefined)
  page.table(
    [t("Account"), t("Secret"), t("Source"), t("Imported"), ...(hasHosts ? [t("Login domains")] : [])],
    items.map((item) => [
      accountName(item.identity_name, masked),
      item.hash === null ? "" : `${hidden} ${kindOf(item)}`,
      item.source?.name ?? item.source_id,
      localDate(item.imported_at),
      ...(hasHosts ? [hostsOf(item, masked)] : [])
    ])
  )
  return page.done()
}
