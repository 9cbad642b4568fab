/** URIs of files and folders, in the form of the editor. */

/** The last segment, decoded for people. */
export const fileName = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1))

/** Whether the URI is the folder or below it. */
export const isInside = (uri: string, folder: string): boolean => uri === folder || uri.startsWith(withSlash(folder))

/** Decoded path of a URI relative to a folder. */
export const pathBelow = (folder: string, uri: string): string =>
  decodeURIComponent(uri.slice(withSlash(folder).length))

/** Like `pathBelow`, for a folder: empty for the folder itself, otherwise with a slash at the end. */
export const folderBelow = (folder: string, uri: string): string => {
  const path = pathBelow(folder, uri)
  return path === "" ? "" : `${path}/`
}

/** The URI of the root already ends in a slash. */
const withSlash = (folder: string) => folder.replace(/\/?$/u, "/")
