/** Detection of secrets: a part of the bundle, which is loaded when it is first used. */
import { largestFile } from "@threat-exposure/detect/files/Files"
import { skipByPath } from "@threat-exposure/detect/skip/Skipped"
import { hiddenIn } from "@threat-exposure/detect/SecretsInText"
import { candidatesIn, scanText } from "@threat-exposure/detect/Text"

export const detector = { candidatesIn, largestFile, scanText, secretsIn: (text: string) => hiddenIn(text), skipByPath }
export type Detector = typeof detector
