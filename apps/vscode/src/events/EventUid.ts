/** The uid of an event, as typed, pasted or linked. */
import { filled } from "../editor/Validation.ts"
import { t } from "../words/Localisation.ts"

/** The uid in a link to this extension, or the text itself. */
export const uidIn = (text: string): string => {
  const link = /^[\w+.-]+:\/\/threat-exposure\.threat-exposure\/event\/([^?#]+)/u.exec(text.trim())?.[1]
  if (link === undefined) return text.trim()
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}

/** Why it is not valid; undefined if it is. */
export const faultOfUid = (uid: string): string | undefined => {
  if (/^[\w+.-]+:\/\//u.test(uid)) return t("This is an address; a uid reads like leak/source/1234")
  if (/[\p{Cc}\p{Cf}]/u.test(uid) || uid.length > longest)
    return t("This is not a uid; one reads like leak/source/1234")
  return filled(uid)
}

const longest = 1000
