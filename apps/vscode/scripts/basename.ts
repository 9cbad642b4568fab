/** All that the detector's provider rules ask of `node:path`, for a browser. */
export default { basename: (path: string) => path.slice(path.lastIndexOf("/") + 1) }
