import { dirname, posix } from "node:path"
import type { Node, Rule } from "./Rule.ts"

/**
 * By the path of a source root, its folders in levels, the lowest first. A folder imports only lower levels; type imports
 * count. `"."` is the level of the root's own modules, unless one is listed by its name. A folder within a folder may be
 * listed by its path, as in `"sqlite/database"`.
 */
type Order = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

export const folderOrder: Rule = {
  meta: {
    type: "problem",
    docs: { description: "Folders form an order: lower ones never import higher ones" },
    schema: [{ type: "object" }]
  },
  create: (context) => {
    const file = context.filename.replaceAll("\\", "/")
    const [root, levels] = orderOf(file, context.options[0])
    if (root === undefined || levels === undefined) return {}
    const from = placeOf(levels, posix.relative(root, file))
    if (from === undefined) {
      const message = `${posix.relative(root, dirname(file))}/ has no level: add it to house/folder-order`
      return { Program: (node) => context.report({ node, message }) }
    }
    const check = (node: Node) => {
      const source = node.source?.value
      if (typeof source !== "string" || !source.startsWith(".")) return
      const target = posix.relative(root, posix.join(posix.dirname(file), source))
      const to = placeOf(levels, target)
      if (target.startsWith("..") || to === undefined || to.name === from.name || to.level < from.level) return
      context.report({ node, message: `${from.name} is not above ${to.name}: move what both need to a lower folder` })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check
    }
  }
}

const orderOf = (file: string, order: Order = {}) => {
  for (const [path, levels] of Object.entries(order)) {
    const at = file.indexOf(`/${path}/`)
    if (at !== -1) return [file.slice(0, at + 1 + path.length), levels] as const
  }
  return []
}

/** The level of a path relative to the root: that of the innermost folder that is listed. */
const placeOf = (levels: ReadonlyArray<ReadonlyArray<string>>, path: string) => {
  const parts = path.split("/")
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join("/")
    const level = levels.findIndex((names) => names.includes(name))
    if (level !== -1) return { name, level }
  }
  const level = parts.length > 1 ? -1 : levels.findIndex((names) => names.includes("."))
  return level === -1 ? undefined : { name: ".", level }
}
