/** Flags of the connection. Every command loads this module, so it does not import the client. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"

export const baseUrlFlag = GlobalFlag.Setting("base-url")({
  flag: Flag.String("base-url").pipe(
    Flag.withMetavar("URL"),
    Flag.optional,
    Flag.withDescription("Address of the service (variable: THREAT_EXPOSURE_BASE_URL; else the profile's)")
  )
})

export const pathPrefixFlag = GlobalFlag.Setting("path-prefix")({
  flag: Flag.String("path-prefix").pipe(
    Flag.withMetavar("WORD"),
    Flag.optional,
    Flag.withDescription("First segment of the service's paths (variable: THREAT_EXPOSURE_PATH_PREFIX; default: svc)")
  )
})

export const defaultProfile = "default"

export const profileFlag = GlobalFlag.Setting("profile")({
  flag: nonEmptyText("profile", "NAME").pipe(
    Flag.withDefault(defaultProfile),
    Flag.withDescription("The saved sign-in to use")
  )
})

export const connectionFlags = [baseUrlFlag, pathPrefixFlag, profileFlag] as const
