import { createHash } from "node:crypto"

/** A UUID of version 5, which is the same for the same name. See RFC 9562, section 5.5. */
export const uuid5 = (namespace: string, name: string): string => {
  const hash = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
  const bytes = hash.digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-")
}
