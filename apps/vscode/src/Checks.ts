/** What is wrong with an answer as it is typed; undefined where nothing is. */
import { t } from "./Localisation.ts"

export const filled = (text: string): string | undefined => (text.trim() === "" ? t("This cannot be empty") : undefined)

export const whole = (text: string): string | undefined =>
  /^\d{1,15}$/u.test(text.trim()) ? undefined : t("This is not a whole number")
