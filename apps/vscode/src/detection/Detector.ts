/** Detection of secrets. This part of the bundle is loaded at its first use. */
import { maxFileSize } from "@threat-exposure/detect/files/Files"
import { skipByPath } from "@threat-exposure/detect/skip/Skipped"
import { hiddenIn } from "@threat-exposure/detect/SecretsInText"
import { scanText } from "@threat-exposure/detect/Text"
import { decode, isBinary } from "@threat-exposure/detect/text/Bytes"
import { providerOfRule } from "@threat-exposure/leak-check/report/Providers"
import { filesBelow } from "./FolderFiles.ts"

export const detector = {
  decode,
  filesBelow,
  isBinary,
  maxFileSize,
  providerOfRule,
  scanText,
  secretsIn: (text: string) => hiddenIn(text),
  skipByPath
}
export type Detector = typeof detector
