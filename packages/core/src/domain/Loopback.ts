/** Whether a host name, in the form of `URL`, is a loopback address, to which tokens may be sent over plain HTTP. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/u.test(hostname)
