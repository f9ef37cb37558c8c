#!/usr/bin/env node
// Plain JavaScript: an older Node must be able to read this far. The program itself is TypeScript that Node 24 runs as
// it is, and Node 24 is a dependency of this package.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const PINNED_MAJOR = 24
const program = new URL("../src/cli.ts", import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= PINNED_MAJOR) {
  await import(program.href)
} else {
  const node = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin", "node")
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: "inherit" })
  // Whoever ends this process means the program: it is told, and this process waits for it to finish its work.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => {
    console.error(`latchkey: cannot start Node ${PINNED_MAJOR} (${error.message}); run npm ci first`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
