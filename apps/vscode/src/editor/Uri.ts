/** Addresses of files and folders, as the editor writes them. */

/** The last segment, as a person reads it. */
export const fileName = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1))

/** Whether an address is a folder's or below it. */
export const isInside = (uri: string, folder: string): boolean => uri === folder || uri.startsWith(withSlash(folder))

/** The path of an address below a folder's. */
export const pathBelow = (folder: string, uri: string): string =>
  decodeURIComponent(uri.slice(withSlash(folder).length))

/** As `pathBelow`, of a folder: empty for the folder itself, or ending in a slash. */
export const folderBelow = (folder: string, uri: string): string => {
  const path = pathBelow(folder, uri)
  return path === "" ? "" : `${path}/`
}

/** That of the root has it already. */
const withSlash = (folder: string) => folder.replace(/\/?$/u, "/")
