/** Masks names for screen sharing. */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { t } from "./Localisation.ts"

/** Keeps the first letter of each word and all other characters, so that the shape of the text stays recognisable. */
export const maskText = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => {
    const [first = ""] = word
    return word.length === first.length ? "•" : `${first}${"•".repeat(Math.min(word.length - first.length, 6))}`
  })

/** Masks a secret so that only its owner recognises it. */
export const maskedValue = (value: string): string => `${value.length < 12 ? "" : value.slice(0, 2)}••••••`

export const accountName = (name: string, isMasked: boolean): string =>
  name.trim() === "" ? t("(no account name)") : isMasked ? maskedAccount(name) : name
