import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"

// Setup of the projects `unit` and `service`.

const refuse = (): never => {
  throw new Error(
    "This test starts a process or listens on a socket, so it belongs to the project `system`: name its file *.system.test.ts."
  )
}

for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const)
  Object.assign(childProcess, { [name]: refuse })
syncBuiltinESMExports()
net.Server.prototype.listen = refuse
