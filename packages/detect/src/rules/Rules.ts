/**
 * Lists every rule. To add one, write its module beside this one and list it here; a provider's token format is a row
 * of providers/ProviderFormats.ts.
 */
import { assignments, foreignAssignments } from "./Assignments.ts"
import { authorizationHeaders, encodedPairs, namedHeaders, sessionCookies } from "./Authorization.ts"
import { credentialCalls, decodedKeys, keyCalls } from "./CallArguments.ts"
import { clientConfigurations, randomPasswords } from "./programs/ClientConfiguration.ts"
import { codeBlocks, markupBlocks } from "./CodeBlock.ts"
import { commandLines } from "./CommandLine.ts"
import {
  channelTokens,
  connectionStrings,
  encodedDataSources,
  goDataSources,
  oracleDataSources,
  proxyLinks,
  urlPasswords
} from "./ConnectionString.ts"
import { cookieArguments, cookieFiles, cookieObjects } from "./programs/Cookies.ts"
import { credentialFiles } from "./programs/CredentialFile.ts"
import { databaseDumps, textTables } from "./DatabaseDump.ts"
import { encodedTexts } from "./EncodedText.ts"
import { jsonWebKeys } from "./JsonWebKey.ts"
import { encodedJwts, jwts } from "./Jwt.ts"
import { generatedSecrets, kubernetesSecrets } from "./Kubernetes.ts"
import { basicLogins, databaseUsers, directoryEntries, systemUsers, userMaps } from "./Login.ts"
import { markdownTables, wikiTables } from "./MarkdownTable.ts"
import { deviceCommands, networkDevices } from "./programs/NetworkDevice.ts"
import { groupedSeeds, oneTimePasswordSeeds } from "./OneTimePassword.ts"
import { encodedPrivateKeys, privateKeys } from "./PrivateKey.ts"
import { providerTokens } from "./providers/ProviderTokens.ts"
import type { Rule } from "./Rule.ts"
import { seedPhrases } from "./SeedPhrase.ts"
import { pipedInputs } from "./PipedInput.ts"
import { hereDocuments, textBlocks } from "./TextBlock.ts"
import { winScpPasswords } from "./programs/WinScp.ts"

export const rules: ReadonlyArray<Rule> = [
  ...credentialFiles,
  ...clientConfigurations,
  cookieArguments,
  cookieFiles,
  ...cookieObjects,
  randomPasswords,
  textTables,
  assignments,
  foreignAssignments,
  jwts,
  encodedJwts,
  connectionStrings,
  urlPasswords,
  proxyLinks,
  authorizationHeaders,
  namedHeaders,
  sessionCookies,
  ...commandLines,
  ...pipedInputs,
  credentialCalls,
  keyCalls,
  decodedKeys,
  oneTimePasswordSeeds,
  groupedSeeds,
  databaseUsers,
  directoryEntries,
  systemUsers,
  basicLogins,
  userMaps,
  goDataSources,
  oracleDataSources,
  encodedDataSources,
  channelTokens,
  encodedPairs,
  jsonWebKeys,
  seedPhrases,
  privateKeys,
  encodedPrivateKeys,
  kubernetesSecrets,
  generatedSecrets,
  encodedTexts,
  codeBlocks,
  markupBlocks,
  textBlocks,
  hereDocuments,
  databaseDumps,
  markdownTables,
  wikiTables,
  networkDevices,
  deviceCommands,
  winScpPasswords,
  ...providerTokens
]
