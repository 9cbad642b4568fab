/** Detection of secrets: a part of the bundle, which is loaded when it is first used. */
import { largestFile } from "@threat-exposure/detect/files/Files"
import { skipByPath } from "@threat-exposure/detect/files/Skipped"
import { candidatesIn, scanText } from "@threat-exposure/detect/Text"
import { secretsIn } from "./SecretsInText.ts"

export const detector = { candidatesIn, largestFile, scanText, secretsIn, skipByPath }
export type Detector = typeof detector
