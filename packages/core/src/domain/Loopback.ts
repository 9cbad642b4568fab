/** Whether a host name, as `URL` writes it, is of this machine: tokens may be sent to it over plain HTTP. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/u.test(hostname)
