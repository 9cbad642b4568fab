/** TLS certificates that sign themselves. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { systemProgram } from "@threat-exposure/programs/SystemProgram"

export const openssl = await systemProgram(["openssl"], ["openssl"])

/** Paths of PEM files. */
export interface Certificate {
  readonly key: string
  readonly certificate: string
}

/** Makes a certificate that is valid for a day. `name` is its subject: `DNS:example.com` or `IP:127.0.0.1`. */
export const makeCertificate = (folder: string, name: string): Certificate => {
  if ("missing" in openssl) throw new Error(openssl.missing)
  const made = { key: join(folder, "tls.key"), certificate: join(folder, "tls.crt") }
  const subject = ["-subj", `/CN=${name.slice(name.indexOf(":") + 1)}`, "-addext", `subjectAltName=${name}`]
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
  const files = ["-keyout", made.key, "-out", made.certificate]
  const { status, stderr } = spawnSync(openssl.path, ["req", ...kind, ...subject, ...files])
  if (status !== 0) throw new Error(`openssl made no certificate: ${String(stderr)}`)
  return made
}
