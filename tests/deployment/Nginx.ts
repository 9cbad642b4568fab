/** nginx with a server of `apps/service/deploy`, in the foreground and in a folder of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** `site` is the content of `http {}`, and listens on `port`. Returns a function that stops the server. */
export const startNginx = async (program: string, folder: string, site: string, port: number) => {
  for (const temporary of ["body", "proxy", "fastcgi", "uwsgi", "scgi"]) mkdirSync(join(folder, temporary))
  const file = join(folder, "nginx.conf")
  const log = join(folder, "error.log")
  writeFileSync(
    file,
    `daemon off; pid ${join(folder, "nginx.pid")}; error_log ${log} info;
     ${process.getuid?.() === 0 ? "user root;" : ""}
     events {}
     http {
       client_body_temp_path ${join(folder, "body")}; proxy_temp_path ${join(folder, "proxy")};
       fastcgi_temp_path ${join(folder, "fastcgi")}; uwsgi_temp_path ${join(folder, "uwsgi")}; scgi_temp_path ${join(folder, "scgi")};
       ${site}
     }`
  )
  const nginx = spawn(program, ["-p", folder, "-c", file, "-e", log])
  let said = ""
  nginx.stderr.on("data", (chunk) => (said += chunk))
  while (!(await accepts(port))) {
    if (nginx.exitCode !== null) throw new Error(`nginx did not start: ${said}`)
    await sleep(20)
  }
  return async () => {
    if (nginx.exitCode === null && nginx.kill("SIGQUIT")) await once(nginx, "exit")
  }
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })
