/** Detection of secrets: a part of the bundle, which is loaded when it is first used. */
import { candidatesIn, scanText } from "@threat-exposure/detect/Text"
import { secretsIn } from "./SecretsInText.ts"

export const detector = { candidatesIn, scanText, secretsIn }
export type Detector = typeof detector
