/** Generates `src/domain/CredentialFields.ts`: run `pnpm run fields` in this package. */
import { writeFileSync } from "node:fs"
import { credentialFields, path } from "./CredentialFieldsText.ts"

writeFileSync(path, credentialFields())
